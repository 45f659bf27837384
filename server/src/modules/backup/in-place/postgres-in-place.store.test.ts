/**
 * A catalogue of databases, each dumped and restored by the product's programs on a real PostgreSQL: in
 * place, while others stand beside it, and into an empty server. An ordinary run tries a tenth of it.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresCatalogue as catalogue } from '../../../../../test/backups/postgres-catalogue.ts';
import { startPostgres, type RunningPostgres } from '../../../../../test/bed/postgres.ts';
import { ofThisRun } from '../../../../../test/run/mode.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import type { DatabaseProgram, DatabaseTarget } from '../programs/database-program.ts';
import { databasePrograms } from '../programs/programs.ts';

const { dump, load, notes, prepare, create, inPlace } = databasePrograms.postgres;
const exec = promisify(execFile);

/** The rest of the server, which no restore may touch. */
const others = [
  `create role role login password 'r'; create role other;`,
  `create database blog owner role; alter database blog set work_mem to '8MB';`,
  'revoke connect on database blog from public;',
  `create database tmpl is_template true; create database latin encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'
    template template0;`,
  `create database ascii encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0;`,
  `create database closed; alter database closed allow_connections false;`,
  'create table keepme (n int); insert into keepme values (1);',
];

let server: RunningPostgres;
let fresh: RunningPostgres;
let folder: string;
beforeAll(async () => {
  [server, fresh] = await Promise.all([startPostgres(), startPostgres()]);
  folder = await mkdtemp(join(tmpdir(), 'berth-in-place-'));
  for (const sql of others)
    for (const one of sql.split(/;\s*(?=$|create|alter|insert)/)) if (one) await ask('postgres', one);
  await ask('blog', 'create table post (x int); alter table post owner to role; insert into post values (1)');
  fresh = await withAnotherSuperuser(fresh);
});
afterAll(async () => {
  await Promise.all([server.stop(), fresh.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** The same server, whose first user has another name than that of the objects. */
async function withAnotherSuperuser(of: RunningPostgres): Promise<RunningPostgres> {
  const [first, second] = [new URL(of.url), new URL(of.url)];
  second.username = 'helper';
  await ask('postgres', `create role helper superuser login password '${first.password}'`, of);
  await ask('postgres', `alter role ${first.username} rename to elsewhere`, { ...of, url: second.href });
  first.username = 'elsewhere';
  return { ...of, url: first.href };
}

const target = (database: string, of = server): DatabaseTarget => {
  const { username, password } = new URL(of.url);
  return { host: '127.0.0.1', user: username, password, rootPassword: '', database };
};

/** What a program prints; an input is a file. */
async function run(
  { argv, env }: DatabaseProgram,
  { of = server, input = '/dev/null' } = {},
): Promise<string> {
  const values = Object.entries(env).map(([key, value]) => [
    key,
    value instanceof Secret ? value.reveal() : value,
  ]);
  const { stdout } = await exec('sh', ['-c', 'exec "$@" <"$INPUT"', 'sh', ...argv], {
    env: {
      PATH: '/usr/bin:/bin',
      LC_ALL: 'C.UTF-8',
      INPUT: input,
      ...Object.fromEntries(values),
      PGPORT: new URL(of.url).port,
    },
    encoding: 'latin1',
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

const ask = (database: string, sql: string, of = server): Promise<string> =>
  run(
    { ...dump(target(database, of)), argv: ['psql', '-X', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', sql] },
    { of },
  );

/** Without the lines that differ in each dump. */
const unmarked = (text: string): string => text.replaceAll(/^\\(un)?restrict .*$/gm, '');

/** A database as statements, those that make the database itself included. */
const shown = async (database: string): Promise<string> =>
  unmarked(await run({ ...dump(target(database)), argv: ['pg_dump', '--create'] }));

/** What is in a database, as statements. */
const inside = async (database: string, of = server): Promise<string> =>
  unmarked(await run({ ...dump(target(database, of)), argv: ['pg_dump'] }, { of }));

async function everythingElse(): Promise<unknown> {
  const databases = ['postgres', 'blog', 'tmpl', 'latin', 'ascii'];
  return {
    dumps: await Promise.all(databases.map((name) => shown(name))),
    roles: unmarked(await run({ ...dump(target('postgres')), argv: ['pg_dumpall', '--roles-only'] })),
    catalog: await ask(
      'postgres',
      `select d.*, s.* from pg_database d left join pg_db_role_setting s on setdatabase = oid
      where datname not in ('app', 'before') order by datname`,
    ).then((text) => text.replaceAll(/\|\d+\|\d+\|\d+\|/g, '|')),
  };
}

/** A dump of `app` as a file, and its notes. */
async function backUp(): Promise<{ file: string; found: string }> {
  const file = join(folder, randomBytes(6).toString('hex'));
  await writeFile(file, await run(dump(target('app'))), 'latin1');
  return { file, found: (await run(notes?.(target('app')) ?? dump(target('app')))).trim() };
}

it.each(ofThisRun(catalogue, 10))(
  '$name: restored in place and elsewhere, and nothing else changes',
  async ({ sql }) => {
    if (!inPlace || !prepare || !create) throw new Error('PostgreSQL is restored in place.');
    await ask('postgres', 'drop database if exists app');
    await ask('postgres', 'drop database if exists before');
    await ask('postgres', 'create database app');
    await ask('app', `create table t (n int, x text); insert into t values (1, 'kept')`);
    for (const statement of sql.split(/;\s+(?![^']*'(?:[^']*'[^']*')*[^']*$)/)) await ask('app', statement);
    const [wanted, content, rest] = [await shown('app'), await inside('app'), await everythingElse()];
    const { file, found } = await backUp();
    await ask('app', 'create table later (n int)');
    const names = { fresh: 'fresh', former: 'before' };
    await run(inPlace.create(target('app'), names));
    await run(load(target('fresh'), { hasRoles: true, isTemporary: false }), { input: file });
    await run(inPlace.change(target('app'), names));
    expect(await shown('app')).toBe(wanted);
    expect(await ask('before', `select count(*) from pg_class where relname = 'later'`)).toBe('1\n');
    expect(await everythingElse()).toEqual(rest);
    expect([
      await run(inPlace.has(target('app'), 'before')),
      await run(inPlace.has(target('app'), 'fresh')),
    ]).toEqual(['1\n', '0\n']);

    await ask('postgres', 'drop database if exists app', fresh);
    await ask('postgres', 'drop role if exists role, other, berth', fresh);
    await run(create(target('app', fresh)), { of: fresh });
    const made = prepare(target('app', fresh), found);
    if (!made) throw new Error('There are no roles to make.');
    await run(made, { of: fresh });
    await run(load(target('app', fresh), { hasRoles: true, isTemporary: true }), { of: fresh, input: file });
    expect(await inside('app', fresh)).toBe(content);
    expect(await ask('postgres', 'select count(*) from pg_authid where rolpassword is not null', fresh)).toBe(
      '2\n',
    );
  },
  300_000,
);

it('ends the connections of the database alone, and lets nobody be locked out when it fails', async () => {
  if (!inPlace) throw new Error('PostgreSQL is restored in place.');
  await ask('postgres', 'drop database if exists before');
  await ask('postgres', 'drop database if exists app');
  await ask('postgres', 'create database app');
  await expect(run(inPlace.change(target('app'), { fresh: 'none', former: 'app' }))).rejects.toThrow(
    'database',
  );
  expect(await ask('app', 'select 1')).toBe('1\n');
  expect(await run(inPlace.has(target('app'), 'app'))).toBe('1\n');
  await run(inPlace.create(target('app'), { fresh: 'fresh', former: 'before' }));
  await run(inPlace.clear(target('app'), { fresh: 'fresh', former: 'before' }));
  expect(await run(inPlace.has(target('app'), 'fresh'))).toBe('0\n');
  // The one that is ended would go on for longer than a busy machine takes for the change.
  const sleeps = [
    ['app', 600],
    ['blog', 10],
  ] as const;
  const [own, foreign] = sleeps.map(([name, seconds]) =>
    ask(name, `select pg_sleep(${seconds})`).then(
      () => 'ended by itself',
      () => 'was ended',
    ),
  );
  await expect
    .poll(() => ask('postgres', `select count(*) from pg_stat_activity where query ~ '^select pg_sleep'`))
    .toBe('2\n');
  await run(inPlace.create(target('app'), { fresh: 'fresh', former: 'before' }));
  await run(inPlace.change(target('app'), { fresh: 'fresh', former: 'before' }));
  expect([await own, await foreign]).toEqual(['was ended', 'ended by itself']);
}, 300_000);
