/**
 * Debian's packages: what is missing is installed, nothing is removed, no service is started behind our back.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../server/src/domain/errors.ts';
import type { Layout } from '../layout.ts';
import { recordMade } from '../made.ts';
import { runCommand, tryCommand } from '../process/run-command.ts';
import { systemdRuns } from '../starters/systemd.ts';

export interface AptOptions {
  /** Where installed packages are recorded. */
  layout: Pick<Layout, 'data'>;
  signal: AbortSignal;
  say: (line: string) => void;
}

const environment = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
const installLimitMs = 15 * 60_000;
const policyFile = '/usr/sbin/policy-rc.d';

/**
 * Installs the packages that are not there; throws PRECONDITION_FAILED where this is no Debian-like system.
 */
export async function installPackages(packages: readonly string[], options: AptOptions): Promise<void> {
  const missing = await missingPackages(packages, options.signal);
  if (missing.length === 0) return;
  requireApt(missing);
  options.say(`installs Debian's ${missing.join(', ')}`);
  await withoutServiceStart(async () => {
    const install = [
      'apt-get',
      'install',
      '-y',
      '-q',
      '--no-install-recommends',
      '--no-remove',
      '-o',
      'DPkg::Lock::Timeout=300',
      ...missing,
    ] as const;
    await updateLists(options);
    await runCommand(install, { signal: options.signal, limitMs: installLimitMs, env: environment });
    recordMade(options.layout, { packages: missing });
  });
}

/** Fetches a package's file without installing it and gives the folder with its unpacked content. */
export async function unpackPackage(name: string, folder: string, options: AptOptions): Promise<string> {
  requireApt([name]);
  options.say(`fetches Debian's ${name} (unpacked, not installed)`);
  await updateLists(options);
  const base = { signal: options.signal, limitMs: installLimitMs, env: environment, cwd: folder };
  await runCommand(['apt-get', 'download', '-q', '-o', 'APT::Sandbox::User=root', name], base);
  const content = join(folder, 'content');
  const listed = await runCommand(['find', folder, '-maxdepth', '1', '-name', '*.deb'], base);
  const file = listed.stdout.trim().split('\n')[0];
  if (file === undefined || file === '')
    throw new AppError('PRECONDITION_FAILED', `apt-get download gave no file for ${name}.`);
  await runCommand(['dpkg-deb', '--extract', file, content], base);
  return content;
}

async function missingPackages(packages: readonly string[], signal: AbortSignal): Promise<string[]> {
  const missing: string[] = [];
  for (const name of packages) {
    const status = await tryCommand(['dpkg-query', '-W', '-f=${Status}', name], { signal, limitMs: 30_000 });
    if (!status.stdout.includes('ok installed')) missing.push(name);
  }
  return missing;
}

let listsAreFresh = false;

/** Once a run: lists of a machine that was just made are empty or point to packages that are gone. */
async function updateLists(options: AptOptions): Promise<void> {
  if (listsAreFresh) return;
  await runCommand(['apt-get', 'update', '-q', '-o', 'DPkg::Lock::Timeout=300'], {
    signal: options.signal,
    limitMs: installLimitMs,
    env: environment,
  });
  listsAreFresh = true;
}

/**
 * Where no systemd runs, a package's init script would start its daemon with settings of its own and without
 * a record of ours; Debian's policy-rc.d (exit code 101 = not allowed) holds it back. An existing policy
 * stays as it is.
 */
async function withoutServiceStart(install: () => Promise<void>): Promise<void> {
  if (systemdRuns() || existsSync(policyFile)) return install();
  writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' });
  try {
    await install();
  } finally {
    rmSync(policyFile, { force: true });
  }
}

export const hasApt = (): boolean => existsSync('/usr/bin/apt-get');

function requireApt(packages: readonly string[]): void {
  if (hasApt()) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${packages.join(', ')} is missing and this system has no apt-get. Install it by this system's own ` +
      'means and run the command again.',
  );
}
