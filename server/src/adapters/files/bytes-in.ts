/** The disk that the files of a folder take. */
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** A block of stat(2). */
const blockBytes = 512;

/** What goes away while it is counted counts for nothing; counting ends beyond `most`. */
export async function bytesIn(directory: string, most: number): Promise<number> {
  let bytes = 0;
  const folders = [directory];
  for (let folder = folders.pop(); folder !== undefined && bytes <= most; folder = folders.pop()) {
    const entries = await opendir(folder).catch(() => undefined);
    if (!entries) continue;
    for await (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const found = await lstat(path).catch(() => undefined);
      bytes += (found?.blocks ?? 0) * blockBytes;
      if (bytes > most) break;
    }
  }
  return bytes;
}
