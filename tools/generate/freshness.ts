import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Generated {
  /** Path from the root → content. */
  files: ReadonlyMap<string, string>;
  /** Folder that holds nothing else. */
  folder: string;
}

/** What differs between the disk and what the definitions give; empty when all is fresh. */
export async function staleFiles(root: string, { files, folder }: Generated): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, content] of files) {
    const present = await unlessAbsent(readFile(join(root, path), 'utf8'));
    if (present !== content)
      stale.push(present === undefined ? `${path} is missing` : `${path} is not fresh`);
  }
  for (const name of (await unlessAbsent(readdir(join(root, folder)))) ?? []) {
    if (!files.has(`${folder}/${name}`)) stale.push(`${folder}/${name} belongs to nothing any more`);
  }
  return stale;
}

async function unlessAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
