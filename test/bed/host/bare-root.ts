import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { baseRecipeText, makeBaseRootfs, readBaseRecipe } from '../../../images/base-rootfs.ts';
import { mustRun } from '../../../images/command.ts';
import { aptOptions } from '../../images/test-images.ts';
import { cached } from '../machine/cached.ts';
import type { SystemName } from './systems.ts';

/** What the two commands of the README expect of a machine, besides Debian's minimum. */
const packages = ['ca-certificates', 'git', 'curl'];

/** The machine's own settings for npm and apt: without them neither may reach its registry from here. */
const settings = ['/root/.npmrc', '/etc/npmrc', '/usr/etc/npmrc', '/etc/apt/apt.conf.d/99artifact-registry'];

/** A folder with the root of a fresh Debian; made once, then kept in the cache. */
export async function bareRoot(system: SystemName, signal: AbortSignal): Promise<string> {
  const machine = await readBaseRecipe(packages, signal, system);
  const recipe = { ...machine, aptOptions: [...machine.aptOptions, ...aptOptions] };
  const contents = await Promise.all(settings.filter(existsSync).map((file) => readFile(file, 'utf8')));
  const key = createHash('sha256')
    .update(JSON.stringify([baseRecipeText(recipe), recipe.sources, contents]))
    .digest('hex')
    .slice(0, 16);
  return cached(`bare-${system}`, key, async (folder) => {
    const archive = `${folder}.tar`;
    const scratch = `${folder}.scratch`;
    // A run that was killed may have left them.
    await Promise.all([archive, scratch].map((path) => rm(path, { recursive: true, force: true })));
    await mkdir(scratch);
    try {
      await makeBaseRootfs(recipe, archive, scratch, signal);
      await mustRun(
        ['tar', '-xf', archive, '-C', folder, '--numeric-owner', '--xattrs', '--xattrs-include=*'],
        { limitMs: 120_000, signal },
      );
    } finally {
      await Promise.all([archive, scratch].map((path) => rm(path, { recursive: true, force: true })));
    }
    for (const file of settings.filter(existsSync)) await cp(file, join(folder, file));
  });
}

export interface MachineNode {
  version: string;
  binary: string;
  npm: string;
}

/** The Node.js of the machine, not the one among the project's dependencies. */
export async function machineNode(signal: AbortSignal): Promise<MachineNode> {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  // A run by npx has npm's settings of the project's own Node.js in its environment.
  const own = Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_'));
  const env = { ...Object.fromEntries(own), PATH: folders.join(':') };
  const found = folders.map((folder) => join(folder, 'node')).find(existsSync);
  if (found === undefined) throw new Error('The machine has no Node.js in its PATH.');
  const version = await mustRun([found, '--version'], { limitMs: 10_000, signal });
  const modules = await mustRun(['npm', 'root', '--global'], { limitMs: 20_000, signal, env });
  return { version, binary: realpathSync(found), npm: join(modules, 'npm') };
}

/** Puts it where a person's own Node.js would be. */
export async function layNode(root: string, node: MachineNode): Promise<void> {
  await cp(node.binary, join(root, 'usr/bin/node'));
  await cp(node.npm, join(root, 'usr/lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/bin', name));
}
