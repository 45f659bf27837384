/** The disk that a folder is on, or will be on: that of the nearest folder above that is there. */
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Bytes that are free on it. */
export const freeBytes = (directory: string): Promise<number> =>
  ofNearest(directory, async (path) => {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  });

export const deviceOf = (directory: string): Promise<number> =>
  ofNearest(directory, async (path) => (await stat(path)).dev);

async function ofNearest<T>(directory: string, look: (path: string) => Promise<T>): Promise<T> {
  try {
    return await look(directory);
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isAbsent || directory === dirname(directory)) throw error;
    return ofNearest(dirname(directory), look);
  }
}
