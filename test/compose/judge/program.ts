/** Real docker compose, of Debian unstable: the judge of what a compose file means. */
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { baseRecipeText, makeBaseRootfs, readBaseRecipe } from '../../../images/base-rootfs.ts';
import { installHostPackages } from '../../bed/host/host-packages.ts';
import { cached } from '../../bed/machine/cached.ts';
import { aptOptions } from '../../images/test-images.ts';

/** The path of the program, whose package is unpacked once and kept in the cache. Needs root. */
export async function dockerCompose(signal: AbortSignal): Promise<string> {
  await installHostPackages(console.error, signal, ['mmdebstrap']);
  const machine = await readBaseRecipe(['docker-compose'], signal, 'sid');
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
  const folder = await cached('docker-compose', key, async (target) => {
    const scratch = `${target}.scratch`;
    await rm(scratch, { recursive: true, force: true });
    await mkdir(scratch);
    try {
      await makeBaseRootfs(recipe, join(target, 'root'), scratch, signal);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
  return join(folder, 'root/usr/libexec/docker/cli-plugins/docker-compose');
}
