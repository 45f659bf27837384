import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, inject, test } from 'vitest';
import { buildImages } from '../../../images/build.ts';
import { testImages } from '../../images/test-images.ts';
import { findBed } from '../../bed/bed.ts';
import type {} from '../../bed/global-setup.ts';
import { dockerCli } from '../../bed/host/golden.ts';
import type { BedHost } from '../../bed/host/host.ts';

const signal = new AbortController().signal;
/** Characters that break naive quoting in shell, SQL and connection strings. */
const oddPassword = 'p w"$\'\\`@#%';

let m1: BedHost;
let container = '';

beforeAll(async () => {
  const bed = await findBed(inject('bed').name, signal);
  if (bed === null) throw new Error('The global set-up opened no bed.');
  m1 = await bed.find('m1');
});

afterEach(async () => {
  if (container !== '') await docker('rm', '--force', '--volumes', container);
  container = '';
});

async function docker(...rest: string[]): Promise<string> {
  const result = await m1.exec([dockerCli, ...rest], { limitMs: 60_000 });
  if (result.code !== 0) throw new Error(`docker ${rest.join(' ')}: ${result.stderr}`);
  return result.stdout.trim();
}

async function start(...rest: string[]): Promise<void> {
  container = `image-test-${randomBytes(4).toString('hex')}`;
  await docker('run', '--detach', '--name', container, ...rest);
}

function inside(...argv: string[]): Promise<string> {
  return docker('exec', container, ...argv);
}

/** Asks again, from one shell inside, until the server answers; its first start takes a few seconds. */
function answer(...argv: string[]): Promise<string> {
  return inside(
    'timeout',
    '30',
    'sh',
    '-c',
    'until text=$("$@" 2>/dev/null) && [ -n "$text" ]; do sleep 0.25; done; printf "%s\\n" "$text"',
    'sh',
    ...argv,
  );
}

test('node:24 runs programs as root and as node, with npm reaching its registry', async () => {
  expect(await docker('run', '--rm', 'berth/node:24', '--print', 'process.version')).toMatch(/^v24\./);
  expect(
    await docker(
      'run',
      '--rm',
      '--user',
      'node',
      'berth/node:24',
      'sh',
      '-c',
      'id --user && npm view left-pad@1.3.0 version',
    ),
  ).toBe('1000\n1.3.0');
});

test('caddy serves what its arguments say, and a page without any', async () => {
  const served = async (): Promise<string> => {
    const address = await docker('inspect', '--format', '{{.NetworkSettings.IPAddress}}', container);
    const retried = ['--retry', '20', '--retry-connrefused', '--retry-delay', '1'];
    return (await m1.exec(['curl', '--silent', '--fail', ...retried, `http://${address}/`])).stdout;
  };
  await start('berth/caddy:2.11', 'caddy', 'respond', '--listen', ':80', 'well');
  expect(await served()).toBe('well');
  await docker('rm', '--force', container);
  await start('berth/caddy:2.11');
  expect(await served()).toContain('<html');
});

test('postgres:15 makes user, password and database, and keeps its data', async () => {
  const volume = `image-test-${randomBytes(4).toString('hex')}`;
  const settings = [
    '--env',
    'POSTGRES_USER=ow ner',
    '--env',
    `POSTGRES_PASSWORD=${oddPassword}`,
    '--env',
    'POSTGRES_DB=app"db',
    '--volume',
    `${volume}:/var/lib/postgresql/data`,
  ];
  const query = (sql: string): string[] => [
    'env',
    `PGPASSWORD=${oddPassword}`,
    'psql',
    '-h',
    '127.0.0.1',
    '-U',
    'ow ner',
    '-d',
    'app"db',
    '-Atc',
    sql,
  ];
  await start(...settings, 'berth/postgres:15');
  expect(await answer(...query('select current_user'))).toBe('ow ner');
  expect(
    await inside(...query("select string_agg(rolname, ' ') from pg_roles where rolname !~ '^pg_'")),
  ).toBe('ow ner');
  await inside(...query('create table kept (a int)'));
  await docker('rm', '--force', container);
  await start(...settings, 'berth/postgres:15');
  expect(await answer(...query("select to_regclass('kept')"))).toBe('kept');
  // Only connections from inside the container itself are trusted, as in the official image.
  const fromOutside = (password: string): string[] => [
    'env',
    `PGPASSWORD=${password}`,
    'psql',
    '-h',
    address,
    '-U',
    'ow ner',
    '-d',
    'app"db',
    '-Atc',
    'select 1',
  ];
  const address = await docker('inspect', '--format', '{{.NetworkSettings.IPAddress}}', container);
  expect(await inside(...fromOutside(oddPassword))).toBe('1');
  await expect(inside(...fromOutside('wrong'))).rejects.toThrow('password authentication failed');
  await docker('rm', '--force', container);
  container = '';
  await docker('volume', 'rm', volume);
});

