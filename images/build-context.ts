import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readFile, readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../server/src/domain/errors.ts';
import { mustRun } from './command.ts';
import { npmForNodeImage } from './images.ts';

/** The repository's root: the folder of package.json, from the sources as well as from `dist/`. */
export const repositoryRoot = findRoot(import.meta.dirname);

export const recipesFolder = join(repositoryRoot, 'images', 'recipes');

/** The Node.js 24 program that the project's own dependencies carry for this machine's architecture. */
export function nodeBinary(): string {
  const path = join(repositoryRoot, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  if (existsSync(path)) return path;
  throw new AppError('PRECONDITION_FAILED', `${path} is missing; run "npm ci --ignore-scripts" in ${repositoryRoot} first.`);
}

/** Lays out what one image's Dockerfile copies: its recipe and, for the Node image, node and npm. */
export async function makeContext(folder: string, context: string, signal: AbortSignal): Promise<void> {
  await cp(join(recipesFolder, folder), context, { recursive: true });
  if (folder !== 'node') return;
  await copyFile(nodeBinary(), join(context, 'node'));
  await fetchNpm(context, signal);
}

/** Everything that makes an image's recipe besides its base, as one text to hash. */
export async function recipeText(folder: string): Promise<string> {
  const root = join(recipesFolder, folder);
  const files = (await readdir(root)).toSorted();
  const texts = await Promise.all(files.map(async (file) => `${file}\n${await readFile(join(root, file), 'utf8')}`));
  if (folder === 'node') texts.push(await nodePackageVersion(), npmForNodeImage.version);
  return texts.join('\n');
}

async function nodePackageVersion(): Promise<string> {
  return readFile(join(nodeBinary(), '..', '..', 'package.json'), 'utf8');
}

async function fetchNpm(context: string, signal: AbortSignal): Promise<void> {
  const packed = await mustRun(['npm', 'pack', '--silent', '--pack-destination', context, `npm@${npmForNodeImage.version}`], { limitMs: 120_000, signal, cwd: context });
  const archive = join(context, packed.trim().split('\n').at(-1) ?? '');
  const digest = `sha512-${createHash('sha512').update(await readFile(archive)).digest('base64')}`;
  if (digest !== npmForNodeImage.integrity) {
    throw new AppError('INTERNAL_SERVER_ERROR', `npm ${npmForNodeImage.version} from the registry has the digest ${digest}, not the expected one; nothing was built from it.`);
  }
  const target = join(context, 'npm');
  await mkdir(target);
  await mustRun(['tar', '-xzf', archive, '-C', target, '--strip-components=1', '--no-same-owner'], { limitMs: 60_000, signal });
}

function findRoot(from: string): string {
  for (let folder = from; folder !== '/'; folder = join(folder, '..')) {
    if (existsSync(join(folder, 'package-lock.json'))) return folder;
  }
  throw new AppError('INTERNAL_SERVER_ERROR', `No package-lock.json above ${from}: the image recipes are only usable inside the repository.`);
}
