/**
 * The programs that dump, load and inspect each kind of database. They come from its own image, so that
 * versions match. Names and passwords are passed in the environment wherever the program reads them from
 * there. Pure.
 */
import { Secret } from '../../../domain/secrets/secret.ts';
import type { DatabaseKindName } from '../../../domain/database-kind.ts';
import { databaseKinds } from '../../database/kinds.ts';
import type { DatabaseProgram, DatabasePrograms, DatabaseTarget } from './database-program.ts';
import { postgresInPlace, postgresNotes } from '../in-place/postgres-in-place.ts';
import { mysqlInPlace } from '../in-place/mysql-in-place.ts';
import { foreignMysql, foreignPostgres } from './foreign-programs.ts';
import { redisPrograms } from './redis-programs.ts';

const countTables =
  `select count(*) from pg_class where relkind in ('r', 'p') and relnamespace not in (select oid from ` +
  `pg_namespace where nspname like 'pg\\_%' or nspname = 'information_schema')`;

/**
 * Variables of libpq describe the whole connection. An empty --dbname counts as absent, but makes pg_restore
 * connect.
 */
function postgres(
  { host, user, password, database }: DatabaseTarget,
  ...argv: [string, ...string[]]
): DatabaseProgram {
  return {
    argv,
    env: {
      PGHOST: host,
      PGPORT: String(databaseKinds.postgres.port),
      PGUSER: user,
      PGPASSWORD: new Secret(password),
      PGDATABASE: database,
      PGCONNECT_TIMEOUT: '20',
    },
  };
}

const ask = [
  '--no-psqlrc',
  '--no-password',
  '--tuples-only',
  '--no-align',
  '--set',
  'ON_ERROR_STOP=1',
] as const;

const postgresPrograms: DatabasePrograms = {
  ending: 'dump',
  counted: 'table',
  // Without the lock timeout, one locked table would block this backup and all behind it for ever. Berth
  // compresses the dump itself; compressing it here as well would only take time.
  dump: (target) =>
    postgres(
      target,
      'pg_dump',
      '--format=custom',
      '--compress=0',
      '--no-password',
      '--lock-wait-timeout=10min',
    ),
  schema: (target) => ({
    program: postgres(target, 'pg_dump', '--schema-only', '--no-password', '--lock-wait-timeout=10min'),
    // Since its releases of August 2025 a dump has a random word around its statements.
    unmark: /^\\(un)?restrict .*/,
  }),
  create: (target) =>
    postgres({ ...target, database: 'postgres' }, 'createdb', '--no-password', '--', target.database),
  load: (target, { hasRoles, isTemporary, leavesOut } = { hasRoles: false, isTemporary: true }) =>
    postgres(
      target,
      'pg_restore',
      '--no-password',
      ...(leavesOut ? [] : ['--exit-on-error']),
      ...(hasRoles ? [] : ['--no-owner', '--no-privileges']),
      ...(isTemporary ? ['--no-tablespaces'] : []),
      '--dbname=',
    ),
  notes: (target) => postgresNotes.read(postgres, target),
  prepare: (target, notes) =>
    notes === undefined ? undefined : postgresNotes.prepare(postgres, target, notes),
  foreign: foreignPostgres(postgres),
  inPlace: postgresInPlace(postgres),
  count: (target) => postgres(target, 'psql', ...ask, '--command', countTables),
  list: (target) =>
    postgres(
      { ...target, database: 'postgres' },
      'psql',
      ...ask,
      '--command',
      `select datname from pg_database where not datistemplate and datname <> 'postgres' order by 1`,
    ),
};

const mysqlDump = [
  '--single-transaction',
  '--no-tablespaces',
  '--quick',
  '--routines',
  '--triggers',
  '--events',
  '--hex-blob',
  '--default-character-set=utf8mb4',
  // The most that the protocol takes: rows that the server has must be dumped, too.
  '--max-allowed-packet=1G',
] as const;

const mysqlSchema = [
  '--no-data',
  '--no-tablespaces',
  '--routines',
  '--triggers',
  '--events',
  '--skip-comments',
  '--single-transaction',
  '--default-character-set=utf8mb4',
] as const;

function mysql(
  { host, rootPassword }: DatabaseTarget,
  program: string,
  ...words: readonly string[]
): DatabaseProgram {
  const server = [`--host=${host}`, `--port=${databaseKinds.mysql.port}`, '--user=root', '--protocol=tcp'];
  return { argv: [program, ...server, ...words], env: { MYSQL_PWD: new Secret(rootPassword) } };
}

const quiet = ['--batch', '--skip-column-names', '--default-character-set=utf8mb4'] as const;
const countMysqlTables = 'select count(*) from information_schema.tables where table_schema = database()';
const listMysqlDatabases =
  `select schema_name from information_schema.schemata where schema_name not in ('mysql', ` +
  `'sys', 'information_schema', 'performance_schema') order by 1`;

