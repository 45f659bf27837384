import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheRoot } from '../layout.ts';
import { withLock } from './lock.ts';

/** An entry unused for this long is removed when a new one of its kind is made: 3 days in milliseconds. */
const keepMs = 3 * 24 * 3600 * 1000;

/**
 * Gives the cache's folder `<kind>-<key>`, made by `make` beside its place and then renamed, so that it is
 * whole or absent. Of several processes that want it, one makes it and the others wait for that one.
 */
export async function cached(
  kind: string,
  key: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(cacheRoot(), `${kind}-${key}`);
  await mkdir(cacheRoot(), { recursive: true });
  if (!existsSync(folder)) await withLock(`${folder}.lock`, () => makeUnlessThere(kind, folder, make));
  const now = new Date();
  await utimes(folder, now, now);
  return folder;
}

async function makeUnlessThere(
  kind: string,
  folder: string,
  make: (folder: string) => Promise<void>,
): Promise<void> {
  if (existsSync(folder)) return;
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft);
  try {
    await make(draft);
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await removeUnused(kind, folder);
}

async function removeUnused(kind: string, except: string): Promise<void> {
  const entries = (await readdir(cacheRoot())).filter(
    (name) => name.startsWith(`${kind}-`) && !name.endsWith('.lock'),
  );
  for (const name of entries) {
    const folder = join(cacheRoot(), name);
    if (folder === except) continue;
    if (Date.now() - (await stat(folder)).mtimeMs > keepMs)
      await rm(folder, { recursive: true, force: true });
  }
}
