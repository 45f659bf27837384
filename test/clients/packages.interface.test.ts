/**
 * The published packages as a stranger has them: packed, installed in an empty folder without a network, and
 * used against the started program. Nothing of the repository is in that folder.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { version } from '../../cli/version.ts';
import { packageClient } from '../../tools/package/client.ts';
import { packageCommandLine } from '../../tools/package/command-line.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

const run = promisify(execFile);
/** npm on a busy machine. */
const limitMs = 300_000;
/** Node.js 24, and Debian's own, 20, where it is there. */
const nodes = [process.execPath, ...(existsSync('/usr/bin/node') ? ['/usr/bin/node'] : [])];
let program: Program;
let world: World;
let folder: string;
let empty: string;

beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds());
  folder = await mkdtemp(join(tmpdir(), 'berth-packages-'));
  empty = join(folder, 'empty');
  await mkdir(empty);
  await writeFile(join(empty, 'package.json'), '{"private":true,"type":"module"}');
  await packageCommandLine(join(folder, 'command-line'));
  await packageClient(join(folder, 'client'));
  const npm = ['--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
  for (const name of ['command-line', 'client'])
    await run('npm', ['pack', join(folder, name), '--pack-destination', folder, ...npm], { cwd: folder });
  const tarballs = ['cli', 'client'].map((name) => join(folder, `berth-${name}-${version}.tgz`));
  await run('npm', ['install', ...tarballs, ...npm], { cwd: empty });
}, limitMs);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await program[Symbol.asyncDispose]();
});

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: folder,
  BERTH_URL: program.url,
  BERTH_API_KEY: world.people.owner.byKey['x-api-key'],
});

it('has two packages and nothing else, and no way back to the repository', async () => {
  const modules = join(empty, 'node_modules');
  expect((await readdir(modules)).toSorted()).toEqual([
    '.bin',
    '.package-lock.json',
    'berth-cli',
    'berth-client',
  ]);
  const repository = join(import.meta.dirname, '../..');
  for (const file of ['berth-cli/program.mjs', 'berth-client/index.js', 'berth-client/index.d.ts'])
    expect(await readFile(join(modules, file), 'utf8')).not.toContain(repository);
});

const script = `
  import { createClient, project, BerthError } from 'berth-client';
  const connection = { url: process.env.BERTH_URL, apiKey: process.env.BERTH_API_KEY };
  const berth = createClient(connection);
  const made = await project(connection).create({ name: process.argv[2] });
  const { projectId } = made.project;
  const environments = await berth.environment.byProjectId({ projectId });
  const refused = await berth.project.create({ name: '' }).catch((error) => error);
  await berth.project.remove({ projectId });
  const gone = await berth.project.one({ projectId }).catch((error) => error);
  console.log(JSON.stringify({
    environment: environments[0].name,
    refused: refused instanceof BerthError && [refused.code, refused.issues[0].path],
    gone: gone.code,
  }));
`;

it.each(nodes)('the client makes, reads, refuses and removes with %s', async (node) => {
  await writeFile(join(empty, 'script.js'), script);
  const { stdout } = await run(node, ['script.js', 'Packed'], { cwd: empty, env: environment() });
  expect(JSON.parse(stdout)).toEqual({
    environment: 'production',
    refused: ['BAD_REQUEST', 'name'],
    gone: 'NOT_FOUND',
  });
});

const strictly = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.asynciterable'],
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
  },
};
const lists = `
  const berth = createClient({ url: 'http://127.0.0.1' });
  export const names = async (): Promise<string[]> => (await berth.project.all()).map((one) => one.name);
  export const next = async (): Promise<string | null> => (await berth.project.all({ limit: 5 })).nextCursor;
  export async function hosts(applicationId: string): Promise<string[]> {
    const found: string[] = [];
    for (const { host } of await berth.domain.byApplicationId({ applicationId })) found.push(host);
    return found;
  }
  export const either = async (limit?: number): Promise<number> => {
    const answer = await berth.server.all({ limit });
    return Array.isArray(answer) ? answer.length : answer.items.length;
  };
  export const isRefusal = (error: unknown): boolean => error instanceof BerthError;
`;

it(
  'the client compiles in a strict project, as a module and as CommonJS; lists are arrays',
  async () => {
    const modules = `import { BerthError, createClient } from 'berth-client';${lists}`;
    const common = `import berthClient = require('berth-client');
    const { BerthError, createClient } = berthClient;${lists}`;
    await writeFile(join(empty, 'lists.mts'), modules);
    await writeFile(join(empty, 'lists.cts'), common);
    await writeFile(
      join(empty, 'tsconfig.json'),
      JSON.stringify({ ...strictly, files: ['lists.mts', 'lists.cts'] }),
    );
    const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
    const said = await run(process.execPath, [compiler, '-p', empty]).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
    expect(said).toBe('');
  },
  limitMs,
);

it.each(nodes)('CommonJS has the same client with %s', async (node) => {
  const text = `
    const { createClient, BerthError } = require('berth-client');
    createClient({ url: process.env.BERTH_URL }).project.all().catch((error) => {
      console.log(error instanceof BerthError && error.code);
    });
  `;
  await writeFile(join(empty, 'script.cjs'), text);
  const { stdout } = await run(node, ['script.cjs'], { cwd: empty, env: environment() });
  expect(stdout.trim()).toBe('UNAUTHORIZED');
});

it.each(nodes)('the command line makes, reads and removes with %s', async (node) => {
  const berth = async (...argv: string[]): Promise<unknown> => {
    const file = join(empty, 'node_modules/.bin/berth');
    return JSON.parse((await run(node, [file, ...argv], { cwd: empty, env: environment() })).stdout);
  };
  const made = Object(await berth('api', 'project.create', '--name', 'Installed'));
  expect(await berth('projects')).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'Installed' })]),
  );
  await berth('env', 'set', 'Shop/web', 'FROM=package');
  expect(await berth('env', 'get', 'Shop/web', 'FROM')).toEqual({ FROM: 'package' });
  await berth('api', 'project.remove', '--projectId', made.project.projectId);
  expect(JSON.stringify(await berth('projects'))).not.toContain('Installed');
});
