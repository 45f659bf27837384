/** Reads of a checkout what detection looks at: the names of its files, and the texts of a few. */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { viewOfFiles } from '../../domain/builds/builds.ts';
import { isSkipped, viewLimits, type SourceFiles } from '../../domain/builds/source-files.ts';

/**
 * The view of a folder that somebody else filled. Links are left out, so that nothing outside it is read;
 * of a source beyond the limits the files nearest to its root are seen.
 */
export async function viewOf(root: string): Promise<SourceFiles> {
  const files = new Map<string, string>();
  let folders = [''];
  for (let depth = 0; depth < viewLimits.depth && folders.length > 0; depth += 1) {
    const deeper: string[] = [];
    for (const folder of folders) {
      if (files.size >= viewLimits.paths) break;
      for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory() && !isSkipped(entry.name)) deeper.push(path);
        if (entry.isFile()) files.set(path, join(root, path));
      }
    }
    folders = deeper.toSorted();
  }
  return viewOfFiles(files, beginningOf);
}

async function beginningOf(path: string, mostBytes: number): Promise<Uint8Array> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(mostBytes) });
  return buffer.subarray(0, bytesRead);
}
