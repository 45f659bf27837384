import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { arrowFaults } from './arrows.ts';
import { readGraph } from './graph.ts';

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function faultsOf(files: Record<string, string>): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'arrows-'));
  folders.push(root);
  for (const [path, source] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), source);
  }
  return arrowFaults(await readGraph(root));
}

/** A small tree in which every arrow is allowed. */
const sound = {
  'server/src/main.ts':
    "import { engine } from './adapters/engine/engine.ts';\nimport { parse } from 'yaml';\n" +
    'export const all = [engine, parse];',
  'server/src/domain/names.ts': 'export const names = 1;',
  'server/src/domain/other.ts': "import { names } from './names.ts';\nexport const other = names;",
  'server/src/ports/engine.ts': 'export interface Engine { run(): void }',
  'server/src/shell/run.ts': "import { spawn } from 'node:child_process';\nexport const run = spawn;",
  'server/src/procedure/guard.ts': 'export const guard = 1;',
  'server/src/db/database.ts': "import { Kysely } from 'kysely';\nexport const database = Kysely;",
  'server/src/db/tables.ts': 'export const tables = 1;\nexport interface Row { id: string }',
  'server/src/adapters/engine/engine.ts':
    "import type { Engine } from '../../ports/engine.ts';\nexport const engine: Engine = { run() {} };",
  'server/src/modules/project/contract.ts': "import { z } from 'zod';\nexport const projectContract = z;",
  'server/src/modules/project/store.ts':
    "import { database } from '../../db/database.ts';\nexport const store = database;",
  'server/src/modules/project/project.ts':
    "import { store } from './store.ts';\nimport type { Row } from '../../db/tables.ts';\nexport const " +
    'project: Row[] = [store];',
  'server/src/modules/project/project.test.ts':
    "import { engine } from '../../adapters/engine/engine.ts';\nexport const used = engine;",
  'server/src/modules/domain/domain.ts':
    "import { project } from '../project/project.ts';\nexport const domain = project;",
  'server/src/deploy/run.ts': 'export const deploy = 1;',
  'server/src/transport/http.ts': "import Fastify from 'fastify';\nexport const http = Fastify;",
  'client/client.ts':
    "import { projectContract } from '../server/src/modules/project/contract.ts';\nexport const client " +
    '= projectContract;',
  'cli/main.ts': "import { client } from '../client/client.ts';\nexport const cli = client;",
  'setup/up.ts': 'export const up = 1;',
  'tools/check.ts': 'export const check = 1;',
};

test('a sound tree has no fault', async () => {
  expect(await faultsOf(sound)).toEqual([]);
});