test('postgres:15 takes its settings from files and options, and runs first scripts', async () => {
  await m1.exec(['mkdir', '-p', '/root/first']);
  await m1.exec(['tee', '/root/first/one.sql'], { input: 'create table from_script as select 7 as n;\n' });
  await m1.exec(['tee', '/root/secret'], { input: 'from-file\n' });
  await start(
    '--env',
    'POSTGRES_PASSWORD_FILE=/secret',
    '--env',
    'POSTGRES_INITDB_ARGS=--data-checksums',
    '--volume',
    '/root/secret:/secret:ro',
    '--volume',
    '/root/first:/docker-entrypoint-initdb.d:ro',
    'berth/postgres:15',
    '-c',
    'max_connections=17',
  );
  const query = ['env', 'PGPASSWORD=from-file', 'psql', '-h', '127.0.0.1', '-U', 'postgres', '-At'];
  expect(await answer(...query, '-c', 'select n from from_script')).toBe('7');
  expect(await inside(...query, '-c', 'show max_connections', '-c', 'show data_checksums')).toBe('17\non');
});

test('postgres:15 refuses to start without a password', async () => {
  await start('berth/postgres:15');
  expect(await docker('wait', container)).toBe('1');
});

test('mariadb:10.11 makes root, user and database, takes server options and runs first scripts', async () => {
  await m1.exec(['mkdir', '-p', '/root/mariadb']);
  await m1.exec(['tee', '/root/mariadb/one.sql'], {
    input: 'create table from_script (n int); insert into from_script values (7);\n',
  });
  await start(
    '--env',
    `MYSQL_ROOT_PASSWORD=${oddPassword}`,
    '--env',
    'MARIADB_DATABASE=app_db',
    '--env',
    'MYSQL_USER=u',
    '--env',
    `MARIADB_PASSWORD=${oddPassword}x`,
    '--volume',
    '/root/mariadb:/docker-entrypoint-initdb.d:ro',
    'berth/mariadb:10.11',
    '--max-connections=50',
  );
  const as = (user: string, password: string, sql: string): string[] => [
    'env',
    `MYSQL_PWD=${password}`,
    'mariadb',
    '-h127.0.0.1',
    `-u${user}`,
    'app_db',
    '-Ne',
    sql,
  ];
  expect(await answer(...as('u', `${oddPassword}x`, 'select n from from_script'))).toBe('7');
  expect(await inside(...as('root', oddPassword, 'select @@max_connections'))).toBe('50');
  await expect(inside(...as('u', 'wrong', 'select 1'))).rejects.toThrow('Access denied');
  expect(
    await inside(
      ...as('root', oddPassword, "select group_concat(concat(User, '@', Host) order by 1) from mysql.user"),
    ),
  ).toBe('mariadb.sys@localhost,root@%,root@localhost,u@%');
});

test('mariadb:10.11 makes its data under the options of a configuration file', async () => {
  await m1.exec(['tee', '/root/pages.cnf'], { input: '[mariadb]\ninnodb_page_size=32k\n' });
  await start(
    '--env',
    'MARIADB_ROOT_PASSWORD=p',
    '--volume',
    '/root/pages.cnf:/etc/mysql/mariadb.conf.d/99-pages.cnf:ro',
    'berth/mariadb:10.11',
  );
  expect(
    await answer(
      'env',
      'MYSQL_PWD=p',
      'mariadb',
      '-h127.0.0.1',
      '-uroot',
      '-Ne',
      'select @@innodb_page_size',
    ),
  ).toBe('32768');
});

test('mariadb:10.11 refuses to start without a root password', async () => {
  await start('berth/mariadb:10.11');
  expect(await docker('wait', container)).toBe('1');
});

test('redis:7 wants the password of its arguments and never runs as root', async () => {
  await start('berth/redis:7', 'redis-server', '--requirepass', oddPassword, '--appendonly', 'yes');
  expect(await answer('env', `REDISCLI_AUTH=${oddPassword}`, 'redis-cli', 'set', 'a', 'b')).toBe('OK');
  expect(await inside('redis-cli', 'get', 'a')).toContain('NOAUTH');
  expect(await inside('cat', '/proc/1/status')).toMatch(/^Uid:\s+999\s/m);
});

