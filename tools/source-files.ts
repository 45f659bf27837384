import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Folders that hold nothing of ours, wherever they stand: installed, built, kept. */
const skipped = new Set(['node_modules', 'dist', '.git', '.cache']);

/** Every file below the root that is ours, as paths with slashes relative to it, sorted. */
export async function sourceFiles(root: string): Promise<string[]> {
  const files: string[] = [];
  const pending = [root];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (skipped.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else files.push(relative(root, path));
    }
  }
  return files.toSorted();
}
