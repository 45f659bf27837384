import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { baseRecipeText, makeBaseRootfs, readBaseRecipe, type BaseRecipe } from './base-rootfs.ts';
import { makeContext, recipeText } from './build-context.ts';
import { mustRun, runCommand, type Argv } from './command.ts';
import {
  baseImage,
  imageNames,
  images,
  parentOf,
  recipeLabel,
  testImageNames,
  type ImageName,
} from './images.ts';

const baseArchive = 'root.tar';

/** Engines since 28 cannot save an image that `docker import` made ("could not verify layer data"). */
const baseDockerfile = `FROM scratch\nADD ${baseArchive} /\nCMD ["bash"]\n`;

export interface BuildRequest {
  /** The engine, as a unix:// address. */
  dockerHost: string;
  /** Debian's docker client: its BuildKit needs no plugin. */
  dockerCli: string;
  names: readonly ImageName[];
  /**
   * A folder for the root file system and the build contexts (about 500 MB); what is made in it is removed.
   */
  workDir: string;
  log: (line: string) => void;
  signal: AbortSignal;
  /** Called before the first is built; not at all when none is missing. */
  prepare?: () => Promise<void>;
}

/**
 * Builds those of the named images that the engine lacks or holds from another recipe, in parallel through
 * BuildKit.
 * @returns the names that were built; an empty list when all were there.
 * @throws AppError with the last lines of the step that failed.
 */
export async function buildImages(request: BuildRequest): Promise<ImageName[]> {
  const base = await baseRecipe(request.signal);
  const missing = await missingImages(request, base);
  if (missing.length === 0) return [];
  await request.prepare?.();
  const folder = join(request.workDir, `berth-images-${process.pid}`);
  await mkdir(folder, { recursive: true });
  try {
    // A derived image needs its base in the same recipe, also when only the derived one was asked for.
    const wantedBase: Wanted = { name: baseImage, hash: await recipeHash(baseImage, base) };
    if (!(await hasRecipe(request, wantedBase))) await buildBase(request, base, wantedBase, folder);
    await buildInOrder(request, missing, folder);
    return missing.map((image) => image.name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One hash over all recipes, for caches of whole engines. */
export async function recipesHash(signal: AbortSignal): Promise<string> {
  const base = await baseRecipe(signal);
  return digest(
    (await Promise.all([...imageNames, ...testImageNames].map((name) => recipeHash(name, base)))).join('\n'),
  );
}

/** Side by side, each after the one it is built upon. */
async function buildInOrder(
  request: BuildRequest,
  missing: readonly Wanted[],
  folder: string,
): Promise<void> {
  const builds = new Map<ImageName, Promise<void>>();
  const begin = ({ name, hash }: Wanted): Promise<void> => {
    const parent = missing.find((other) => other.name === parentOf(name));
    const present = builds.get(name);
    const build =
      present ??
      (parent ? begin(parent) : Promise.resolve()).then(() => buildDerived(request, { name, hash }, folder));
    builds.set(name, build);
    return build;
  };
  await Promise.all(missing.map(begin));
}

interface Wanted {
  name: ImageName;
  hash: string;
}

function baseRecipe(signal: AbortSignal): Promise<BaseRecipe> {
  return readBaseRecipe(['ca-certificates'], signal);
}

async function recipeHash(name: ImageName, base: BaseRecipe): Promise<string> {
  const { folder } = images[name];
  const parent = parentOf(name);
  if (folder === null || parent === undefined) return digest(baseRecipeText(base));
  return digest(`${await recipeHash(parent, base)}\n${await recipeText(folder)}`);
}

async function missingImages(request: BuildRequest, base: BaseRecipe): Promise<Wanted[]> {
  const names = new Set(request.names.flatMap(withParents));
  const wanted: Wanted[] = await Promise.all(
    [...names].map(async (name) => ({ name, hash: await recipeHash(name, base) })),
  );
  const present = await Promise.all(wanted.map((image) => hasRecipe(request, image)));
  return wanted.filter((_, index) => present[index] !== true);
}

/** The image after those it is built upon, but for the base, which comes first anyway. */
function withParents(name: ImageName): ImageName[] {
  const parent = parentOf(name);
  return parent === undefined || parent === baseImage ? [name] : [...withParents(parent), name];
}

async function hasRecipe(request: BuildRequest, { name, hash }: Wanted): Promise<boolean> {
  const format = `{{index .Config.Labels "${recipeLabel}"}}`;
  const result = await runCommand(docker(request, 'image', 'inspect', '--format', format, name), {
    limitMs: 30_000,
    signal: request.signal,
  });
  return result.code === 0 && result.stdout.trim() === hash;
}

async function buildBase(
  request: BuildRequest,
  recipe: BaseRecipe,
  { hash }: Wanted,
  folder: string,
): Promise<void> {
  const started = Date.now();
  const context = join(folder, 'base');
  await mkdir(context);
  await makeBaseRootfs(recipe, join(context, baseArchive), folder, request.signal);
  await writeFile(join(context, 'Dockerfile'), baseDockerfile);
  await buildContext(request, { name: baseImage, hash }, context);
  await rm(context, { recursive: true });
  request.log(`${baseImage} made from Debian's packages in ${seconds(started)}`);
}

async function buildDerived(request: BuildRequest, { name, hash }: Wanted, folder: string): Promise<void> {
  const recipe = images[name].folder;
  if (recipe === null) return;
  const started = Date.now();
  const context = join(folder, recipe);
  await makeContext(recipe, context, request.signal);
  await buildContext(request, { name, hash }, context);
  request.log(`${name} built in ${seconds(started)}`);
}

async function buildContext(request: BuildRequest, { name, hash }: Wanted, context: string): Promise<void> {
  const argv = docker(
    request,
    'build',
    '--progress',
    'plain',
    '--label',
    `${recipeLabel}=${hash}`,
    '--tag',
    name,
    context,
  );
  await mustRun(argv, {
    limitMs: 420_000,
    signal: request.signal,
    env: { ...process.env, DOCKER_BUILDKIT: '1' },
  });
}

function docker(request: BuildRequest, ...rest: string[]): Argv {
  return [request.dockerCli, '--host', request.dockerHost, ...rest];
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