test('postgres:18 keeps its data in a folder of its version, and has the clients of another', async () => {
  const volume = `image-test-${randomBytes(4).toString('hex')}`;
  await start(
    '--env',
    'POSTGRES_PASSWORD=p',
    '--volume',
    `${volume}:/var/lib/postgresql`,
    'berth/postgres:18',
  );
  expect(
    await answer(
      'env',
      'PGPASSWORD=p',
      'psql',
      '-h',
      '127.0.0.1',
      '-U',
      'postgres',
      '-Atc',
      'show server_version',
    ),
  ).toMatch(/^18\./);
  expect(await inside('ls', '/var/lib/postgresql/18/docker/PG_VERSION')).toContain('PG_VERSION');
  // Its own programs dump it.
  expect(await inside('env', 'PGPASSWORD=p', 'pg_dump', '-h', '127.0.0.1', '-U', 'postgres')).toContain(
    'PostgreSQL database dump complete',
  );
  await docker('rm', '--force', container);
  container = '';
  await docker('volume', 'rm', volume);
});

test('mysql:9.7 and mariadb:10.11 have their own names only', async () => {
  const names = {
    'berth/mysql:9.7': ['mysql', 'mysqladmin', 'mysqldump'],
    'berth/mariadb:10.11': ['mariadb', 'mariadb-admin', 'mariadb-dump'],
  };
  const all = Object.values(names).flat();
  for (const [image, own] of Object.entries(names)) {
    const found = await docker(
      'run',
      '--rm',
      '--entrypoint',
      'sh',
      image,
      '-c',
      'for name; do command -v "$name" || echo none; done',
      'sh',
      ...all,
    );
    expect(found.split('\n')).toEqual(all.map((name) => (own.includes(name) ? `/usr/bin/${name}` : 'none')));
  }
  await start(
    '--env',
    'MYSQL_ROOT_PASSWORD=p',
    '--env',
    'MYSQL_USER=u',
    '--env',
    'MYSQL_PASSWORD=q',
    '--env',
    'MYSQL_DATABASE=d',
    'berth/mysql:9.7',
  );
  expect(await answer('env', 'MYSQL_PWD=q', 'mysql', '-h127.0.0.1', '-uu', 'd', '-Ne', 'select 1')).toBe('1');
});

test("mongo:7 takes its user's password only, and asks its questions in its own shell", async () => {
  await start(
    '--env',
    'MONGO_INITDB_ROOT_USERNAME=ann',
    '--env',
    `MONGO_INITDB_ROOT_PASSWORD=${oddPassword}`,
    'berth/mongo:7',
  );
  const shell = (text: string): string[] => ['env', `P=${oddPassword}`, 'mongosh', '--quiet', '--eval', text];
  expect(await answer(...shell('db.adminCommand({ ping: 1 }).ok'))).toBe('1');
  await expect(inside(...shell('db.adminCommand({ listDatabases: 1 })'))).rejects.toThrow(
    'requires authentication',
  );
  await expect(
    inside(...shell('db.getSiblingDB("admin").auth("ann", "wrong"); db.adminCommand({ listDatabases: 1 })')),
  ).rejects.toThrow('Authentication failed');
  expect(
    await inside(
      ...shell(
        'db.getSiblingDB("admin").auth("ann", process.env.P); print(db.adminCommand({ listDatabases: 1 ' +
          '}).databases.length)',
      ),
    ),
  ).toBe('0');
});

test('an image of the same recipe is not built again; one of another recipe is', async () => {
  const workDir = await mkdtemp(join(tmpdir(), 'berth-image-test-'));
  const request = {
    dockerHost: `unix://${m1.engineSocket}`,
    dockerCli,
    rows: testImages,
    names: Object.keys(testImages),
    workDir,
    log: () => undefined,
    signal,
  };
  try {
    expect(await buildImages(request)).toEqual([]);
    await docker('tag', 'berth/debian:12', 'berth/mysql:9.7');
    expect(await buildImages(request)).toEqual(['berth/mysql:9.7']);
    expect(await docker('run', '--rm', '--entrypoint', 'mysql', 'berth/mysql:9.7', '--version')).toContain(
      '9.7',
    );
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
});
