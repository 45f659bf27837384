import { copyFile, cp, readFile, readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../server/src/domain/errors.ts';
import { mustRun } from './command.ts';
import type { Extra, ImageRow } from './image-row.ts';

/** The repository's root: the folder of package.json, from the sources as well as from `dist/`. */
export const repositoryRoot = findRoot(import.meta.dirname);

/** The Node.js 24 program that the project's own dependencies carry for this machine's architecture. */
export function nodeBinary(): string {
  const path = join(repositoryRoot, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  if (existsSync(path)) return path;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${path} is missing; run "npm ci --ignore-scripts" in ${repositoryRoot} first.`,
  );
}

/** Node.js 24 and npm for the image that has both. */
export const nodeAndNpm: Extra = {
  async lay(context, signal) {
    await copyFile(nodeBinary(), join(context, 'node'));
    await layNpm(join(context, 'npm'), signal);
  },
  text: async () => `${await nodePackageVersion()}\n${(await pinnedNpm()).version}`,
};

/** Lays out what one image's Dockerfile copies. */
export async function makeContext(
  { recipe = '', extra }: ImageRow,
  context: string,
  signal: AbortSignal,
): Promise<void> {
  await cp(join(repositoryRoot, recipe), context, { recursive: true });
  await extra?.lay(context, signal);
}

/** Everything that makes an image's recipe besides its base, as one text to hash. */
export async function recipeText({ recipe = '', extra, from = '', args = {} }: ImageRow): Promise<string> {
  const root = join(repositoryRoot, recipe);
  const files = (await readdir(root)).toSorted();
  const texts = await Promise.all(
    files.map(async (file) => `${file}\n${await readFile(join(root, file), 'utf8')}`),
  );
  const added = await extra?.text();
  return [...texts, ...(added === undefined ? [] : [added]), JSON.stringify([from, args])].join('\n');
}

/** A release has npm beside Node.js, so that it asks no registry; a checkout fetches it. */
async function layNpm(target: string, signal: AbortSignal): Promise<void> {
  const released = join(repositoryRoot, 'node_modules', 'npm');
  if (existsSync(join(repositoryRoot, 'SHA256SUMS')) && existsSync(released))
    return cp(released, target, { recursive: true });
  await fetchPackage(await pinnedNpm(), target, signal);
}

async function nodePackageVersion(): Promise<string> {
  return readFile(join(nodeBinary(), '..', '..', 'package.json'), 'utf8');
}

interface PinnedPackage {
  name: string;
  version: string;
  integrity: string;
}

/** The npm that set-up itself fetches where the machine has none. */
export async function pinnedNpm(): Promise<PinnedPackage> {
  return JSON.parse(await readFile(join(repositoryRoot, 'bin/lib/npm.json'), 'utf8'));
}

/** Unpacks a package of the npm registry, when it is exactly the expected one. */
export async function fetchPackage(
  { name, version, integrity }: PinnedPackage,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const script = join(repositoryRoot, 'bin/lib/fetch-package.sh');
  await mustRun(['bash', script, name, version, integrity, target], { limitMs: 120_000, signal });
}

function findRoot(from: string): string {
  for (let folder = from; folder !== '/'; folder = join(folder, '..')) {
    if (existsSync(join(folder, 'package-lock.json'))) return folder;
  }
  throw new AppError(
    'INTERNAL_SERVER_ERROR',
    `No package-lock.json above ${from}: the image recipes are only usable inside the repository.`,
  );
}
