/** Packages of Debian unstable, unpacked beside the machine's own system. */
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { baseRecipeText, makeBaseRootfs, readBaseRecipe } from '../../../images/base-rootfs.ts';
import { aptOptions } from '../../images/test-images.ts';
import { installHostPackages } from '../host/host-packages.ts';
import { cached } from './cached.ts';

/** The folder with the packages and all that they need, unpacked once and kept in the cache. Needs root. */
export async function unpackedPackages(
  kind: string,
  packages: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  await installHostPackages(console.error, signal, ['mmdebstrap']);
  const machine = await readBaseRecipe(packages, signal, 'sid');
  const recipe = {
    ...machine,
    variant: 'extract' as const,
    certificates: [],
    aptOptions: [...machine.aptOptions, ...aptOptions],
  };
  const key = createHash('sha256')
    .update(JSON.stringify([baseRecipeText(recipe), recipe.sources]))
    .digest('hex')
    .slice(0, 16);
  const folder = await cached(kind, key, async (target) => {
    const scratch = `${target}.scratch`;
    await rm(scratch, { recursive: true, force: true });
    await mkdir(scratch);
    try {
      await makeBaseRootfs(recipe, join(target, 'root'), scratch, signal);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
  return join(folder, 'root');
}
