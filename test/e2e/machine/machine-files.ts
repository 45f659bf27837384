/** Files of a machine, for what a set-up leaves there. */
import type { BedHost } from '../../bed/host/host.ts';

/**
 * Files and folders that belong to no Debian package and to nothing that changes by itself: the engine's and
 * apt's own data, logs, the kernel's folders, the bed's and the checkout's.
 */
const passedOver = [
  '/proc',
  '/sys',
  '/dev',
  '/tmp',
  '/var/tmp',
  '/var/log',
  '/var/cache',
  '/var/lib/apt',
  '/var/lib/dpkg',
  '/var/lib/docker',
  '/var/lib/containerd',
  '/opt/containerd',
  '/run/bed',
  '/run/docker',
  '/run/containerd',
  '/opt/berth',
  '/root/.npm',
];

/** Sorted paths. */
export async function machineFiles(host: BedHost): Promise<string[]> {
  const pruned = passedOver.flatMap((path) => ['-path', path, '-prune', '-o']);
  const listed = await host.exec(['find', '/', ...pruned, '-print'], { limitMs: 120_000 });
  const owned = await host.exec(['bash', '-c', 'cat /var/lib/dpkg/info/*.list'], { limitMs: 60_000 });
  // A package may call /usr/lib by its former name /lib.
  const ofPackages = new Set(
    owned.stdout.split('\n').flatMap((path) => [path, path.replace(/^\/(lib|bin|sbin)/, '/usr/$1')]),
  );
  return listed.stdout
    .split('\n')
    .filter((path) => path !== '' && !path.includes('/__pycache__') && !ofPackages.has(path))
    .toSorted();
}
