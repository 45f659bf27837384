/** The packed command line, installed in an empty folder without a network, as somebody would use it. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { version } from '../../cli/version.ts';
import { goodKey, startContractServer, type ContractServer } from '../../test/contract-server.ts';
import { packageCommandLine } from './command-line.ts';
import { late } from './late-built-ins.ts';

const run = promisify(execFile);
/** npm and a bundle on a busy machine. */
const limitMs = 300_000;
/** Node.js 24, and Debian's own, 20, where it is there. */
const nodes = [process.execPath, ...(existsSync('/usr/bin/node') ? ['/usr/bin/node'] : [])];
let server: ContractServer;
let folder: string;
let installed: string;

beforeAll(async () => {
  server = await startContractServer();
  folder = await mkdtemp(join(tmpdir(), 'berth-package-'));
  const packed = join(folder, 'packed');
  await packageCommandLine(packed);
  const npm = ['--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
  await run('npm', ['pack', packed, '--pack-destination', folder, ...npm], { cwd: folder });
  installed = join(folder, 'empty');
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{"private":true}');
  await run('npm', ['install', join(folder, `berth-cli-${version}.tgz`), ...npm], { cwd: installed });
}, limitMs);
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const program = (): string => join(installed, 'node_modules/.bin/berth');
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: folder,
  BERTH_URL: server.url,
  BERTH_API_KEY: goodKey,
});

test('is one program and brings nothing else', async () => {
  const place = join(installed, 'node_modules/berth-cli');
  expect((await readdir(place)).toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'berth.mjs',
    'package.json',
    'program.mjs',
  ]);
  const beside = await readdir(join(installed, 'node_modules'));
  expect(beside.toSorted()).toEqual(['.bin', '.package-lock.json', 'berth-cli']);
});

test.each(nodes)('runs words and procedures with %s', async (node) => {
  const at = { env: environment(), cwd: installed };
  expect((await run(node, [program(), '--version'], at)).stdout).toBe(`${version}\n`);
  expect((await run(node, [program(), 'help', 'env', 'set'], at)).stdout).toContain('NAME=VALUE');
  expect((await run(node, [program(), 'api', 'user.get', '--help'], at)).stdout).toContain('user.get:');
  const argv = [program(), 'api', 'deployment.readLogs', '--deploymentId', 'd1'];
  expect(JSON.parse((await run(node, argv, at)).stdout)).toEqual(['first', 'second']);
  await expect(run(node, [program(), 'stauts'], at)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean status?'),
  });
});

test.each(nodes)('says its first word before %s loads what only later words need', async (node) => {
  const told = 'process.on("exit",()=>process.stderr.write(process.moduleLoadList.join("\\n")))';
  const argv = ['--import', `data:text/javascript,${told}`, program(), 'help'];
  const { stdout, stderr } = await run(node, argv, { env: environment(), cwd: installed });
  expect(stdout).toContain('Deploy and look');
  const loaded = stderr.split('\n');
  expect(loaded).toContain('NativeModule fs');
  for (const name of ['zlib', 'child_process', 'readline/promises', 'timers/promises', 'http'])
    expect(loaded).not.toContain(`NativeModule ${name}`);
  const text = await readFile(join(installed, 'node_modules/berth-cli/program.mjs'), 'utf8');
  for (const name of late) expect(text).not.toMatch(new RegExp(`(from|import)"${name}"`));
});
