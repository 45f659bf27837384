/** Reads of a checkout what detection looks at: the names of its files, and the texts of a few. */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRead } from '../../domain/builds/builds.ts';
import { evened, isSkipped, viewLimits, type SourceFiles } from '../../domain/builds/source-files.ts';

/**
 * The view of a folder that somebody else filled. Links are left out, so that nothing outside it is read;
 * of a source beyond the limits the files nearest to its root are seen.
 */
export async function viewOf(root: string): Promise<SourceFiles> {
  const paths = new Set<string>();
  const texts = new Map<string, string>();
  let folders = [''];
  for (let depth = 0; depth < viewLimits.depth && folders.length > 0; depth += 1) {
    const deeper: string[] = [];
    for (const folder of folders) {
      if (paths.size >= viewLimits.paths) break;
      for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory() && !isSkipped(entry.name)) deeper.push(path);
        if (entry.isFile() && paths.size < viewLimits.paths) paths.add(path);
      }
    }
    folders = deeper.toSorted();
  }
  for (const path of paths)
    if (texts.size < viewLimits.texts && isRead(path))
      texts.set(path, evened(path, await beginningOf(join(root, path))));
  return { paths, texts };
}

async function beginningOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(viewLimits.textBytes);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
