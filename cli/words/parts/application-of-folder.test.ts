/** `berth deploy` in a monorepo: which application is meant, and what the service is told to build. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startAnsweringServer, type AnsweringServer } from '../../../test/answering-server.ts';
import { runBerth, type Ran, type RunOptions } from '../../../test/command-line.ts';
import { projectsOf, recordedAnswers } from '../../../test/recorded-answers.ts';

let home: string;
let server: AnsweringServer;
let created: { name: string }[];
let updated: object[];
let buildPath: string;

const manifest = (name: string, more: object = {}): string =>
  JSON.stringify({ name, scripts: { start: 'node server.js' }, ...more });
const files = {
  'package.json': '{"private":true,"workspaces":["apps/*","packages/*"]}',
  'package-lock.json': '{}',
  'apps/api/package.json': manifest('@shop/api', { dependencies: { '@shop/db': '*' } }),
  'apps/web/package.json': manifest('@shop/web'),
  'packages/db/package.json': '{"name":"@shop/db"}',
};
const api = {
  applicationId: 'web-id',
  buildPath: 'apps/api',
  watchPaths: ['packages/db/**', 'apps/api/**', 'package.json', 'package-lock.json'],
};

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'berth-monorepo-'));
  [created, updated, buildPath] = [[], [], '/'];
  for (const [path, text] of Object.entries(files)) await lay(`shop/${path}`, text);
  server = await startAnsweringServer({
    ...recordedAnswers,
    'project.all': projectsOf([]),
    'application.one': () => ({
      ...Object(recordedAnswers['application.one']),
      sourceType: 'github',
      repository: null,
      deployments: [],
      buildPath,
      watchPaths: [],
    }),
    'application.create': (input: { name: string }) => {
      created.push(input);
      return recordedAnswers['application.create'];
    },
    'application.update': (input: object) => {
      updated.push(input);
      return { success: true };
    },
  });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

async function lay(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
}

const berth = (argv: string[], more: Partial<RunOptions> = {}): Promise<Ran> =>
  runBerth(['deploy', '--no-wait', ...argv], {
    environment: { HOME: home, BERTH_URL: server.url, BERTH_API_KEY: 'key' },
    folder: join(home, 'shop'),
    ...more,
  });

test('--app names it by folder or by package; the whole monorepo is sent', async () => {
  const ran = await berth(['--app', '@shop/api', '-p', 'shop']);
  expect(ran).toMatchObject({ code: 0, said: expect.stringMatching(/Packed 5 files/) });
  expect(created).toMatchObject([{ name: 'api' }]);
  expect(updated).toEqual([api]);
});

test('a person is asked, and the same one is meant the next time', async () => {
  const ran = await berth(['-p', 'shop'], { types: ['apps/api', 'api'], columns: 100 });
  expect(ran.said).toMatch(/has several applications: apps\/api \(Node\.js\),\s+apps\/web \(Node\.js\)\./);
  expect(ran).toMatchObject({ code: 0, said: expect.stringContaining('Which one [apps/api]') });
  expect(updated).toEqual([api]);
  buildPath = 'apps/api';
  expect(await berth([])).toMatchObject({ code: 0 });
  expect(created).toHaveLength(1);
});

test('its own folder means it, wherever the command runs', async () => {
  expect(await berth(['-p', 'shop'], { folder: join(home, 'shop/apps/api') })).toMatchObject({ code: 0 });
  expect(created).toMatchObject([{ name: 'api' }]);
  expect(updated).toEqual([api]);
});

test('without a person the list is told, as for a name that is none', async () => {
  for (const [argv, sentence] of [
    [[], 'has several applications: apps/api (Node.js), apps/web (Node.js). Name one with --app.'],
    [['--app', 'apps/shop'], 'has no application apps/shop. There are: apps/api, apps/web.'],
    [['--app', 'packages/db'], 'has no application packages/db. There are: apps/api, apps/web.'],
  ] as const) {
    const ran = await berth([...argv]);
    expect(ran.code).toBe(2);
    expect(ran.said.replaceAll(/\s+/g, ' ')).toContain(sentence);
  }
  expect(created).toEqual([]);
});

test('a service that builds another application is left alone', async () => {
  buildPath = 'apps/web';
  const ran = await berth(['--app', 'apps/api', '-p', 'shop']);
  expect(ran.code).toBe(2);
  expect(ran.said.replaceAll(/\s+/g, ' ')).toContain('builds apps/web, and apps/api was named.');
  expect(updated).toEqual([]);
});

test('folders of several languages without a root of their own are told apart', async () => {
  await lay('mixed/backend/go.mod', 'module backend\n');
  await lay('mixed/backend/main.go', 'package main\n');
  await lay('mixed/frontend/package.json', manifest('frontend'));
  const ran = await berth(['--app', 'backend', '-p', 'shop'], { folder: join(home, 'mixed') });
  expect(ran).toMatchObject({ code: 0 });
  expect(updated).toEqual([{ applicationId: 'web-id', buildPath: 'backend', watchPaths: ['backend/**'] }]);
});
