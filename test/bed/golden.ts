import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildImages, recipesHash } from '../../images/build.ts';
import { mustRun } from '../../images/command.ts';
import { imageNames, testImageNames } from '../../images/images.ts';
import { openBed } from './bed.ts';
import { cached } from './cached.ts';
import { diskFolder } from './layout.ts';

/** Debian's client: others on the machine may lack BuildKit. */
export const dockerCli = '/usr/bin/docker';

/** Parts of an engine's data that belong to the one engine that made them. */
const personal = ['swarm', 'network', 'containers', 'runtimes', 'tmp', 'builder', 'buildkit', 'volumes', 'plugins', 'trust', 'engine-id'];

/** Fills an engine's empty data folder with all images of `images/`; they are built once and then kept in the cache. */
export async function copyGolden(target: string, signal: AbortSignal): Promise<void> {
  const golden = await goldenData(signal);
  for (const entry of await readdir(golden)) {
    // An engine never changes a layer's file, it only removes it: hard links are safe and cost no space.
    const flags = entry === 'overlay2' ? '-al' : '-a';
    await mustRun(['cp', flags, join(golden, entry), target], { limitMs: 120_000, signal });
  }
}

/** The folder of a stopped engine's data that holds all images; made in a bed of its own when the cache lacks it. */
export async function goldenData(signal: AbortSignal): Promise<string> {
  return cached('golden', await recipesHash(signal), (folder) => makeGolden(folder, signal));
}

async function makeGolden(folder: string, signal: AbortSignal): Promise<void> {
  const bed = await openBed({ name: `golden-${process.pid}`, log: console.error, signal });
  try {
    const host = await bed.host('builder', { index: 1, engine: true });
    const dockerHost = `unix://${host.engineSocket}`;
    await buildImages({ dockerHost, dockerCli, names: [...imageNames, ...testImageNames], workDir: diskFolder(bed.name), log: console.error, signal });
    for (const kind of ['image', 'builder']) await mustRun([dockerCli, '--host', dockerHost, kind, 'prune', '--force'], { limitMs: 60_000, signal });
    await host.stop();
    const data = join(diskFolder(bed.name), 'builder', 'docker');
    await Promise.all(personal.map((name) => rm(join(data, name), { recursive: true, force: true })));
    await mustRun(['cp', '-al', `${data}/.`, folder], { limitMs: 120_000, signal });
  } finally {
    await bed.close();
  }
}
