/** bin/berth where only the packages of production are installed, as bin/up does (`npm ci --omit=dev`). */
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { strict } from './strict.ts';

const run = promisify(execFile);
const limitMs = 300_000;
const root = join(import.meta.dirname, '../..');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-production-'));
  for (const name of ['bin', 'cli', 'client', 'server', 'tools/package', 'package.json', 'package-lock.json'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  for (const path of await productionPackages()) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // Node.js itself is large, and imports nothing.
    if (path.includes('node-linux-')) await symlink(join(root, path), join(folder, path));
    else await cp(join(root, path), join(folder, path), { recursive: true });
  }
}, limitMs);
afterAll(() => rm(folder, { recursive: true, force: true }));

const lockFile = z.object({
  packages: z.record(z.string(), z.looseObject({ dev: z.boolean().optional() })),
});

/** The packages of the lock file that `npm ci --omit=dev` installs here: folders in node_modules. */
async function productionPackages(): Promise<string[]> {
  const lock = lockFile.parse(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')));
  const installed = lockFile.parse(
    JSON.parse(await readFile(join(root, 'node_modules/.package-lock.json'), 'utf8')),
  );
  return Object.entries(lock.packages).flatMap(([path, { dev }]) =>
    path !== '' && dev !== true && path in installed.packages ? [path] : [],
  );
}

const environment = (): NodeJS.ProcessEnv => ({ PATH: '/usr/bin:/bin', HOME: join(folder, 'home') });

test('is bundled and helps', { timeout: limitMs }, async () => {
  const { stdout, stderr } = await run(join(folder, 'bin/berth'), ['help'], { env: environment() });
  expect(stdout).toContain('Deploy and look');
  expect(stderr).toBe('');
  await readFile(join(folder, 'dist/command-line/program.mjs'));
});

test('serves assistants', { timeout: limitMs }, async () => {
  const env = { ...environment(), BERTH_URL: 'http://127.0.0.1:9', BERTH_API_KEY: 'k' };
  const child = spawn(join(folder, 'bin/berth'), ['mcp'], { env });
  child.stdin.end(
    [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } },
      { method: 'notifications/initialized' },
      { id: 'two', method: 'tools/list' },
      { id: 3, method: 'no/such' },
    ]
      .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      .join(''),
  );
  let said = '';
  for await (const text of child.stdout.setEncoding('utf8')) said += text;
  const answers = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const byId = new Map(answers.map(({ id, ...answer }) => [id, answer]));
  expect(byId.size).toBe(3);
  expect(byId.get(1)).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
  expect(byId.get('two').result.tools.length).toBeGreaterThan(10);
  expect(byId.get(3)).toMatchObject({ error: { code: -32_601, message: 'There is no method no/such.' } });
});

test('a bundle with an import that leads nowhere is not made', async () => {
  await writeFile(join(folder, 'planted.ts'), "import { gone } from '@not/there';\nconsole.log(gone);\n");
  const bundle = await rolldown({ input: join(folder, 'planted.ts'), platform: 'node', ...strict });
  await expect(bundle.generate({ format: 'esm' })).rejects.toThrow('@not/there');
  await bundle.close();
});
