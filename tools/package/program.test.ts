/** The bundle where no package is near, as a release has it. */
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAgentProgram } from '../../server/src/adapters/metrics/agent-program.ts';
import { onFreePort, saysTaken } from '../../test/free-port.ts';
import { packageProgram } from './program.ts';

const root = join(import.meta.dirname, '../..');
const limitMs = 300_000;
let folder: string;
interface Running {
  url: string;
  child: ChildProcess;
  log: () => string;
}
let berth: Running;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-bundle-'));
  await packageProgram(join(folder, 'dist'));
  for (const name of ['package.json', 'package-lock.json', 'templates'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await mkdir(join(folder, 'dist/web'));
  await writeFile(join(folder, 'dist/web/index.html'), '<!doctype html><title>The dashboard</title>');
  berth = await onFreePort('127.0.0.1', (port) => start(port, 'data'), saysTaken);
}, limitMs);
afterAll(async () => {
  await end(berth);
  await rm(folder, { recursive: true, force: true });
});

/** Has the program say which modules of Node.js it has loaded when it gets SIGUSR2. */
const telling =
  'data:text/javascript,process.once("SIGUSR2",()=>console.log(process.moduleLoadList.join(",")))';

async function start(port: number, data: string): Promise<Running> {
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PATH: '/usr/bin:/bin',
    BERTH_DATA: join(folder, data),
    BERTH_HOST: '127.0.0.1',
    BERTH_PORT: String(port),
    BERTH_URL: url,
    BERTH_ENGINE_SOCKET: join(folder, 'no-engine.sock'),
    BERTH_LOG_LEVEL: 'error',
  };
  const program = join(folder, 'dist/server/src/main.js');
  const child = spawn(process.execPath, ['--import', telling, program], { env, cwd: folder });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  for (const end = performance.now() + limitMs; performance.now() < end; await wait(20)) {
    if (child.exitCode !== null) break;
    if ((await statusOf(`${url}/api/health`)) === 200) return { url, child, log: () => log };
  }
  child.kill('SIGKILL');
  throw new Error(`The bundle did not answer: ${log}`);
}

async function end({ child }: Running): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** All that it says until it ends. */
async function wordsOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(child, 'close');
  return said;
}

const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

test('answers, with the files that lie beside it', async () => {
  for (const path of ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/api/openapi.json'])
    expect([path, await statusOf(`${berth.url}${path}`)]).toEqual([path, 200]);
  expect(await (await fetch(`${berth.url}/`)).text()).toContain('The dashboard');
  expect(berth.log()).toBe('');
});

/** Paths of the shared chunks, or of the server's parts. */
async function filesOf(name: 'chunks' | 'program'): Promise<string[]> {
  const place = join(folder, 'dist', name);
  return (await readdir(place, { recursive: true }))
    .filter((path) => path.endsWith('.js'))
    .map((path) => join(place, path));
}

test('has no part that lacks something when it is loaded', async () => {
  const [chunks, parts] = [await filesOf('chunks'), await filesOf('program')];
  expect([chunks.length, parts.length].map((count) => count > 5)).toEqual([true, true]);
  const load = [
    `import { openBundle } from ${JSON.stringify(join(root, 'server/src/bundle.ts'))};`,
    `const bundle = openBundle(${JSON.stringify(join(folder, 'nothing kept'))});`,
    ...chunks.map((path) => `await import(${JSON.stringify(path)});`),
    ...parts.map((path) => `bundle.load(${JSON.stringify(path)});`),
  ];
  const child = spawn(process.execPath, ['--input-type=module', '--eval', load.join('\n')], {
    env: { PATH: '/usr/bin:/bin' },
    cwd: folder,
  });
  expect(await wordsOf(child)).toBe('');
  expect(child.exitCode).toBe(0);
});

test(
  'takes what an earlier start has compiled, and compiles nothing anew',
  async () => {
    const compiled = join(folder, 'data again/cache/modules/start.js');
    const startAndEnd = async (): Promise<number> => {
      await end(await onFreePort('127.0.0.1', (port) => start(port, 'data again'), saysTaken));
      return (await stat(compiled)).ino;
    };
    const first = await startAndEnd();
    // What a start has refused it writes again when it ends.
    expect(await startAndEnd()).toBe(first);
  },
  limitMs,
);

test('has in the part that each start loads nothing that is used late or never', async () => {
  const first = await readFile(join(folder, 'dist/program/start.js'), 'utf8');
  const packages = new Set(
    [...first.matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\/.*$/gm)].map(([, name]) => name),
  );
  expect(packages).toContain('fastify');
  for (const name of ['ajv', 'light-my-request', 'nodemailer', 'pg', 'ssh2', 'yaml'])
    expect(packages).not.toContain(name);
});

