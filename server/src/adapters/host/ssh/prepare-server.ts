/** What Berth needs on a server before anything else: its folders, and the probe of health checks. */
import { createReadStream } from 'node:fs';
import { AppError } from '../../../domain/errors.ts';
import type { HostFolders } from '../../../ports/host/host.ts';
import type { RunThere } from './remote-files.ts';
import type { SshClient } from './ssh-client.ts';

export interface ServerPlaces {
  folders: HostFolders;
  probe: string;
  /** Of this machine. */
  localProbe: string;
  ssh: SshClient;
}

/** As uname(1) calls what Node.js runs on. */
const architectures: Partial<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

const makeFolders =
  'umask 077; mkdir -p -- "$2" "$3" "${4%/*}" "$6" && chown -- "$5" "$1" "$2" && ' +
  'chmod 711 -- "$1" "$6" && ' +
  'uname -m && if [ -x "$4" ]; then echo there; fi';
const putProbe = 'cat > "$1.part" && chmod 755 "$1.part" && exec mv -f -- "$1.part" "$1"';

/** Throws SERVICE_UNAVAILABLE when the server cannot be prepared, such as with a full disk. */
export async function prepareServer(
  run: RunThere,
  { folders, probe, localProbe, ssh: { target } }: ServerPlaces,
): Promise<void> {
  const made = await run([
    'sh',
    '-c',
    makeFolders,
    'sh',
    folders.data,
    folders.proxy,
    folders.composes,
    probe,
    target.username,
    folders.builders,
  ]);
  if (made.code !== 0)
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `Berth's folder ${folders.data} cannot be made on ${target.serverName}: ` +
        `${made.stderr.trim().slice(0, 300)}.`,
    );
  const [machine, hasProbe] = made.stdout.split('\n');
  if (hasProbe === 'there' || machine !== architectures[process.arch]) return;
  const content = createReadStream(localProbe);
  // Without one, health is what the program itself says (facts, hasProbe).
  if (!(await opens(content))) return;
  await run(['sh', '-c', putProbe, 'sh', probe], { stdin: content });
}

function opens(stream: ReturnType<typeof createReadStream>): Promise<boolean> {
  return new Promise((resolve) => {
    stream.once('open', () => resolve(true));
    stream.once('error', () => resolve(false));
  });
}
