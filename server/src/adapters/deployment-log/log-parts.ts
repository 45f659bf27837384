/**
 * The files of one log. `<id>.log` holds its beginning. When that is full, further parts stand in the folder
 * `<id>.parts`, each named by the position at which it begins; the oldest of them go, so that the newest
 * lines always have room. The names are the index of positions: nothing else has to be written down.
 */
import { open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

export interface LogPart {
  path: string;
  /** Position in the log of its first byte. */
  start: number;
}

export interface LogPaths {
  head: string;
  parts: string;
}

/** Files of the end that are kept, the one that is being written included. */
export const keptParts = 4;

/** Bytes of one file: the beginning has half of the whole, the end the other half. */
export function capacityOf({ start }: LogPart, limit: number): number {
  return start === 0 ? limit / 2 : limit / 2 / keptParts;
}

export function pathsOf(directory: string, id: string): LogPaths {
  const name = join(directory, id.replace(/[^A-Za-z0-9_-]/g, '_'));
  return { head: `${name}.log`, parts: `${name}.parts` };
}

/** In the order of their positions; the first may not be there yet. */
export async function partsOf({ head, parts }: LogPaths): Promise<[LogPart, ...LogPart[]]> {
  const names = await readdir(parts).catch(unlessAbsent([]));
  const later = names
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ path: join(parts, name), start: Number(name) }))
    .toSorted((left, right) => left.start - right.start);
  return [{ path: head, start: 0 }, ...later];
}

/** Undefined when it is not there, or went meanwhile. */
export function openPart({ path }: LogPart): Promise<FileHandle | undefined> {
  return open(path, 'r').catch(unlessAbsent(undefined));
}

export async function removeParts({ head, parts }: LogPaths): Promise<void> {
  await rm(head, { force: true });
  await rm(parts, { recursive: true, force: true });
}

function unlessAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value;
    throw error;
  };
}
