import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { repositoryRoot } from '../../../images/build-context.ts';
import { mustRun, type Argv } from '../../../images/command.ts';
import { bareRoot, layNode, machineNode } from './bare-root.ts';
import { cached } from '../machine/cached.ts';
import { changesFolder } from './host-process.ts';
import { loadHost } from './host-record.ts';
import type { Making } from '../making.ts';
import { systems, type System, type SystemName } from './systems.ts';

/**
 * What a host's root may have besides the minimal machine's programs: Debian packages whose installation
 * another test shows.
 */
export const equipment = {
  bare: () => [],
  /** All that bin/up installs, and the machine's own Node.js with npm. */
  equipped: ({ packages }) => [
    ...packages,
    'openssh-client',
    'rclone',
    'xz-utils',
    'bzip2',
    'busybox-static',
    'procps',
  ],
  systemd: () => ['systemd', 'systemd-sysv', 'dbus', 'procps'],
  /** As somebody rents it: reached over SSH, with sudo. */
  reached: () => ['openssh-server', 'sudo', 'procps', 'iproute2'],
  /** What tests find on the machine's own root, for hosts of another system. */
  furnished: ({ packages }) => [
    ...packages,
    'openssh-server',
    'openssh-client',
    'rclone',
    'busybox-static',
    'procps',
    'iproute2',
    'tini',
    'sudo',
  ],
} as const satisfies Record<string, (system: System) => readonly string[]>;

export type BareKind = keyof typeof equipment;

/**
 * The lower folders of such a root, as overlayfs takes them; each kind is made once, then kept in the cache.
 */
export async function lowerFolders(kind: BareKind, system: SystemName, making: Making): Promise<string> {
  const base = await bareRoot(system, making.signal);
  const packages = equipment[kind](systems[system]);
  if (packages.length === 0) return base;
  const node = kind === 'equipped' ? await machineNode(making.signal) : undefined;
  const key = createHash('sha256')
    .update(JSON.stringify([base, packages, node]))
    .digest('hex')
    .slice(0, 16);
  const layer = await cached(`${kind}-${system}`, key, async (folder) => {
    await install(packages, system, folder, making);
    if (node !== undefined) await layNode(folder, node);
  });
  return `${layer}:${base}`;
}

/**
 * One more lower folder: the packages of this checkout's lockfile, as node_modules of a checkout at
 * /opt/berth of the host.
 */
export function dependenciesFolder(signal: AbortSignal): Promise<string> {
  return mustRun(['bash', join(repositoryRoot, 'bin/lib/kept-dependencies.sh')], {
    limitMs: 12 * 60_000,
    signal,
  });
}

/** Installs the packages on a bare host of a bed of its own; what that changed in its files is the layer. */
async function install(
  packages: readonly string[],
  system: SystemName,
  folder: string,
  { openBed, signal }: Making,
): Promise<void> {
  const bed = await openBed({ name: `equip-${system}-${process.pid}`, log: console.error, signal });
  try {
    const host = await bed.host('equip', { index: 1, root: 'bare', system });
    const must = async (...argv: Argv): Promise<void> => {
      const done = await host.exec(argv, { limitMs: 420_000 });
      if (done.code !== 0) throw new Error(`${argv.join(' ')} failed in the bed: ${done.stderr}`);
    };
    // No service may start: their settings would be the package's, and the host is thrown away.
    await must(
      'sh',
      '-c',
      'printf "#!/bin/sh\\nexit 101\\n" >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d',
    );
    await must('apt-get', 'update', '-q');
    await must(
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'apt-get',
      'install',
      '-y',
      '-q',
      '--no-install-recommends',
      '-o',
      'DPkg::Options::=--force-unsafe-io',
      ...packages,
    );
    await must(
      'sh',
      '-c',
      'rm -rf /usr/sbin/policy-rc.d /var/lib/apt/lists/* /var/cache/apt/*.bin && apt-get clean',
    );
    const upper = join(changesFolder(await loadHost(bed.name, host.name)), 'upper');
    await host.kill();
    // With attributes and device files: they are how overlayfs notes what a layer takes away.
    await mustRun(['cp', '-a', `${upper}/.`, folder], { limitMs: 120_000, signal });
  } finally {
    await bed.close();
  }
}