/** What a module of this checkout says that is made in a process of its own. */
async function saidBy(lines: string[]): Promise<string> {
  const options = ['--input-type=module', '--eval', lines.join('\n')];
  return wordsOf(spawn(process.execPath, options, { cwd: root, env: { PATH: '/usr/bin:/bin' } }));
}

test('makes no more schemas in each start than it must, and no list of networks', async () => {
  const made = await saidBy([
    "import { BlockList } from 'node:net';",
    "import { z } from 'zod';",
    'let [schemas, networks] = [0, 0];',
    'Object.assign(z.config(), { postProcessor: () => void (schemas += 1) });',
    'BlockList.prototype.addSubnet = () => void (networks += 1);',
    "await import('./server/src/modules/contracts.ts');",
    "await import('./server/src/domain/network/outgoing.ts');",
    "await import('./server/src/domain/network/cdn.ts');",
    'console.log(schemas, networks);',
  ]);
  const [schemas = 0, networks] = made.trim().split(' ').map(Number);
  expect(networks).toBe(0);
  // Texts of one length, items of a list and records of a kind are made once, which saves 1,200.
  expect([schemas > 2000, schemas < 6900]).toEqual([true, true]);
});

test('has no other package than what it carries, and their licences', async () => {
  const files = await readdir(join(folder, 'dist'), { recursive: true });
  expect(files.filter((file) => file.includes('node_modules'))).toEqual([]);
  const licenses = await readFile(join(folder, 'dist/LICENSES.txt'), 'utf8');
  for (const name of ['fastify', 'zod', 'kysely', 'pg', 'ssh2', 'croner', 'swagger-ui-dist', 'tldts'])
    expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
});

test('says what a program of set-up says', async () => {
  const child = spawn(process.execPath, [join(folder, 'dist/server/src/reset-password.js')], {
    env: { PATH: '/usr/bin:/bin', BERTH_DATA: join(folder, 'nothing') },
  });
  const said = await wordsOf(child);
  expect(said).not.toContain('ERR_MODULE_NOT_FOUND');
  expect(child.exitCode).not.toBe(0);
});

test('carries the agent as one file that needs nothing', async () => {
  const agent = await readAgentProgram(join(folder, 'dist/agent/agent.js'));
  expect(agent.files.map(({ path }) => path)).toEqual(['package.json', agent.entry]);
  const imported = [...(agent.files[1]?.content ?? '').matchAll(/^import .* from "([^"]+)";$/gm)];
  expect(imported.length).toBeGreaterThan(3);
  expect(imported.map(([, name = '']) => name).filter((name) => !name.startsWith('node:'))).toEqual([]);
});

test('loads nothing of Node.js that nobody asks for, and no source is kept twice as large', async () => {
  berth.child.kill('SIGUSR2');
  await expect.poll(() => berth.log()).toContain('NativeModule http,');
  for (const name of ['internal/deps/undici/undici', 'internal/crypto/webcrypto', 'http2'])
    expect(berth.log()).not.toContain(`NativeModule ${name},`);
  for (const path of [...(await filesOf('chunks')), ...(await filesOf('program'))])
    expect([path, /\P{ASCII}/u.exec(await readFile(path, 'utf8'))]).toEqual([path, null]);
});
