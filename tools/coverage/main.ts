/**
 * `npm run coverage -- [folder…] [--only=<part of a test's path>…] [--with=<project>…]`: how many lines of
 * deploy/, reconcile/ and each module, or of the folders given, the quick tests reach. Node's own coverage,
 * and vitest with Node's own loader, whose files are the ones on the disk.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { modeVariables, quickProjects } from '../../test/run/mode.ts';
import { coverageFile, linesRun, type Script } from './lines.ts';

const root = join(import.meta.dirname, '../..');
const given = process.argv.slice(2);
const only = given.flatMap((each) => (each.startsWith('--only=') ? [each.slice('--only='.length)] : []));
/** Projects of tests besides the quick ones, such as `--with=system`. */
const projects = given.flatMap((each) => (each.startsWith('--with=') ? [each.slice('--with='.length)] : []));
const named = given.filter((each) => !each.startsWith('--'));
const modules = 'server/src/modules';
const folders =
  named.length > 0
    ? named
    : [
        'server/src/deploy',
        'server/src/reconcile',
        ...(await foldersIn(modules)).map((name) => `${modules}/${name}`),
        modules,
      ];

const written = await mkdtemp(join(tmpdir(), 'berth-coverage-'));
try {
  await runTests();
  const runs = await readRuns();
  for (const folder of folders) process.stdout.write(await rowOf(folder, runs));
} finally {
  await rm(written, { recursive: true });
}

/**
 * Whether a test fails is for `npm run check` to say: one does here, which asks whether our environment
 * reaches a child, since Node's coverage goes there.
 */
async function runTests(): Promise<void> {
  const vitest = join(root, 'node_modules/.bin/vitest');
  const chosen = [...new Set([...quickProjects, ...projects])].flatMap((project) => ['--project', project]);
  const how = ['run', ...chosen, '--pool', 'forks', '--maxWorkers', '2', '--reporter', 'dot'];
  const child = spawn(vitest, [...how, ...only, '--experimental.viteModuleRunner=false'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      [modeVariables.quick]: '1',
      NODE_V8_COVERAGE: written,
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'take.ts')).href}`,
    },
  });
  await once(child, 'exit');
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function readRuns(): Promise<Map<string, Script[]>> {
  const runs = new Map<string, Script[]>();
  for (const name of await readdir(written)) {
    const { result } = coverageFile.parse(JSON.parse(await readFile(join(written, name), 'utf8')));
    for (const script of result) runs.set(script.url, [...(runs.get(script.url) ?? []), script]);
  }
  return runs;
}

async function rowOf(folder: string, runs: ReadonlyMap<string, Script[]>): Promise<string> {
  let [reached, all] = [0, 0];
  const names = await readdir(join(root, folder), { recursive: true });
  for (const name of names.filter((each) => each.endsWith('.ts') && !each.endsWith('.test.ts'))) {
    const path = join(root, folder, name);
    const lines = linesRun(await readFile(path, 'utf8'), runs.get(pathToFileURL(path).href) ?? []);
    all += lines.length;
    reached += lines.filter(Boolean).length;
  }
  return `${folder}: ${reached} of ${all} lines (${((100 * reached) / all).toFixed(0)} %)\n`;
}
