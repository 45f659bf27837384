import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheRoot } from './layout.ts';
import { identify, isAlive, waitUntil, type ProcessIdentity } from './process-identity.ts';

/** An entry unused for this long is removed when a new one of its kind is made: 3 days in milliseconds. */
const keepMs = 3 * 24 * 3600 * 1000;

/**
 * Gives the cache's folder `<kind>-<key>`, made by `make` beside its place and then renamed, so that it is whole or absent.
 * Of several processes that want it, one makes it and the others wait for that one.
 */
export async function cached(kind: string, key: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheRoot(), `${kind}-${key}`);
  await mkdir(cacheRoot(), { recursive: true });
  if (!existsSync(folder)) await withLock(`${folder}.lock`, () => makeUnlessThere(kind, folder, make));
  const now = new Date();
  await utimes(folder, now, now);
  return folder;
}

async function makeUnlessThere(kind: string, folder: string, make: (folder: string) => Promise<void>): Promise<void> {
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
  const entries = (await readdir(cacheRoot())).filter((name) => name.startsWith(`${kind}-`) && !name.endsWith('.lock'));
  for (const name of entries) {
    const folder = join(cacheRoot(), name);
    if (folder === except || existsSync(`${folder.replace(/\.new$/, '')}.lock`)) continue;
    if (Date.now() - (await stat(folder)).mtimeMs > keepMs) await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the action while holding the lock folder; a lock whose holder has died is taken over. Waits at most 12 minutes. */
async function withLock(lock: string, action: () => Promise<void>): Promise<void> {
  const taken = await waitUntil(() => takeLock(lock), 12 * 60_000);
  if (!taken) throw new Error(`${lock} is held by another run for more than 12 minutes; remove it if nothing uses it.`);
  try {
    await action();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function takeLock(lock: string): Promise<boolean> {
  const self = await identify(process.pid);
  // The holder's identity is part of the folder from its first moment: it is made aside and renamed into place.
  const draft = `${lock}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  await writeFile(join(draft, 'holder'), `${self?.pid} ${self?.startTime}`);
  const won = await rename(draft, lock).then(() => true, () => false);
  if (won) return true;
  await rm(draft, { recursive: true, force: true });
  const holder = await holderOf(lock);
  if (holder !== null && !(await isAlive(holder))) await rm(lock, { recursive: true, force: true });
  return false;
}

async function holderOf(lock: string): Promise<ProcessIdentity | null> {
  const text = await readFile(join(lock, 'holder'), 'utf8').catch(() => '');
  const [pid, startTime] = text.split(' ');
  return pid === undefined || startTime === undefined ? null : { pid: Number(pid), startTime };
}
