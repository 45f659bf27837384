/**
 * Remembers in the cache that bin/up was seen to build every image on a bare machine, so that the next run
 * with the same sources need not see it again.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recipesHash } from '../../images/build.ts';
import { repositoryRoot } from '../../images/build-context.ts';
import { cached } from '../bed/cached.ts';
import { cacheRoot } from '../bed/layout.ts';

const kind = 'from-nothing';

export async function wasSeenFromNothing(signal: AbortSignal): Promise<boolean> {
  return existsSync(join(cacheRoot(), `${kind}-${await sourcesHash(signal)}`));
}

export async function rememberSeenFromNothing(signal: AbortSignal): Promise<void> {
  await cached(kind, await sourcesHash(signal), async () => undefined);
}

/** Of all that takes part in setting a machine up. */
async function sourcesHash(signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256').update(await recipesHash(signal));
  for (const folder of ['bin', 'images', 'setup', 'example']) {
    for (const entry of (
      await readdir(join(repositoryRoot, folder), { recursive: true, withFileTypes: true })
    ).toSorted((one, other) =>
      `${one.parentPath}/${one.name}`.localeCompare(`${other.parentPath}/${other.name}`),
    )) {
      if (entry.isFile() && !entry.parentPath.includes('node_modules'))
        hash.update(entry.name).update(await readFile(join(entry.parentPath, entry.name)));
    }
  }
  return hash.digest('hex').slice(0, 24);
}
