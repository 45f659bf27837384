/** How bin/up fetches Node.js and npm where the machine has none, from a registry of the test's own. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand, type CommandResult } from '../../images/command.ts';
import { repositoryRoot } from '../../images/build-context.ts';

let folder: string;
let server: Server;
let registry: string;
let digest: string;
const asked: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-fetch-'));
  await mkdir(join(folder, 'package/bin'), { recursive: true });
  await writeFile(join(folder, 'package/bin/node'), 'a program');
  const archive = join(folder, 'served.tgz');
  await runCommand(['tar', '-czf', archive, '-C', folder, 'package'], { limitMs: 10_000 });
  const bytes = await readFile(archive);
  digest = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(url.includes('gone') ? 404 : 200).end(bytes);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  registry = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mirror/`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

function fetched(name: string, expected: string, env: NodeJS.ProcessEnv, to: string): Promise<CommandResult> {
  return runCommand(['bash', join(repositoryRoot, 'bin/lib/fetch-package.sh'), name, '1.2.3', expected, to], {
    limitMs: 20_000,
    env: { PATH: '/usr/bin:/bin', HOME: join(folder, 'no home'), ...env },
  });
}

test('takes what has the digest, from the registry that npm is set to', async () => {
  const to = join(folder, 'one');
  expect(await fetched('@scope/node-x', digest, { npm_config_registry: registry }, to)).toMatchObject({
    code: 0,
  });
  expect(await readFile(join(to, 'bin/node'), 'utf8')).toBe('a program');
  expect(asked.at(-1)).toBe('/mirror/@scope/node-x/-/node-x-1.2.3.tgz');
  const home = join(folder, 'home');
  await mkdir(home);
  await writeFile(join(home, '.npmrc'), `fund=false\nregistry=${registry}elsewhere\n`);
  expect((await fetched('npm', digest, { HOME: home }, join(folder, 'two'))).code).toBe(0);
  expect(asked.at(-1)).toBe('/mirror/elsewhere/npm/-/npm-1.2.3.tgz');
});

test('uses nothing of another digest, and says both', async () => {
  const other = `sha512-${createHash('sha512').update('other').digest('base64')}`;
  const to = join(folder, 'three');
  const { code, stderr } = await fetched('npm', other, { npm_config_registry: registry }, to);
  expect(code).not.toBe(0);
  expect(stderr).toContain(createHash('sha512').update('other').digest('hex'));
  expect(stderr).toContain('nothing of it is used');
  expect((await readdir(folder)).filter((name) => name.startsWith('three'))).toEqual([]);
});

test('names the address that did not answer', async () => {
  const { code, stderr } = await fetched(
    'gone',
    digest,
    { npm_config_registry: registry },
    join(folder, 'four'),
  );
  expect(code).not.toBe(0);
  expect(stderr).toContain(`${registry}gone/-/gone-1.2.3.tgz`);
  expect(existsSync(join(folder, 'four'))).toBe(false);
});
