/** Files that executed text would leave behind: none may be there afterwards. */
import { randomBytes } from 'node:crypto';
import type { BedHost } from '../../bed/host/host.ts';

export interface Canaries {
  /** The file that the n-th payload tries to make; the same path in the host, in builds and in containers. */
  fileOf(index: number): string;
  /** Every such file on the hosts, in the layers of images and containers, and in volumes. */
  found(): Promise<string[]>;
}

/** Where a program of Berth, a build or a container could have left one. */
const places = ['/tmp', '/var/tmp', '/root', '/run', '/home', '/srv', '/opt', '/etc', '/var/lib/docker'];

export function createCanaries(...hosts: readonly BedHost[]): Canaries {
  const mark = `canary-${randomBytes(6).toString('hex')}`;
  return {
    fileOf: (index) => `/tmp/${mark}-${index}`,
    found: async () => (await Promise.all([...new Set(hosts)].map((host) => foundOn(host, mark)))).flat(),
  };
}

async function foundOn(host: BedHost, mark: string): Promise<string[]> {
  // Not what is mounted below these: containers' files, which lie in their layers as well, and the
  // checkout, which nobody can write to.
  const search = await host.exec(['find', ...places, '-xdev', '-name', `${mark}*`], { limitMs: 120_000 });
  if (search.stderr.includes('No such file or directory') && search.stdout === '' && search.code > 1)
    throw new Error(search.stderr);
  // A name that holds such a command is a name; what a command leaves behind has no command in its path.
  return search.stdout
    .split('\n')
    .filter((path) => /\/tmp\/canary-[0-9a-f]+-[0-9]+$/.test(path) && !path.includes('touch'));
}