/** One planted violation of each rule: what is planted, and what the sentence must say. */
const planted: [string, Record<string, string>, RegExp][] = [
  [
    'domain sees nothing',
    { 'server/src/domain/bad.ts': "import { run } from '../shell/run.ts';\nexport const bad = run;" },
    /^server\/src\/domain\/bad\.ts:1 .*domain does not see shell .*Build the command/,
  ],
  [
    'domain is pure',
    {
      'server/src/domain/bad.ts':
        "import { readFile } from 'node:fs/promises';\nexport const bad = readFile;",
    },
    /imports node:fs\/promises; domain is pure/,
  ],
  [
    'a type is an arrow too',
    {
      'server/src/domain/bad.ts':
        "import type { Engine } from '../ports/engine.ts';\nexport type Bad = Engine;",
    },
    /domain does not see ports/,
  ],
  [
    'an import written as a type is an arrow',
    { 'server/src/domain/bad.ts': "export type Bad = import('../ports/engine.ts').Engine;" },
    /bad\.ts:1 .*domain does not see ports/,
  ],
  [
    'a dynamic import is an arrow',
    { 'server/src/domain/bad.ts': "export const bad = () => import('../ports/engine.ts');" },
    /domain does not see ports/,
  ],
  [
    'ports do not see adapters',
    {
      'server/src/ports/bad.ts':
        "import { engine } from '../adapters/engine/engine.ts';\nexport const bad = engine;",
    },
    /ports does not see adapters .*only main\.ts makes adapters/,
  ],
  [
    'the shell does not see procedures',
    {
      'server/src/shell/bad.ts': "import { guard } from '../procedure/guard.ts';\nexport const bad = guard;",
    },
    /shell does not see procedure/,
  ],
  [
    'a procedure does not see a module',
    {
      'server/src/procedure/bad.ts':
        "import { project } from '../modules/project/project.ts';\nexport const bad = project;",
    },
    /procedure does not see module/,
  ],
  [
    'only a store sees db',
    {
      'server/src/modules/project/bad.ts':
        "import { database } from '../../db/database.ts';\nexport const bad = database;",
    },
    /module does not see db .*store\.ts/,
  ],
  [
    'tables give a module types and no values',
    {
      'server/src/modules/project/bad.ts':
        "import { tables } from '../../db/tables.ts';\nexport const bad = tables;",
    },
    /module does not see db/,
  ],
  [
    'a contract sees no store',
    {
      'server/src/modules/domain/contract.ts':
        "import { store } from '../project/store.ts';\nexport const bad = store;",
    },
    /contract does not see store/,
  ],
  [
    'a contract sees zod only',
    {
      'server/src/modules/domain/contract.ts': "import { join } from 'node:path';\nexport const bad = join;",
    },
    /contract is pure/,
  ],
  [
    "no module sees another's store",
    {
      'server/src/modules/domain/bad.ts':
        "import { store } from '../project/store.ts';\nexport const bad = store;",
    },
    /which is project's own\. Go through .*project\/project\.ts/,
  ],
  [
    'a module does not see deploy',
    {
      'server/src/modules/project/bad.ts':
        "import { deploy } from '../../deploy/run.ts';\nexport const bad = deploy;",
    },
    /module does not see deploy .*Enqueue through a port/,
  ],
  [
    'a module does not see transport',
    {
      'server/src/modules/project/bad.ts':
        "import { http } from '../../transport/http.ts';\nexport const bad = http;",
    },
    /module does not see transport/,
  ],
  [
    'transport does not see db',
    {
      'server/src/transport/bad.ts':
        "import { database } from '../db/database.ts';\nexport const bad = database;",
    },
    /transport does not see db/,
  ],
  [
    'deploy does not see adapters',
    {
      'server/src/deploy/bad.ts':
        "import { engine } from '../adapters/engine/engine.ts';\nexport const bad = engine;",
    },
    /deploy does not see adapters/,
  ],
  [
    'an adapter does not see modules',
    {
      'server/src/adapters/engine/bad.ts':
        "import { project } from '../../modules/project/project.ts';\nexport const bad = project;",
    },
    /adapters does not see module/,
  ],
  [
    'nobody sees main',
    { 'server/src/deploy/bad.ts': "import { all } from '../main.ts';\nexport const bad = all;" },
    /deploy does not see main .*as an argument/,
  ],
  [
    'the client sees contracts only',
    {
      'client/bad.ts':
        "import { project } from '../server/src/modules/project/project.ts';\nexport const bad = project;",
    },
    /client does not see module/,
  ],
  [
    'the CLI sees no server',
    { 'cli/bad.ts': "import { http } from '../server/src/transport/http.ts';\nexport const bad = http;" },
    /cli does not see transport/,
  ],
  [
    'the dashboard sees the client only',
    {
      'web/src/bad.ts':
        "import { projectContract } from '../../server/src/modules/project/contract.ts';\nexport const " +
        'bad = projectContract;',
    },
    /web does not see contract/,
  ],
  [
    'set-up sees no server part but domain',
    { 'setup/bad.ts': "import { run } from '../server/src/shell/run.ts';\nexport const bad = run;" },
    /setup does not see shell/,
  ],
  [
    'the product does not see tools',
    { 'cli/bad.ts': "import { check } from '../tools/check.ts';\nexport const bad = check;" },
    /cli does not see tools/,
  ],
  [
    'the product does not see tests',
    {
      'cli/bad.ts':
        "import { used } from '../server/src/modules/project/project.test.ts';\nexport const bad = used;",
    },
    /cli does not see tests/,
  ],
  [
    'SQL has its home',
    { 'server/src/transport/bad.ts': "import { Kysely } from 'kysely';\nexport const bad = Kysely;" },
    /imports kysely, which transport may not/,
  ],
  [
    'HTTP has its home',
    { 'server/src/deploy/bad.ts': "import Fastify from 'fastify';\nexport const bad = Fastify;" },
    /imports fastify, which deploy may not/,
  ],
  [
    'processes have their home',
    { 'server/src/deploy/bad.ts': "import { spawn } from 'node:child_process';\nexport const bad = spawn;" },
    /node:child_process.*Make a Command/,
  ],
  [
    'no cycle',
    {
      'cli/a.ts': "import type { B } from './b.ts';\nexport type A = B;",
      'cli/b.ts': "import type { A } from './a.ts';\nexport type B = A;",
    },
    /import each other: cli\/a\.ts → cli\/b\.ts → cli\/a\.ts/,
  ],
  [
    'no barrel',
    { 'client/index.ts': "export * from './client.ts';" },
    /passes on what client\/client\.ts exports/,
  ],
  [
    'no barrel by name either',
    { 'client/bad.ts': "export { client } from './client.ts';" },
    /there are no barrels/,
  ],
  [
    'every file is in a zone',
    { 'elsewhere/bad.ts': 'export const bad = 1;' },
    /elsewhere\/bad\.ts is in no zone/,
  ],
  [
    'an import names a file',
    { 'cli/bad.ts': "import { gone } from './gone.ts';\nexport const bad = gone;" },
    /imports cli\/gone\.ts, which does not exist/,
  ],
];

test.each(planted)('%s', async (_name, files, sentence) => {
  const faults = await faultsOf({ ...sound, ...files });
  expect(faults).toEqual([expect.stringMatching(sentence)]);
});

test.each(['test', 'bench', 'setup', 'images', 'cli', 'client', 'tools', 'server/src/domain'])(
  'no cycle in %s, tests and types included',
  async (folder) => {
    const ring = {
      [`${folder}/a.test.ts`]: "import { b } from './b.ts';\nexport const a = b;",
      [`${folder}/b.ts`]: "import { c } from './c.ts';\nexport const b = c;",
      [`${folder}/c.ts`]: "import type { a } from './a.test.ts';\nexport type C = typeof a;",
    };
    expect(await faultsOf({ ...sound, ...ring })).toContainEqual(
      expect.stringContaining(
        `These import each other: ${folder}/a.test.ts → ${folder}/b.ts → ${folder}/c.ts → `,
      ),
    );
  },
);

test.each([
  ['no file', {}],
  ['no import', { 'server/src/domain/alone.ts': 'export const alone = 1;' }],
])('a check that saw %s fails', async (_name, files: Record<string, string>) => {
  expect(await faultsOf(files)).toEqual([expect.stringContaining('proves nothing')]);
});
