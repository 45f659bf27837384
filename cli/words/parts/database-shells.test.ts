/** What others see of a database's shell in a list of processes: its arguments, here and in the container. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseKindNames, type DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import { databaseKind } from '../../../server/src/modules/database/kinds.ts';
import { programArgv, theirOption, theirWord } from '../../program-argv.ts';
import { databaseShells } from './database-shells.ts';

const password = 'S3cret@{x}';
const login = { databaseUser: 'ann', databasePassword: password, databaseName: 'shop' };
const record = { ...login, databaseRootPassword: password };
const programs = ['psql', 'mysql', 'mariadb', 'mongosh', 'redis-cli'];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-shells-'));
  for (const name of programs)
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' ${name} "$@"\n`, { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The arguments with which the program is started by this command. */
const started = ([file = '', ...args]: readonly string[], env: Record<string, string>): string =>
  execFileSync(file, args, {
    env: { ...env, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
    encoding: 'utf8',
  });

const addressOf = (kind: DatabaseKindName): URL =>
  new URL(
    databaseKind(kind).address({
      user: 'ann',
      password: encodeURIComponent(password),
      at: '127.0.0.1:5000',
      database: 'shop',
      replicaSets: true,
    }),
  );

test.each(databaseKindNames)('%s: no password is an argument', (kind) => {
  const { argv, environment, inContainer, program } = databaseShells[kind];
  const here = started(programArgv(program, ...argv(addressOf(kind))), {});
  const there = started(inContainer, databaseKind(kind).server.env(record));
  for (const seen of [here, there]) {
    expect(programs).toContain(seen.split('\n')[0]);
    expect(seen).not.toContain(password);
    expect(seen).not.toContain(encodeURIComponent(password));
  }
  expect(Object.values(environment(addressOf(kind)))).toContain(password);
});

test('MongoDB’s shell signs in by its environment, as the user of the address', () => {
  const { argv, environment, inContainer } = databaseShells.mongo;
  expect(programArgv('mongosh', ...argv(addressOf('mongo'))).slice(1)).toEqual([
    'mongodb://127.0.0.1:5000/?directConnection=true',
    '--shell',
    '--eval',
    'db.getSiblingDB("admin").auth(process.env.BERTH_USER, process.env.BERTH_PASSWORD)',
  ]);
  expect(environment(addressOf('mongo'))).toEqual({ BERTH_USER: 'ann', BERTH_PASSWORD: password });
  expect(inContainer.at(-1)).toContain(
    'auth(process.env.MONGO_INITDB_ROOT_USERNAME, process.env.MONGO_INITDB',
  );
});

test.each(['postgres', 'mysql', 'mariadb'] as const)('%s: no name is an option or a connection', (kind) => {
  const { argv, environment, inContainer, program } = databaseShells[kind];
  for (const name of ['--command=\\! id', '-c', 'host=evil.test', 'postgres://evil.test/x', '--execute=x']) {
    const address = addressOf(kind);
    address.pathname = `/${encodeURIComponent(name)}`;
    address.username = encodeURIComponent(name);
    const words = programArgv(program, ...argv(address)).slice(1);
    // Each is one word with an option of the command line's own before it.
    expect(words.filter((word) => !/^--(host|port|user|username|database)=/.test(word))).toEqual([]);
    expect(kind === 'postgres' ? environment(address)['PGDATABASE'] : words.at(-1)).toBe(
      kind === 'postgres' ? name : `--database=${name}`,
    );
    const there = started(inContainer, databaseKind(kind).server.env({ ...record, databaseName: name }));
    const options = there.trim().split('\n').slice(1);
    expect(options.filter((word) => !/^--(user|username|database)=/.test(word))).toEqual([]);
  }
});

test('a word of others is refused where a program would take it for an option', () => {
  expect(() => programArgv('open', theirWord('--args'))).toThrow('begins with "-"');
  expect(programArgv('open', theirWord('https://shop.test'))).toEqual(['open', 'https://shop.test']);
  expect(() => programArgv('psql', theirOption('--host', 'a\0b'))).toThrow('NUL');
});
