import { expect, test } from 'vitest';
import { Secret } from '../../../domain/secrets/secret.ts';
import type { DatabaseProgram } from './database-program.ts';
import { databasePrograms } from './programs.ts';

const target = {
  host: 'shop-db',
  user: 'ann',
  password: "pa'ss",
  rootPassword: 'ro$ot',
  database: 'my shop',
};

/** The program with its secrets opened. */
const opened = ({ argv, env }: DatabaseProgram): unknown => ({
  argv,
  env: Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value instanceof Secret ? value.reveal() : value]),
  ),
});

const libpq = {
  PGHOST: 'shop-db',
  PGPORT: '5432',
  PGUSER: 'ann',
  PGPASSWORD: "pa'ss",
  PGDATABASE: 'my shop',
  PGCONNECT_TIMEOUT: '20',
};

test('postgres: everything about the connection is a variable', () => {
  const { dump, load, create } = databasePrograms.postgres;
  expect(opened(dump(target))).toEqual({
    argv: ['pg_dump', '--format=custom', '--compress=0', '--no-password', '--lock-wait-timeout=10min'],
    env: libpq,
  });
  expect(opened(load(target))).toEqual({
    argv: [
      'pg_restore',
      '--no-password',
      '--exit-on-error',
      '--no-owner',
      '--no-privileges',
      '--no-tablespaces',
      '--dbname=',
    ],
    env: libpq,
  });
  // With the roles of its owners, and where the tablespaces are.
  expect(load(target, { hasRoles: true, isTemporary: false }).argv).toEqual([
    'pg_restore',
    '--no-password',
    '--exit-on-error',
    '--dbname=',
  ]);
  expect(opened(create?.(target) ?? dump(target))).toEqual({
    argv: ['createdb', '--no-password', '--', 'my shop'],
    env: { ...libpq, PGDATABASE: 'postgres' },
  });
});

const server = ['--host=shop-db', '--port=3306', '--user=root', '--protocol=tcp'];
const consistent = [
  '--single-transaction',
  '--no-tablespaces',
  '--quick',
  '--routines',
  '--triggers',
  '--events',
  '--hex-blob',
  '--default-character-set=utf8mb4',
  '--max-allowed-packet=1G',
];

test.each([
  ['mariadb', 'mariadb', 'mariadb-dump', ['--loose-dump-history', '--skip-add-locks']],
  ['mysql', 'mysql', 'mysqldump', ['--loose-set-gtid-purged=OFF']],
] as const)('%s: as root, by the names of its own image', (kind, client, tool, own) => {
  const { dump, load, create } = databasePrograms[kind];
  const env = { MYSQL_PWD: 'ro$ot' };
  expect(opened(dump(target))).toEqual({
    argv: [tool, ...server, ...consistent, ...own, '--', 'my shop'],
    env,
  });
  expect(opened(load(target))).toEqual({
    argv: [
      client,
      ...server,
      '--default-character-set=utf8mb4',
      '--binary-mode',
      '--local-infile=0',
      '--max-allowed-packet=1G',
      '--database=my shop',
    ],
    env,
  });
  expect(opened(create?.({ ...target, database: 'a`b' }) ?? dump(target))).toEqual({
    argv: [
      client,
      ...server,
      '--batch',
      '--skip-column-names',
      '--default-character-set=utf8mb4',
      '--execute',
      'CREATE DATABASE `a``b`',
    ],
    env,
  });
});

test('mongo: the password goes by a file in memory, the script is fixed', () => {
  const { dump, load, count } = databasePrograms.mongo;
  const script =
    'umask 077 && printf "%s" "$BERTH_CONFIG" >/dev/shm/berth.yaml && unset BERTH_CONFIG && exec "$@"';
  const login = [
    '--host=shop-db',
    '--port=27017',
    '--username=ann',
    '--authenticationDatabase=admin',
    '--config=/dev/shm/berth.yaml',
  ];
  const env = { BERTH_CONFIG: 'password: "pa\'ss"\n' };
  expect(opened(dump(target))).toEqual({
    argv: ['sh', '-c', script, 'sh', 'mongodump', ...login, '--archive', '--db=my shop'],
    env,
  });
  expect(opened(load(target))).toEqual({
    argv: [
      'sh',
      '-c',
      script,
      'sh',
      'mongorestore',
      ...login,
      '--archive',
      '--nsInclude=my shop.*',
      '--stopOnError',
    ],
    env,
  });
  expect(opened(count(target))).toMatchObject({
    argv: [
      'mongosh',
      '--quiet',
      '--host',
      'shop-db',
      '--eval',
      expect.stringContaining('auth(process.env.BERTH_USER, process.env.BERTH_PASSWORD)'),
    ],
    env: { BERTH_USER: 'ann', BERTH_PASSWORD: "pa'ss", BERTH_DATABASE: 'my shop' },
  });
});

test('redis: the dump comes from the server itself, and values go by the environment', () => {
  const { dump, load, count, ending, list } = databasePrograms.redis;
  const env = {
    REDISCLI_AUTH: "pa'ss",
    // Each byte by its number: nothing of it is a word of the configuration.
    QUOTED_PASSWORD: '"\\x70\\x61\\x27\\x73\\x73"',
    TARGET: 'shop-db',
  };
  expect([ending, list]).toEqual(['rdb', undefined]);
  expect(opened(dump(target))).toEqual({ argv: ['redis-cli', '-h', 'shop-db', '--rdb', '-'], env });
  expect(opened(load(target))).toEqual({
    argv: ['sh', '-c', expect.stringContaining('REPLICAOF %s 6379')],
    env,
  });
  expect(opened(count(target))).toEqual({
    argv: ['sh', '-c', expect.stringContaining('info keyspace')],
    env,
  });
});

test('a dump of strangers is given no password of the target, and is loaded by a login of little', () => {
  for (const { foreign } of [databasePrograms.postgres, databasePrograms.mariadb, databasePrograms.mysql]) {
    const clean = foreign?.clean(target, { leavesOut: false });
    if (!clean) throw new Error('There is no program for dumps of strangers.');
    expect(clean).toMatchObject({ isAlone: true });
    expect(JSON.stringify(opened(clean))).not.toMatch(/pa'ss|ro\$ot|shop-db/);
  }
  expect(
    opened(databasePrograms.mariadb.foreign?.load(target) ?? databasePrograms.mariadb.load(target)),
  ).toMatchObject({
    argv: expect.arrayContaining(['--user=ann', '--database=my shop']),
    env: { MYSQL_PWD: "pa'ss" },
  });
  expect(databasePrograms.mysql.foreign?.allow?.({ ...target, database: 'a_`b' }).argv.at(-1)).toContain(
    "GRANT ALL ON `a\\_``b`.* TO 'ann'@'%';",
  );
});

test('no program has a password among its arguments', () => {
  for (const programs of Object.values(databasePrograms)) {
    for (const program of [
      programs.dump(target),
      programs.load(target),
      programs.count(target),
      programs.list?.(target),
      programs.create?.(target),
    ]) {
      expect(program?.argv.join(' ') ?? '').not.toMatch(/pa'ss|ro\$ot/);
    }
  }
});
