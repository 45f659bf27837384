/** Debian's sshd as an SFTP server for tests, with keys and users of its own on a port of 127.0.0.1. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { mustRun } from '../../images/command.ts';
import { onFreePort, saysTaken } from '../free-port.ts';

export interface SftpServer {
  /** `sftp://user@127.0.0.1:port` */
  address: string;
  /** Public keys of the server, one a line. */
  hostKey: string;
  /** The private key that it accepts. */
  privateKey: string;
  stop(): Promise<void>;
}

const limits = { limitMs: 30_000 } as const;

/** Starts it with its files in this folder. Needs Debian's openssh-server; signs in this process's user. */
export async function startSftp(folder: string): Promise<SftpServer> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const keys = ['rsa', 'ecdsa', 'ed25519'].map((type) => [type, join(folder, `host_${type}`)] as const);
  for (const [type, file] of [...keys, ['ed25519', join(folder, 'user')] as const])
    await mustRun(['ssh-keygen', '-q', '-t', type, '-N', '', '-f', file], limits);
  // Where sshd as root waits in; the package makes it at a start by systemd.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const hostKey = (await Promise.all(keys.map(([, file]) => readFile(`${file}.pub`, 'utf8')))).join('');
  const privateKey = await readFile(join(folder, 'user'), 'utf8');
  return onFreePort(
    '127.0.0.1',
    async (port) => ({
      address: `sftp://${userInfo().username}@127.0.0.1:${port}`,
      hostKey,
      privateKey,
      stop: await startAt(folder, keys, port),
    }),
    saysTaken,
  );
}

async function startAt(
  folder: string,
  keys: readonly (readonly [string, string])[],
  port: number,
): Promise<() => Promise<void>> {
  const settings = join(folder, 'sshd_config');
  await writeFile(
    settings,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      ...keys.map(([, file]) => `HostKey ${file}`),
      `AuthorizedKeysFile ${join(folder, 'user.pub')}`,
      'StrictModes no',
      'UsePAM no',
      'PidFile none',
      'PasswordAuthentication no',
      'Subsystem sftp internal-sftp',
      'ForceCommand internal-sftp',
      '',
    ].join('\n'),
  );
  const server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  let said = '';
  const listens = new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (text: Buffer) => {
      said += text.toString();
      if (said.includes(`Server listening on 127.0.0.1 port ${port}`)) resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`sshd ended: ${said}`)));
  });
  await listens;
  return async () => {
    server.kill('SIGKILL');
    await ended;
  };
}
