/** The hosts that one checkout reaches by ssh: the source's own, and those of its submodules. */
import { join } from 'node:path';
import { parseGitUrl, type GitUrl } from '../../domain/git/git-source.ts';
import type { JudgedHost, Outgoing, OutgoingBy } from '../../ports/outgoing.ts';
import { CheckoutPath } from '../files/checkout-path.ts';
import type { Call } from './call.ts';
import type { GitEnvironment } from './environment.ts';
import type { SshPin } from './ssh-config.ts';

export interface SshHosts {
  /** Judges the host of an ssh address and pins it; gives undefined for any other address. */
  admit(url: GitUrl): Promise<JudgedHost | undefined>;
  /** Admits the hosts of the submodules that are known by now; whether one is new. */
  admitSubmodules(directory: string, call: Call): Promise<boolean>;
}

export function createSshHosts(
  environment: Pick<GitEnvironment, 'pinHosts'>,
  outgoing: Pick<Outgoing, 'judge'>,
  by: OutgoingBy,
): SshHosts {
  const pins = new Map<string, SshPin>();
  const admit: SshHosts['admit'] = async (url) => {
    if (url.protocol !== 'ssh') return undefined;
    const [host = '', port] = url.host.split(':');
    const judged = await outgoing.judge(host, by, Number(port ?? 22));
    pins.set(host, { host, port, address: judged.addresses[0] });
    await environment.pinHosts([...pins.values()]);
    return judged;
  };
  return {
    admit,
    async admitSubmodules(directory, call) {
      const before = pins.size;
      for (const address of await submoduleAddresses(directory, call)) {
        const url = sshUrlOf(address);
        if (url && !pins.has(url.host.split(':')[0] ?? '')) await admit(url);
      }
      return pins.size > before;
    },
  };
}

/** What is no address that git may use, git refuses by itself. */
function sshUrlOf(address: string): GitUrl | undefined {
  try {
    const url = parseGitUrl(address);
    return url.protocol === 'ssh' ? url : undefined;
  } catch {
    return undefined;
  }
}

const mostSubmodules = 1000;

/** Addresses in .gitmodules, and in that of each submodule that is here by now. */
async function submoduleAddresses(directory: string, call: Call): Promise<string[]> {
  const addresses: string[] = [];
  const folders = [''];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const file = await CheckoutPath.resolve(directory, join(folder, '.gitmodules'), { field: '.gitmodules' });
    if (file === undefined) continue;
    const { stdout } = await call(
      ['config', '--file', file.path, '--get-regexp', String.raw`^submodule\..*\.(url|path)$`],
      { quick: true },
    );
    for (const line of stdout.split('\n')) {
      const [, kind, value = ''] = /^submodule\..*?\.(url|path) (.*)$/.exec(line) ?? [];
      if (kind === 'url') addresses.push(value);
      if (kind === 'path' && folders.length < mostSubmodules) folders.push(join(folder, value));
    }
  }
  return addresses;
}
