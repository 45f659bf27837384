import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';

/**
 * Where beds keep their state: one tmpfs per bed, holding keys, sockets, logs and the hosts' changed files.
 */
export const stateRoot = '/run/berth-test';

/** Kept between runs: engines' images and the minimal machine. Also holds what running beds write. */
export function cacheRoot(): string {
  return process.env['BERTH_TEST_CACHE'] ?? '/var/cache/berth-test';
}

/**
 * Where node keeps what it compiled of a Berth on an overlay host: one folder for all, since each has a data
 * folder that is new. node checks what it finds there against the source.
 */
export const compiled = {
  inside: '/var/cache/berth-compiled',
  folder: (): string => join(cacheRoot(), 'compiled'),
} as const;

/**
 * Where a host whose engine has the images sees the cache's copy of them, which it may only read. Not in
 * /run, where a started systemd lays a folder of its own.
 */
export const goldenInside = '/var/cache/berth-images';

export function bedFolder(bed: string): string {
  return join(stateRoot, bed);
}

export function hostFolder(bed: string, host: string): string {
  return join(bedFolder(bed), host);
}

/** A folder for the disks of each bed that lie on the cache's own. */
export function disksFolder(): string {
  return join(cacheRoot(), 'run');
}

/**
 * In bytes. An engine makes and removes ten thousand small files, which costs ext4 three times what it costs
 * tmpfs, so beds' disks lie in memory where there is this much.
 */
const enoughMemory = 16 * 1024 ** 3;

/** A bed's files that cannot lie on a host's own overlay, such as engines' data. */
export function diskFolder(bed: string): string {
  return totalmem() >= enoughMemory ? join(bedFolder(bed), '.disk') : realDiskFolder(bed);
}

/** The same on the cache's disk, also where there is enough memory, for hosts that ask for it. */
export function realDiskFolder(bed: string): string {
  return join(disksFolder(), bed);
}

/** A folder in memory that every Linux machine has; null where somebody took it away. */
export const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : null;

export const scriptFolder = import.meta.dirname;
