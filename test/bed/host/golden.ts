import { existsSync } from 'node:fs';
import { cp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buildImages, recipesHash } from '../../../images/build.ts';
import { mustRun } from '../../../images/command.ts';
import { aptOptions, testImages } from '../../images/test-images.ts';
import { cached } from '../machine/cached.ts';
import { diskFolder, goldenInside } from '../layout.ts';
import type { Making } from '../making.ts';

/** Debian's client: others on the machine may lack BuildKit. */
export const dockerCli = '/usr/bin/docker';

/** Parts of an engine's data that belong to the one engine that made them. */
const personal = [
  'swarm',
  'network',
  'containers',
  'runtimes',
  'tmp',
  'builder',
  'buildkit',
  'volumes',
  'plugins',
  'trust',
  'engine-id',
];

/**
 * Fills an engine's empty data folder with all images of `images/`; they are built once and then kept in the
 * cache. An engine never changes a layer's file and removes a layer with its folder, so a link leads to the
 * files where the host shows the cache's: no file of an image is copied or removed.
 */
export async function layGolden(target: string, golden: string): Promise<void> {
  const layers = join(golden, 'overlay2');
  // Of a layer's folder what the engine notes there; below stand the files, and what the making of the layer
  // left behind.
  const isNoted = (path: string): boolean => {
    const [, entry, ...below] = relative(layers, path).split('/');
    return path.startsWith(layers) ? entry !== 'diff' && below.length === 0 : true;
  };
  await cp(golden, target, { recursive: true, verbatimSymlinks: true, filter: isNoted });
  for (const layer of await readdir(layers)) {
    if (!existsSync(join(layers, layer, 'diff'))) continue;
    await symlink(join(goldenInside, 'overlay2', layer, 'diff'), join(target, 'overlay2', layer, 'diff'));
    // As the engine notes with a layer's first child: nothing writes to it any more. Without it a push mounts
    // the layer to write.
    await writeFile(join(target, 'overlay2', layer, 'committed'), '', { mode: 0o600 });
  }
}

/**
 * The folder of a stopped engine's data that holds all images; made in a bed of its own when the cache lacks
 * it.
 */
export async function goldenData(making: Making): Promise<string> {
  return cached('golden', await recipesHash(testImages, making.signal), (folder) =>
    makeGolden(folder, making),
  );
}

async function makeGolden(folder: string, { openBed, signal }: Making): Promise<void> {
  const bed = await openBed({ name: `golden-${process.pid}`, log: console.error, signal });
  try {
    const host = await bed.host('builder', { index: 1, engine: true, system: 'bookworm' });
    const dockerHost = `unix://${host.engineSocket}`;
    await buildImages({
      dockerHost,
      dockerCli,
      rows: testImages,
      names: Object.keys(testImages),
      aptOptions,
      workDir: diskFolder(bed.name),
      log: console.error,
      signal,
    });
    for (const kind of ['image', 'builder'])
      await mustRun([dockerCli, '--host', dockerHost, kind, 'prune', '--force'], { limitMs: 60_000, signal });
    await host.stop();
    const data = join(diskFolder(bed.name), 'builder', 'docker');
    await Promise.all(personal.map((name) => rm(join(data, name), { recursive: true, force: true })));
    await mustRun(['cp', '-a', `${data}/.`, folder], { limitMs: 120_000, signal });
  } finally {
    await bed.close();
  }
}
