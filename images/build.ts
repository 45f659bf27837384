import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { baseRecipeText, makeBaseRootfs, readBaseRecipe, type BaseRecipe } from './base-rootfs.ts';
import { makeContext, recipeText } from './build-context.ts';
import { mustRun, runCommand, type Argv } from './command.ts';
import type { ImageRow, ImageRows } from './image-row.ts';
import { recipeLabel } from './images.ts';

const baseArchive = 'root.tar';

/** Engines since 28 cannot save an image that `docker import` made ("could not verify layer data"). */
const baseDockerfile = `FROM scratch\nADD ${baseArchive} /\nCMD ["bash"]\n`;

export interface BuildRequest {
  /** The engine, as a unix:// address. */
  dockerHost: string;
  /** Debian's docker client: its BuildKit needs no plugin. */
  dockerCli: string;
  names: readonly string[];
  /** The table that has them, and what they are built upon. */
  rows: ImageRows;
  /** Options of apt for the roots of bases, besides those of the machine. */
  aptOptions?: readonly string[];
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
export async function buildImages(request: BuildRequest): Promise<string[]> {
  const recipes = await recipesOf(request.rows, request.signal);
  const missing = await missingImages(request, recipes);
  if (missing.length === 0) return [];
  await request.prepare?.();
  const folder = join(request.workDir, `berth-images-${process.pid}`);
  await mkdir(folder, { recursive: true });
  try {
    await buildInOrder(request, await withBases(request, recipes, missing), folder);
    return missing.map((image) => image.name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One hash over all recipes of a table, for caches of whole engines. */
export async function recipesHash(rows: ImageRows, signal: AbortSignal): Promise<string> {
  const recipes = await recipesOf(rows, signal);
  return digest((await Promise.all(Object.keys(rows).map((name) => recipeHash(name, recipes)))).join('\n'));
}

/** Side by side, each after the one it is built upon; of bases one at a time, since each is dpkg's work. */
async function buildInOrder(
  request: BuildRequest,
  missing: readonly Wanted[],
  folder: string,
): Promise<void> {
  const builds = new Map<string, Promise<void>>();
  let bases: Promise<unknown> = Promise.resolve();
  const begin = (image: Wanted): Promise<void> => {
    const present = builds.get(image.name);
    if (present) return present;
    const parent = missing.find((other) => other.name === image.row.from);
    const before = parent ? begin(parent) : image.row.suite === undefined ? Promise.resolve() : bases;
    const build = before.then(() =>
      image.base ? buildBase(request, image.base, image, folder) : buildDerived(request, image, folder),
    );
    if (image.base) bases = build;
    builds.set(image.name, build);
    return build;
  };
  await Promise.all(missing.map(begin));
}

interface Wanted {
  name: string;
  hash: string;
  row: ImageRow;
  /** Of a base. */
  base: BaseRecipe | undefined;
}

/** A table, and what its bases are made of here. */
interface Recipes {
  rows: ImageRows;
  bases: ReadonlyMap<string, BaseRecipe>;
}

async function recipesOf(rows: ImageRows, signal: AbortSignal): Promise<Recipes> {
  const bases = new Map<string, BaseRecipe>();
  for (const [name, { suite }] of Object.entries(rows))
    if (suite !== undefined) bases.set(name, await readBaseRecipe(['ca-certificates'], signal, suite));
  return { rows, bases };
}

function rowOf({ rows }: Recipes, name: string): ImageRow {
  const row = rows[name];
  if (row === undefined) throw new Error(`No image is called ${name}.`);
  return row;
}

async function recipeHash(name: string, recipes: Recipes): Promise<string> {
  const base = recipes.bases.get(name);
  if (base) return digest(`${baseRecipeText(base)}\n${baseDockerfile}`);
  const row = rowOf(recipes, name);
  return digest(`${await recipeHash(row.from ?? '', recipes)}\n${await recipeText(row)}`);
}

async function wantedOf(name: string, recipes: Recipes): Promise<Wanted> {
  return {
    name,
    hash: await recipeHash(name, recipes),
    row: rowOf(recipes, name),
    base: recipes.bases.get(name),
  };
}

async function missingImages(request: BuildRequest, recipes: Recipes): Promise<Wanted[]> {
  const names = new Set(request.names.flatMap((name) => withParents(name, recipes)));
  const wanted = await Promise.all([...names].map((name) => wantedOf(name, recipes)));
  const present = await Promise.all(wanted.map((image) => hasRecipe(request, image)));
  return wanted.filter((_, index) => present[index] !== true);
}

/** The image after those it is built upon, but for bases that nobody asked for. */
function withParents(name: string, recipes: Recipes): string[] {
  const { from } = rowOf(recipes, name);
  return from === undefined || recipes.bases.has(from) ? [name] : [...withParents(from, recipes), name];
}

/** A derived image needs its base in the same recipe, also when only the derived one was asked for. */
async function withBases(
  request: BuildRequest,
  recipes: Recipes,
  missing: readonly Wanted[],
): Promise<Wanted[]> {
  const names = new Set(missing.flatMap(({ row: { from } }) => (from === undefined ? [] : [from])));
  const others = [...names].filter((name) => missing.every((image) => image.name !== name));
  const bases = await Promise.all(others.map((name) => wantedOf(name, recipes)));
  const present = await Promise.all(bases.map((base) => hasRecipe(request, base)));
  return [...bases.filter((_, index) => present[index] !== true), ...missing];
}

async function hasRecipe(
  request: BuildRequest,
  { name, hash }: Pick<Wanted, 'name' | 'hash'>,
): Promise<boolean> {
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
  image: Wanted,
  folder: string,
): Promise<void> {
  const started = Date.now();
  const context = join(folder, recipe.suite);
  await mkdir(context);
  const own = { ...recipe, aptOptions: [...recipe.aptOptions, ...(request.aptOptions ?? [])] };
  await makeBaseRootfs(own, join(context, baseArchive), folder, request.signal);
  await writeFile(join(context, 'Dockerfile'), baseDockerfile);
  await buildContext(request, image, context);
  await rm(context, { recursive: true });
  request.log(`${image.name} made from Debian's packages in ${seconds(started)}`);
}

async function buildDerived(request: BuildRequest, image: Wanted, folder: string): Promise<void> {
  const started = Date.now();
  const context = join(folder, image.name.replaceAll(/[/:]/g, '-'));
  await makeContext(image.row, context, request.signal);
  await buildContext(request, image, context);
  request.log(`${image.name} built in ${seconds(started)}`);
}

async function buildContext(
  request: BuildRequest,
  { name, hash, row }: Wanted,
  context: string,
): Promise<void> {
  const args = { ...(row.from === undefined ? {} : { BASE: row.from }), ...row.args };
  const argv = docker(
    request,
    'build',
    '--progress',
    'plain',
    '--label',
    `${recipeLabel}=${hash}`,
    ...Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]),
    '--tag',
    name,
    context,
  );
  await mustRun(argv, {
    limitMs: 600_000,
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