/** MariaDB and MySQL take the same arguments, but their programs have different names. */
function mysqlFamily(
  { client, server, dump }: Record<'client' | 'server' | 'dump', string>,
  own: readonly string[],
): DatabasePrograms {
  const load: DatabasePrograms['load'] = (
    target,
    { leavesOut = false } = { hasRoles: false, isTemporary: true },
  ) =>
    mysql(
      target,
      client,
      ...(leavesOut ? ['--force'] : []),
      '--default-character-set=utf8mb4',
      '--binary-mode',
      '--local-infile=0',
      '--max-allowed-packet=1G',
      `--database=${target.database}`,
    );
  return {
    ending: 'sql',
    counted: 'table',
    dump: (target) => mysql(target, dump, ...mysqlDump, ...own, '--', target.database),
    schema: (target) => ({
      program: mysql(target, dump, ...mysqlSchema, ...own, '--', target.database),
      unmark: / AUTO_INCREMENT=\d+/,
    }),
    create: (target) =>
      mysql(
        target,
        client,
        ...quiet,
        '--execute',
        `CREATE DATABASE \`${target.database.replaceAll('`', '``')}\``,
      ),
    load,
    foreign: foreignMysql({
      client,
      server,
      dump,
      dumpOptions: [...mysqlDump, ...own],
      load,
      ask: (target, statements) => mysql(target, client, '--execute', statements),
    }),
    // A dumped row is longer than the row itself, which may have had the server's own limit.
    // No event may run in a server beside, and change what is restored.
    prepare: (target) =>
      mysql(
        target,
        client,
        '--execute',
        `SET GLOBAL max_allowed_packet = 1073741824; SET @off = if(@@event_scheduler = 'DISABLED', 'DO 0', ` +
          `'SET GLOBAL event_scheduler = OFF'); PREPARE off FROM @off; EXECUTE off`,
      ),
    inPlace: mysqlInPlace({ client, dump, own, connect: mysql }),
    mayNameOthers: true,
    count: (target) =>
      mysql(target, client, ...quiet, '--execute', countMysqlTables, `--database=${target.database}`),
    list: (target) => mysql(target, client, ...quiet, '--execute', listMysqlDatabases),
  };
}

/**
 * mongodump takes a password only as an argument, at a prompt or from a file. The file is in memory, in a
 * container that ends with the program. The script is fixed text; values are passed in the environment.
 */
function mongoTool(target: DatabaseTarget, tool: string, ...words: string[]): DatabaseProgram {
  const script =
    'umask 077 && printf "%s" "$BERTH_CONFIG" >/dev/shm/berth.yaml && unset BERTH_CONFIG && exec "$@"';
  const login = [
    `--host=${target.host}`,
    `--port=${databaseKinds.mongo.port}`,
    `--username=${target.user}`,
    '--authenticationDatabase=admin',
    '--config=/dev/shm/berth.yaml',
  ];
  return {
    argv: ['sh', '-c', script, 'sh', tool, ...login, ...words],
    env: { BERTH_CONFIG: new Secret(`password: ${JSON.stringify(target.password)}\n`) },
  };
}

/** With the login of the variables BERTH_USER and BERTH_PASSWORD. */
export const mongoLogin =
  "db.getSiblingDB('admin').auth(process.env.BERTH_USER, process.env.BERTH_PASSWORD);";

function mongoShell({ host, user, password, database }: DatabaseTarget, expression: string): DatabaseProgram {
  return {
    argv: ['mongosh', '--quiet', '--host', host, '--eval', `${mongoLogin} ${expression}`],
    env: { BERTH_USER: user, BERTH_PASSWORD: new Secret(password), BERTH_DATABASE: database },
  };
}

const mongoPrograms: DatabasePrograms = {
  ending: 'archive',
  counted: 'table',
  dump: (target) => mongoTool(target, 'mongodump', '--archive', `--db=${target.database}`),
  load: (target, { leavesOut = false } = { hasRoles: false, isTemporary: true }) =>
    mongoTool(
      target,
      'mongorestore',
      '--archive',
      `--nsInclude=${target.database}.*`,
      ...(leavesOut ? [] : ['--stopOnError']),
    ),
  count: (target) =>
    mongoShell(
      target,
      'print(db.getSiblingDB(process.env.BERTH_DATABASE).runCommand({ listCollections: 1, nameOnly: ' +
        'true, cursor: { batchSize: 100000 } }).cursor.firstBatch.length)',
    ),
  list: (target) =>
    mongoShell(
      target,
      'db.adminCommand({ listDatabases: 1, nameOnly: true }).databases.map(({ name }) => ' +
        `name).filter((name) => !['admin', 'config', 'local'].includes(name)).forEach((name) => ` +
        'print(name))',
    ),
};

export const databasePrograms = {
  // History of versioned tables; "loose", because versions before 10.11 do not know the option.
  mariadb: mysqlFamily({ client: 'mariadb', server: 'mariadbd', dump: 'mariadb-dump' }, [
    '--loose-dump-history',
    // A column whose default is of a sequence cannot be filled under the locks.
    '--skip-add-locks',
  ]),
  // Another server would refuse a dump with the transaction ids of this one. "loose", because MariaDB's
  // mysqldump does not know the option.
  mysql: mysqlFamily({ client: 'mysql', server: 'mysqld', dump: 'mysqldump' }, [
    '--loose-set-gtid-purged=OFF',
  ]),
  postgres: postgresPrograms,
  mongo: mongoPrograms,
  redis: redisPrograms,
} as const satisfies Record<DatabaseKindName, DatabasePrograms>;
