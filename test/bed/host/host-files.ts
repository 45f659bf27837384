import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../../../images/command.ts';
import { changesFolder, diskTargets } from './host-process.ts';
import type { HostRecord } from './host-record.ts';
import { bedFolder, hostFolder } from '../layout.ts';
import { addressOf } from '../machine/network.ts';
import { trustRegistry } from '../registry.ts';

/** Lays out a new host's folders and the few files in which it differs from what its root shows. */
export async function layOutHost(record: HostRecord): Promise<void> {
  const folder = hostFolder(record.bed, record.name);
  const changes = changesFolder(record);
  const folders = ['run', 'root'].map((name) => join(folder, name));
  const sources = diskTargets(record).map(({ source }) => source);
  for (const path of [...folders, ...sources, join(changes, 'work'), join(changes, 'upper', 'etc')])
    await mkdir(path, { recursive: true });
  const etc = join(changes, 'upper', 'etc');
  await writeFile(join(etc, 'hostname'), `${record.name}\n`);
  await writeFile(
    join(etc, 'hosts'),
    `127.0.0.1 localhost\n${addressOf(record.net, record.index)} ${record.name}\n`,
  );
  await writeFile(join(etc, 'resolv.conf'), await nameServers());
  await trustRegistry(record);
  if (record.sshd) await layOutSshd(record, folder);
}

/** Names of the files, below the host's /run/bed, that its sshd uses. */
const sshFiles = {
  config: 'sshd_config',
  hostKey: 'ssh_host_ed25519_key',
  authorized: 'authorized_keys',
} as const;

export const sshdConfigInside = `/run/bed/${sshFiles.config}`;

/** The public half of the host's SSH key, as "ssh-ed25519 AAAA…". */
export async function hostKeyOf(record: HostRecord): Promise<string> {
  const text = await readFile(
    join(hostFolder(record.bed, record.name), 'run', `${sshFiles.hostKey}.pub`),
    'utf8',
  );
  return text.split(' ').slice(0, 2).join(' ');
}

export function clientKeyPath(bed: string): string {
  return join(bedFolder(bed), 'id_ed25519');
}

/** Makes an ed25519 key pair without a passphrase. */
export async function makeKey(path: string, comment: string): Promise<void> {
  await mustRun(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', path], {
    limitMs: 10_000,
  });
}

async function layOutSshd(record: HostRecord, folder: string): Promise<void> {
  const run = join(folder, 'run');
  await makeKey(join(run, sshFiles.hostKey), record.name);
  await copyFile(`${clientKeyPath(record.bed)}.pub`, join(run, sshFiles.authorized));
  await chmod(join(run, sshFiles.authorized), 0o600);
  await writeFile(
    join(run, sshFiles.config),
    [
      'Port 22',
      `HostKey /run/bed/${sshFiles.hostKey}`,
      // The second is where a person puts keys.
      `AuthorizedKeysFile /run/bed/${sshFiles.authorized} .ssh/authorized_keys`,
      // The keys lie below a folder of the machine, whose owner and mode are not the host's affair.
      'StrictModes no',
      'PermitRootLogin prohibit-password',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'UsePAM no',
      'PrintMotd no',
      'PidFile /run/sshd.pid',
      'Subsystem sftp internal-sftp',
      '',
    ].join('\n'),
  );
}

/**
 * The machine's name servers; a resolver on a loopback address cannot be reached from a host, so the ones
 * behind it.
 */
async function nameServers(): Promise<string> {
  const text = await readFile('/etc/resolv.conf', 'utf8');
  const behind = '/run/systemd/resolve/resolv.conf';
  return /^nameserver\s+127\./m.test(text) && existsSync(behind) ? readFile(behind, 'utf8') : text;
}
