/** A dump that a stranger made, loaded into a real PostgreSQL: what it brings, and what it does not do. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../../../../test/bed/postgres.ts';
import { onFreePort } from '../../../../../test/free-port.ts';
import { AppError } from '../../../domain/errors.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import type { DatabaseProgram, DatabaseTarget } from './database-program.ts';
import { postgresPart } from './plain-postgres.ts';
import { databasePrograms } from './programs.ts';

const { dump, load } = databasePrograms.postgres;
const loadForeign = (to: DatabaseTarget): DatabaseProgram => {
  const { foreign } = databasePrograms.postgres;
  if (!foreign) throw new Error('PostgreSQL has programs for dumps of strangers.');
  return foreign.load(to);
};
const exec = promisify(execFile);
let server: RunningPostgres;
let folder: string;
beforeAll(async () => {
  server = await startPostgres();
  folder = await mkdtemp(join(tmpdir(), 'berth-foreign-'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const target = (database: string): DatabaseTarget => {
  const { username, password } = new URL(server.url);
  return { host: '127.0.0.1', user: username, password, rootPassword: '', database };
};

async function run(
  { argv, env }: Pick<DatabaseProgram, 'argv' | 'env'>,
  input = '/dev/null',
  other: Record<string, string> = {},
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
      PGPORT: new URL(server.url).port,
      ...other,
    },
    encoding: 'latin1',
  });
  return stdout;
}

const ask = (database: string, sql: string): Promise<string> =>
  run({ ...dump(target(database)), argv: ['psql', '-X', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', sql] });

/** The dump of a database of these statements, as a file. */
async function dumpOf(...statements: string[]): Promise<string> {
  await ask('postgres', 'drop database if exists theirs');
  await ask('postgres', 'create database theirs');
  for (const statement of statements) await ask('theirs', statement);
  const file = join(folder, 'dump');
  await writeFile(file, await run(dump(target('theirs'))), 'latin1');
  return file;
}

/** As the entrypoint of an image of PostgreSQL begins: a new server with this superuser and password. */
const entrypoint = `#!/bin/sh
set -e
shift
trap 'rm -rf "$DATA"' EXIT
mkdir -m 700 "$DATA"
echo "$POSTGRES_PASSWORD" >"$DATA/password"
chown -R postgres "$DATA"
as='setpriv --reuid=postgres --regid=postgres --clear-groups'
$as initdb -D "$DATA/d" -U "$POSTGRES_USER" --auth=scram-sha-256 --pwfile="$DATA/password"
$as postgres -D "$DATA/d" -c unix_socket_directories= "$@" & echo $! >"$DATA/pid"
wait
`;

/** The dump as the throw-away server gives it. */
async function cleaned(file: string): Promise<string> {
  const { foreign } = databasePrograms.postgres;
  if (!foreign) throw new Error('PostgreSQL has programs for dumps of strangers.');
  const programs = join(folder, 'bin');
  await mkdir(programs, { recursive: true });
  await writeFile(join(programs, 'docker-entrypoint.sh'), entrypoint, { mode: 0o755 });
  const data = await mkdtemp(join('/tmp', 'berth-throw-away-'));
  await rm(data, { recursive: true });
  const { stdout: found } = await exec('pg_config', ['--bindir']);
  const made = join(folder, 'cleaned');
  const { argv, env } = foreign.clean(target('theirs'), { leavesOut: false });
  // A container ends with its first program; here the server has to be ended.
  const ending = '"$@"; code=$?; [ ! -e "$DATA/pid" ] || kill "$(cat "$DATA/pid")"; exit $code';
  await onFreePort(
    '127.0.0.1',
    async (port) => {
      const other = { PATH: `${programs}:${found.trim()}:/usr/bin:/bin`, PGPORT: String(port), DATA: data };
      const alone = { argv: ['sh', '-c', ending, 'sh', ...argv] as const, env };
      await writeFile(made, await run(alone, file, other), 'latin1');
    },
    (error) => String(error).includes('could not bind'),
  );
  return made;
}

/** A new database with the dump in it, by the program. */
async function loaded(program: (target: DatabaseTarget) => DatabaseProgram, file: string): Promise<void> {
  await ask('postgres', 'drop database if exists ours');
  await ask('postgres', 'create database ours template template0');
  await run(program(target('ours')), file);
}

/** Whether the server's folder has the file: a program that it runs starts there. */
const exists = async (file: string): Promise<boolean> =>
  (await ask('postgres', `select (pg_stat_file('${file}', true)).size is not null`)) === 't\n';

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'latin1');
}

