/**
 * A catalogue of databases, each dumped and restored by the product's programs in place on a real MariaDB
 * and a real MySQL, while others stand beside it; and changes that are broken off at every question.
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mysqlCatalogue as catalogue } from '../../../../../test/backups/mysql-catalogue.ts';
import { mariadb, mysql, startMysql, type RunningMysql } from '../../../../../test/bed/mysql-servers.ts';
import { isWhole, modeOf, ofThisRun } from '../../../../../test/run/mode.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import type {
  CopyPrograms,
  DatabaseProgram,
  DatabasePrograms,
  DatabaseTarget,
  InPlacePrograms,
} from '../programs/database-program.ts';
import { databasePrograms } from '../programs/programs.ts';

const exec = promisify(execFile);

type Kind = 'mariadb' | 'mysql';

/** Of the kind whose tests run. */
let kind: Kind;
let programs: DatabasePrograms;
let inPlace: InPlacePrograms & { beside: CopyPrograms };

/** The rest of the server, which no restore may touch. */
const others = `
create user writer@'%' identified by 'w', reader@'%' identified by 'r'; create role staff;
create database blog character set latin1; create database App; create database \`odd \`\`n$me ü\`;
grant all on app.* to writer@'%'; grant select on blog.* to reader@'%' with grant option;
      grant staff to reader@'%';
create table blog.post (n int primary key, x text); insert into blog.post values (1, 'kept');
create table App.t (n int); create table \`odd \`\`n$me ü\`.t (n int); insert into App.t values (7);
create procedure blog.p() select 1; grant execute on procedure blog.p to writer@'%';
create event blog.tick on schedule every 1 hour do insert into blog.post values (99, 'event');
create view blog.broken as select x from blog.post; alter table blog.post drop column x;
      alter table blog.post add y int;`;

/** Databases that are written meanwhile, each of an owner of its own but the first. */
const written = ['blog', 'shop1', 'shop2', 'shop3', 'shop4', 'shop5'];
const neighbours = ['App', 'odd `n$me ü', ...written];
const shops = written.map(
  (name) => `create database if not exists ${name} collate ${name === 'shop2' ? 'koi8r_bin' : 'utf8mb4_bin'};
    create table ${name}.live (n int primary key); create user ${name}@'%' identified by '${name}';
    grant all on ${name}.* to ${name}@'%'; grant select (n) on ${name}.live to staff;`,
);

const own = {
  mariadb: {
    others: `create table blog.old (n int) with system versioning; insert into blog.old values (1);
      update blog.old set n = 2;`,
    accounts:
      'select * from mysql.global_priv order by 1, 2; select * from mysql.roles_mapping order by 1, 2',
    variables: 'information_schema.global_variables',
  },
  mysql: {
    others: '',
    accounts: 'select * from mysql.user order by 1, 2; select * from mysql.role_edges order by 1, 2',
    variables: 'performance_schema.global_variables',
  },
};

let live: RunningMysql;
let aside: RunningMysql;
let folder: string;
async function start(of: Kind): Promise<void> {
  [kind, programs] = [of, databasePrograms[of]];
  const { inPlace: found } = programs;
  if (!found?.beside) throw new Error(`${kind} is restored in place.`);
  inPlace = { ...found, beside: found.beside };
  const flavour = await (kind === 'mysql' ? mysql(AbortSignal.timeout(1_000_000)) : mariadb());
  [live, aside] = await Promise.all([startMysql(flavour), startMysql(flavour)]);
  folder = await mkdtemp(join(tmpdir(), 'berth-mysql-in-place-'));
  // Each question to the server is counted, and one of them ends the script and all it runs.
  await mkdir(join(folder, 'bin'));
  for (const [name, argv] of Object.entries(live.programs))
    await writeFile(
      join(folder, 'bin', name),
      `#!/bin/sh
[ -z "$COUNT" ] || { n=$(($(cat "$COUNT") + 1)); echo "$n" >"$COUNT"; [ "$n" != "$END_AT" ] || kill -KILL 0; }
exec ${argv.join(' ')} "$@"
`,
      { mode: 0o755 },
    );
  await ask([others, ...shops, own[kind].others].join('\n'));
}

