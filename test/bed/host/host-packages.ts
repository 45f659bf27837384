import { access, chmod, rm, writeFile } from 'node:fs/promises';
import { buildPackages } from '../../../images/images.ts';
import { mustRun, runCommand } from '../../../images/command.ts';

/** Debian packages that the bed needs on the machine. None of their services is started. */
export const hostPackages = [
  ...buildPackages,
  'docker.io',
  'containerd',
  'runc',
  'crun',
  'iptables',
  'iproute2',
  'openssh-server',
  'openssh-client',
  'tini',
  'busybox-static',
  'docker-registry',
  'apache2-utils',
  'curl',
  'git',
  'procps',
  'util-linux',
  'postgresql-15',
  'pebble',
  'rclone',
  'xz-utils',
  'bzip2',
  'tmux',
  // Opens encrypted backups as a person does.
  'age',
  // Its promtool checks what Berth tells monitoring systems.
  'prometheus',
] as const;

const policy = '/usr/sbin/policy-rc.d';

/**
 * Installs what is missing and gives its names. Needs root. Services are kept from starting by policy-rc.d.
 */
export async function installHostPackages(
  log: (line: string) => void,
  signal: AbortSignal,
  packages: readonly string[] = hostPackages,
): Promise<string[]> {
  const missing = await missingPackages(signal, packages);
  if (missing.length === 0) return [];
  log(`installing Debian packages: ${missing.join(' ')}`);
  const ownPolicy = await forbidServices();
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await mustRun(['apt-get', '-qq', 'update'], { limitMs: 120_000, signal, env });
    await mustRun(
      [
        'apt-get',
        '-o',
        'DPkg::Lock::Timeout=300',
        'install',
        '-y',
        '-qq',
        '--no-install-recommends',
        ...missing,
      ],
      { limitMs: 600_000, signal, env },
    );
  } finally {
    if (ownPolicy) await rm(policy);
  }
  return missing;
}

async function missingPackages(signal: AbortSignal, packages: readonly string[]): Promise<string[]> {
  const format = '${Package} ${db:Status-Abbrev}\n';
  const { stdout } = await runCommand(['dpkg-query', '--show', `--showformat=${format}`, ...packages], {
    limitMs: 20_000,
    signal,
  });
  const installed = new Set(
    stdout
      .split('\n')
      .filter((line) => line.includes(' ii'))
      .map((line) => line.split(' ')[0]),
  );
  return packages.filter((name) => !installed.has(name));
}

/** Gives true when it made the file; a machine's own policy is left as it is. */
async function forbidServices(): Promise<boolean> {
  const exists = await access(policy).then(
    () => true,
    () => false,
  );
  if (exists) return false;
  await writeFile(policy, '#!/bin/sh\nexit 101\n');
  await chmod(policy, 0o755);
  return true;
}