describe('a dump of strangers', () => {
  it('brings schemas, extensions, rows and remarks, which are the user’s, and leaves no login', async () => {
    const file = await dumpOf(
      'create schema "their ext"',
      'create extension hstore schema "their ext"',
      'create extension "uuid-ossp"',
      'create table t (n int primary key, h "their ext".hstore)',
      `insert into t values (1, 'a=>1')`,
      `comment on schema public is 'theirs'`,
      'create materialized view m as select count(*) from t',
      'alter table t enable row level security',
      'alter table t force row level security',
    );
    await loaded(loadForeign, file);
    expect(await ask('ours', `select n, h from t`)).toBe('1|"a"=>"1"\n');
    expect(await ask('ours', 'select count from m')).toBe('1\n');
    expect(
      await ask(
        'ours',
        `select extname, nspname from pg_extension join pg_namespace n on n.oid = extnamespace
      where extname <> 'plpgsql' order by 1`,
      ),
    ).toBe('hstore|their ext\nuuid-ossp|public\n');
    expect(await ask('ours', `select distinct pg_get_userbyid(relowner) = current_user from pg_class`)).toBe(
      't\n',
    );
    expect(await ask('ours', `select count(*) from pg_roles where rolname ~ '^berth_loading'`)).toBe('0\n');
  });

  it.each([[[]], [['--create', '--clean', '--if-exists']], [['--clean']], [['--inserts']]])(
    'is taken as SQL statements, too (pg_dump %s)',
    async (options: string[]) => {
      await dumpOf(
        'create schema "their ext"',
        'create extension hstore schema "their ext"',
        'create table t (n int primary key, h "their ext".hstore, s serial)',
        `insert into t values (1, 'a=>1'), (2, null)`,
        `create function f() returns text language sql as $$ select 'GRANT; it''s'::text $$`,
      );
      await ask('postgres', 'drop role if exists theirs');
      await ask('postgres', 'create role theirs');
      await ask('theirs', 'alter table t owner to theirs');
      await ask('theirs', 'grant select on t to theirs');
      const { env } = dump(target('theirs'));
      const file = join(folder, 'plain');
      const part = postgresPart(pieces(await run({ argv: ['pg_dump', ...options], env })), {
        database: 'theirs',
        ofOthers: (names) => new AppError('PRECONDITION_FAILED', names.join()),
        say: () => undefined,
      });
      await writeFile(file, part);
      await loaded(loadForeign, await cleaned(file));
      expect(await ask('ours', 'select n, h, f() from t order by n')).toBe(
        `1|"a"=>"1"|GRANT; it's\n2||GRANT; it's\n`,
      );
      expect(
        await ask('ours', `select distinct pg_get_userbyid(relowner) = current_user from pg_class`),
      ).toBe('t\n');
      await ask('postgres', 'drop database theirs');
    },
  );

  it('as SQL is refused by the first statement that fails', async () => {
    const file = join(folder, 'plain');
    await writeFile(file, 'create table t ();\ncreate view v as select * from nowhere;\n');
    await expect(cleaned(file)).rejects.toThrow(/error: ERROR: {2}relation "nowhere" does not/);
  });

  it('as SQL runs no command of its client, though nobody took it out before', async () => {
    const [file, mark] = [join(folder, 'plain'), join(folder, 'executed')];
    await writeFile(file, `create table t ();\n\\! touch ${mark}\n`);
    await expect(cleaned(file)).rejects.toThrow(/backslash commands are restricted/);
    expect(existsSync(mark)).toBe(false);
  });

  it('that the throw-away server returned as text is not loaded', async () => {
    const file = join(folder, 'plain');
    await writeFile(file, 'create table t ();\n');
    await expect(loaded(loadForeign, file)).rejects.toThrow(/returned no archive/);
  });

  it('is restored without an extension that the image lacks, where somebody chose so', async () => {
    const file = await dumpOf(
      'create extension hstore',
      'create extension "uuid-ossp"',
      'create table t (n int, h hstore)',
      `insert into t values (1, 'a=>1')`,
    );
    const archive = await readFile(file, 'latin1');
    await writeFile(file, archive.replaceAll('uuid-ossp', 'uuid-none'), 'latin1');
    await expect(loaded(loadForeign, file)).rejects.toThrow(/extension "uuid-none" is not available/);
    await loaded((to) => {
      const { argv, env } = loadForeign(to);
      return { argv, env: { ...env, LEAVES_OUT: '1' } };
    }, file);
    expect(await ask('ours', 'select n, h from t')).toBe('1|"a"=>"1"\n');
  });

  it('is refused where it needs the rights of an administrator, and says for what', async () => {
    const file = await dumpOf(
      `create function et() returns event_trigger language plpgsql as 'begin end'`,
      'create event trigger et on ddl_command_end execute function et()',
    );
    await expect(loaded(loadForeign, file)).rejects.toThrow(/event trigger "et"/);
  });
});

describe('a dump whose view runs a program of the machine when it is loaded', () => {
  const made = (mark: string): Promise<string> =>
    dumpOf(
      'create table t (n int)',
      'insert into t values (1)',
      `create function f(int) returns int language plpgsql as $$ begin
        if current_database() <> 'theirs' and current_setting('is_superuser') = 'on' then
          execute 'copy (select 1) to program ''touch ${mark}''';
        end if;
        return 1;
      end $$`,
      'create materialized view m as select f(n) from t',
    );

  it('runs none by the login that loads dumps of strangers', async () => {
    const file = await made('held');
    await loaded(loadForeign, file);
    expect(await ask('ours', 'select count(*) from t')).toBe('1\n');
    expect(await exists('held')).toBe(false);
  });

  it('runs it by the login that loads the installation’s own', async () => {
    const file = await made('succeeds');
    await loaded((to) => load(to, { hasRoles: false, isTemporary: false }), file);
    expect(await exists('succeeds')).toBe(true);
  });
});
