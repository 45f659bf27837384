import { join } from 'node:path';

/** Where beds keep their state: one tmpfs per bed, holding keys, sockets, logs and the hosts' changed files. */
export const stateRoot = '/run/berth-test';

/** Kept between runs: engines' images and the minimal machine. Also holds, on the same disk, what running beds write. */
export function cacheRoot(): string {
  return process.env['BERTH_TEST_CACHE'] ?? '/var/cache/berth-test';
}

/** Where node keeps what it compiled of a Berth on an overlay host: one folder for all, since each has a data folder that is new. node checks what it finds there against the source. */
export const compiled = { inside: '/var/cache/berth-compiled', folder: (): string => join(cacheRoot(), 'compiled') } as const;

export function bedFolder(bed: string): string {
  return join(stateRoot, bed);
}

export function hostFolder(bed: string, host: string): string {
  return join(bedFolder(bed), host);
}

/** A bed's files that need a real disk, such as engines' data: on the cache's disk, so that they can be hard links. */
export function diskFolder(bed: string): string {
  return join(cacheRoot(), 'run', bed);
}

export const scriptFolder = import.meta.dirname;