async function stop(): Promise<void> {
  await Promise.all([live.stop(), aside.stop()]);
  await rm(folder, { recursive: true, force: true });
}

const target = (database: string, of = live): DatabaseTarget => ({
  host: '127.0.0.1',
  user: 'root',
  password: '',
  rootPassword: of.rootPassword,
  database,
});

interface Running {
  of?: RunningMysql;
  input?: string;
  env?: Record<string, string>;
}

/** What a program prints; an input is a file. */
async function run(
  { argv, env }: DatabaseProgram,
  { of = live, input = '/dev/null', env: more = {} }: Running = {},
): Promise<string> {
  const values = Object.entries(env).map(([key, value]) => [
    key,
    value instanceof Secret ? value.reveal() : value,
  ]);
  const words = argv.map((word) => (word === '--port=3306' ? `--port=${of.port}` : word));
  const { stdout } = await exec('setsid', ['--wait', 'sh', '-c', 'exec "$@" <"$INPUT"', 'sh', ...words], {
    env: {
      PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
      LC_ALL: 'C.UTF-8',
      INPUT: input,
      COUNT: '',
      ...Object.fromEntries(values),
      PORT: String(of.port),
      ...more,
    },
    encoding: 'latin1',
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

async function ask(sql: string, of = live): Promise<string> {
  const file = join(folder, `statements-${randomBytes(6).toString('hex')}`);
  await writeFile(file, `${sql}\n`);
  const connected = programs.load(target('mysql', of));
  const argv = [...connected.argv, '--batch', '--raw', '--skip-column-names'] as unknown as [string];
  return run({ ...connected, argv }, { of, input: file });
}

/** A database as statements, with all rows and what the dump does not say. */
async function shown(database: string): Promise<string> {
  const dumped = programs.dump(target(database));
  const argv = [...dumped.argv.slice(0, -2), '--skip-comments', '--', database] as unknown as [string];
  const rights = await ask(`select * from mysql.procs_priv where Db = '${database}' order by 1, 2, 3, 4, 5`);
  const encoding = await ask(
    `select default_character_set_name, default_collation_name from information_schema.schemata
      where schema_name = '${database}'`,
  );
  // MySQL names the character set beside a collation, which says it already, or not, as the table came to be.
  const statements = (await run({ ...dumped, argv })).replaceAll(/ CHARACTER SET \w+(?= COLLATE )/g, '');
  return [statements, rights.replaceAll(/\d{4}-\d\d-\d\d [\d:]+/g, ''), encoding].join('\n');
}

async function everythingElse(): Promise<unknown> {
  const dumped = programs.dump(target(''));
  const ignored = [...written.map((name) => `${name}.live`), 'blog.broken'];
  const argv = [
    ...dumped.argv.slice(0, -2),
    '--skip-comments',
    ...ignored.map((name) => `--ignore-table=${name}`),
    '--databases',
  ];
  return {
    dumps: await run({ ...dumped, argv: [...argv, '--', ...neighbours] as unknown as [string] }),
    accounts: await ask(`${own[kind].accounts}; select * from mysql.db order by 1, 2, 3;
      select * from mysql.tables_priv order by 1, 2, 3, 4; select Host, Db, User, Routine_name, Routine_type,
      Proc_priv from mysql.procs_priv order by 1, 2, 3, 4`),
    events:
      await ask(`select event_schema, event_name, status, definer, created from information_schema.events
      where event_schema <> 'app'`),
    views: await ask(`select * from information_schema.views where table_schema = 'blog'`),
    settings: await ask(`select * from ${own[kind].variables} where variable_name not like 'gtid%'
      and variable_name not like '%timestamp%' order by 1`),
    databases: (await ask('show databases')).replaceAll(/^(app|former|again)\n/gm, ''),
  };
}

async function made(program: DatabaseProgram, of: RunningMysql, name: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, await run(program, { of }), 'latin1');
  return file;
}

const names = { fresh: 'fresh', former: 'former' };

/** What the server beside gives of an object. */
interface Copies {
  definitions: string;
  tables: string;
  names: string;
}

/** The object is loaded into the server beside. */
async function copiesOf(object: string): Promise<Copies> {
  const { beside } = inPlace;
  await ask('drop database if exists app; create database app', aside);
  const [charset = '', collation = ''] = (await run(beside.encoding(target('app')))).trim().split(' ');
  if (collation !== '') await run(beside.encode(target('app', aside), [charset, collation]), { of: aside });
  await run(programs.prepare?.(target('app', aside), undefined) ?? programs.count(target('app')), {
    of: aside,
  });
  await run(programs.load(target('app', aside)), { of: aside, input: object });
  const definitions = await made(beside.definitions(target('app', aside)), aside, 'definitions');
  await run(beside.bare(target('app', aside)), { of: aside });
  const tables = await made(beside.tables(target('app', aside)), aside, 'tables');
  return { definitions, tables, names: await run(beside.names(target('app', aside)), { of: aside }) };
}

/** What the server beside gave is taken into the new database. */
async function taken({ definitions, tables }: Copies): Promise<void> {
  await run(inPlace.create(target('app'), names));
  await run(inPlace.beside.keep(target('app'), names), { input: definitions });
  await run(inPlace.beside.fill(target('app'), names), { input: tables });
}

async function filled(object: string): Promise<void> {
  const copies = await copiesOf(object);
  await taken(copies);
  expect(await run(inPlace.beside.names(target('fresh')))).toBe(copies.names);
}

const has = async (name: string): Promise<string> => (await run(inPlace.has(target('app'), name))).trim();

/** What a database of this kind can hold. */
const contents = (of: Kind) =>
  catalogue.flatMap(({ mysql: theirs, ...content }) =>
    of === 'mariadb' || theirs === undefined
      ? [content]
      : theirs === null
        ? []
        : [{ ...content, sql: theirs }],
  );

describe.each(['mariadb', 'mysql'] as const)('%s', (of) => {
  beforeAll(() => start(of), 1_200_000);
  afterAll(stop);

  beforeEach(async () => {
    await ask(`drop database if exists app; drop database if exists fresh; drop database if exists former;
    drop database if exists again; create database app character set utf8mb4 collate utf8mb4_unicode_ci;
    create table app.t (n int primary key, x varchar(20)); insert into app.t values (1, 'kept')`);
  }, 120_000);

  it.each(ofThisRun(contents(of), 4))(
    '$name: restored in place and put back, and nothing else changes',
    async ({ sql }) => {
      await ask(`use app;\n${sql}`);
      const [wanted, rest] = [await shown('app'), await everythingElse()];
      const object = await made(programs.dump(target('app')), live, 'object');
      await ask(`use app; create table later (n int); create procedure newer() select 1;
      grant execute on procedure newer to writer@'%';`);
      const present = await shown('app');
      await filled(object);
      await run(inPlace.change(target('app'), names));
      expect(await shown('app')).toBe(wanted);
      expect(await everythingElse()).toEqual(rest);
      expect([await has('app'), await has('former'), await has('fresh')]).toEqual(['1', '1', '0']);
      await run(inPlace.change(target('app'), { fresh: 'former', former: 'again' }));
      expect(await shown('app')).toBe(present);
      await run(inPlace.clear(target('app'), { fresh: 'former', former: 'again' }));
      expect([await has('again'), await has('former')]).toEqual(['1', '0']);
      await run(inPlace.change(target('app'), { fresh: 'again', former: 'former' }));
      expect(await shown('app')).toBe(wanted);
      expect(await everythingElse()).toEqual(rest);
    },
    600_000,
  );

  it('ends in one of both states, broken off at any question to the server', async () => {
    const all = contents(of)
      .filter(({ isInKills }) => isInKills)
      .map(({ sql }) => sql);
    await ask(`use app;\n${all.join('\n')}`);
    const wanted = await shown('app');
    const object = await made(programs.dump(target('app')), live, 'object');
    await ask(
      `use app; create table later (n int); drop procedure \`p \`\`r\`; drop trigger two;
      insert into t values (2, null);`,
    );
    const present = await shown('app');
    const copies = await copiesOf(object);
    const count = join(folder, 'count');
    /** Whether the change ended by itself; question 0 is none. */
    const changed = async (endAt: number): Promise<boolean> => {
      await taken(copies);
      await writeFile(count, '0');
      return run(inPlace.change(target('app'), names), { env: { COUNT: count, END_AT: String(endAt) } }).then(
        () => true,
        () => false,
      );
    };
    const putBack = async (): Promise<void> => {
      await run(inPlace.change(target('app'), { fresh: 'former', former: 'again' }));
      expect(await shown('app')).toBe(present);
      await ask('drop database again');
    };
    expect(await changed(0)).toBe(true);
    const questions = Number(await readFile(count, 'utf8'));
    await putBack();
    const ends = new Set<string>();
    for (const at of ofThisRun(
      Array.from({ length: questions }, (_, index) => index + 1),
      5,
    )) {
      expect(await changed(at), `ended at question ${at}`).toBe(false);
      await run(inPlace.clear(target('app'), names));
      const isRestored = (await has('former')) === '1';
      ends.add(isRestored ? 'restored' : 'present');
      expect(await shown('app'), `ended at question ${at}`).toBe(isRestored ? wanted : present);
      expect(await has('fresh')).toBe('0');
      if (isRestored) await putBack();
    }
    const both = new Set(['present', 'restored']);
    expect(isWhole() ? ends : both).toEqual(both);
  }, 1_200_000);

  it('lets clients write six databases of others meanwhile, without an error of theirs', async () => {
    const object = await made(programs.dump(target('app')), live, 'object');
    const client = spawn(
      join(folder, 'bin', kind),
      ['--host=127.0.0.1', `--port=${live.port}`, '--protocol=tcp', '--user=root', 'blog'],
      {
        env: { PATH: '/usr/bin:/bin', COUNT: '', MYSQL_PWD: live.rootPassword },
        stdio: ['pipe', 'ignore', 'pipe'],
      },
    );
    const said: string[] = [];
    client.stderr.setEncoding('utf8').on('data', (text: string) => void said.push(text));
    const rest = await everythingElse();
    let [rows, isOver] = [0, false];
    const writing = (async () => {
      while (!isOver) {
        rows += 1;
        const inserts = written.map((name) => `insert into ${name}.live values (${rows});\n`).join('');
        if (!client.stdin.write(inserts)) await once(client.stdin, 'drain');
        await new Promise((resolve) => setImmediate(resolve));
      }
      client.stdin.end();
      await once(client, 'close');
    })();
    const copies = await copiesOf(object);
    for (let round = 0; round < (modeOf().isLong ? 20 : 3); round += 1) {
      await taken(copies);
      await run(inPlace.change(target('app'), names));
      await ask('drop database former');
    }
    isOver = true;
    await writing;
    expect(said).toEqual([]);
    for (const name of written)
      expect(await ask(`select count(*), max(n) from ${name}.live`)).toBe(`${rows}\t${rows}\n`);
    expect(await everythingElse()).toEqual(rest);
  }, 1_200_000);

  it('ends a transaction that holds a table, and makes a database that was not there', async () => {
    const object = await made(programs.dump(target('app')), live, 'object');
    await filled(object);
    const holder = ask(`use app; begin; insert into t values (5, 'lost'); select sleep(600)`).then(
      () => 'ended by itself',
      () => 'was ended',
    );
    await expect
      .poll(
        () => ask(`select count(*) from information_schema.processlist where info like 'select sleep%'`),
        {
          timeout: 120_000,
        },
      )
      .toBe('1\n');
    await run(inPlace.change(target('app'), names));
    expect(await holder).toBe('was ended');
    await ask('drop database app; drop database former');
    await filled(object);
    await run(inPlace.change(target('app'), names));
    expect([await has('app'), await has('former'), await has('fresh')]).toEqual(['1', '0', '0']);
    expect(await ask('select x from app.t')).toBe('kept\n');
  }, 300_000);

  it('changes nothing where tables of another database refer to this one', async () => {
    const object = await made(programs.dump(target('app')), live, 'object');
    await filled(object);
    await ask('create table blog.child (n int, foreign key (n) references app.t (n))');
    const present = await shown('app');
    await expect(run(inPlace.change(target('app'), names))).rejects.toThrow('blog.child');
    await expect(run(inPlace.beside.encoding(target('app')))).rejects.toThrow('blog.child');
    await run(inPlace.clear(target('app'), names));
    expect([await has('fresh'), await has('former'), await shown('app')]).toEqual(['0', '0', present]);
    await ask('drop table blog.child');
  }, 300_000);
});
