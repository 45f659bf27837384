/**
 * Backups on a running Berth as a person would make, list and restore them, and the real S3 server they go
 * to.
 */
import { expect } from 'vitest';
import type { Bed } from '../../bed/bed.ts';
import { dockerOf } from '../../bed/docker.ts';
import { diskFolder } from '../../bed/layout.ts';
import { s3Bucket, s3Keys, startS3, type S3Server } from '../../s3/s3-server.ts';
import { join } from 'node:path';
import { until } from '../fixtures/applications.ts';
import type { BerthHost } from '../fixtures/berth-host.ts';
import type { Base, DatabaseFixture } from '../databases/database-fixture.ts';

export const docker = '/usr/bin/docker';

export interface StepView {
  name: string;
  status: string;
  detail: string | null;
  startedAt: string;
  finishedAt: string | null;
}

export interface RunView {
  backupRunId: string;
  operation: string;
  startedBy: string;
  status: string;
  path: string;
  steps: StepView[];
  bytes: number | null;
  storedBytes: number | null;
  isStored: boolean;
  previousVolume: string | null;
  errorMessage: string | null;
}

export interface BackupFixture {
  readonly databases: DatabaseFixture;
  readonly berth: BerthHost;
  readonly s3: S3Server;
  /** Of the S3 server. */
  readonly destinationId: string;
}

/** Opens the S3 server on the machine, its objects on the disk, and makes a destination of it. */
export async function openBackupFixture(
  bed: Bed,
  databases: DatabaseFixture,
  name: string,
): Promise<BackupFixture> {
  const s3 = await startS3(bed.machineIp, join(diskFolder(bed.name), `s3-${name}`));
  const { destinationId } = await databases.berth.call<{ destinationId: string }>('destination.create', {
    name,
    ...destinationOf(s3),
  });
  return { databases, berth: databases.berth, s3, destinationId };
}

export function destinationOf({ endpoint }: Pick<S3Server, 'endpoint'>): Record<string, unknown> {
  return { provider: 's3', ...s3Keys, bucket: s3Bucket, endpoint, path: 'all' };
}

export interface Kept {
  readonly backupId: string;
  manual(): Promise<{ status: number; body: unknown }>;
  runs(): Promise<RunView[]>;
  log(backupRunId: string): Promise<string>;
}

const manualOf: Record<string, string> = {
  postgres: 'manualBackupPostgres',
  mariadb: 'manualBackupMariadb',
  mysql: 'manualBackupMySql',
  mongo: 'manualBackupMongo',
};

/** A backup of a database, by hand unless told otherwise. */
export async function keep(
  { berth, destinationId }: BackupFixture,
  base: Base,
  change: Record<string, unknown> = {},
): Promise<Kept> {
  const input = {
    databaseType: base.kind,
    [`${base.kind}Id`]: base.id,
    destinationId,
    schedule: '0 3 1 1 *',
    prefix: `of/${base.id}`,
    database: 'shop',
    ...change,
  };
  const { backupId } = await berth.call<{ backupId: string }>('backup.create', input);
  return {
    backupId,
    manual: () => berth.ask(`backup.${manualOf[base.kind] ?? ''}`, { backupId }),
    async runs() {
      const runs = await berth.call<RunView[] & Record<string, unknown>>('backup.runs', { backupId });
      return runs.filter(({ operation, startedBy }) => operation === 'backup' || startedBy === 'person');
    },
    log: (backupRunId) => logOf(berth, backupRunId),
  };
}

export async function logOf(berth: BerthHost, backupRunId: string): Promise<string> {
  const { lines } = await berth.call<{ lines: { text?: string }[] }>('backup.runLogs', { backupRunId });
  return lines.map(({ text }) => text ?? '').join('\n');
}

/** Makes the backup now, which must end well, and gives its run. */
export async function backUp(kept: Kept): Promise<RunView> {
  const { status, body } = await kept.manual();
  const [run] = await kept.runs();
  if (run === undefined) throw new Error(`No run: ${status} ${JSON.stringify(body)}`);
  if (status !== 200)
    throw new Error(`${status} ${JSON.stringify(body)}\n${await kept.log(run.backupRunId)}`);
  expect(body).toBe(true);
  return run;
}

export interface Restored {
  success: boolean;
  log: string[];
}

export async function restore(
  { berth, destinationId }: BackupFixture,
  base: Base,
  backupFile: string,
  change: Record<string, unknown> = {},
): Promise<Restored> {
  try {
    return await berth.call<Restored & Record<string, unknown>>('backup.restoreBackupWithLogs', {
      databaseId: base.id,
      databaseType: base.kind,
      databaseName: 'shop',
      backupFile,
      destinationId,
      ...change,
    });
  } catch (error) {
    const newest = async (): Promise<RunView | undefined> => {
      const runs = await berth.call<RunView[] & Record<string, unknown>>('backup.runsByDatabase', {
        databaseId: base.id,
      });
      return runs[0];
    };
    // On a slow machine a restore takes longer than a call may; it goes on without whoever asked for it.
    const goesOn = String(error).includes('had no answer');
    const hasEnded = async (): Promise<boolean> => ['done', 'error'].includes((await newest())?.status ?? '');
    if (goesOn) await until('the restore has ended', hasEnded, 8 * 60_000).catch(() => undefined);
    const run = await newest();
    const log = run === undefined ? '' : await logOf(berth, run.backupRunId);
    if (goesOn && run?.status === 'done') return { success: true, log: log.split('\n') };
    throw new Error(`The restore did not end: ${String(error)}\n${log}`, { cause: error });
  }
}

/** Files at the destination as Berth lists them. */
export async function listed({ berth, destinationId }: BackupFixture, search = ''): Promise<string[]> {
  return (
    await berth.call<{ path: string }[] & Record<string, unknown>>('backup.listFiles', {
      destinationId,
      search,
    })
  ).map(({ path }) => path);
}

const clients: Record<string, (statement: string, password: string) => [string, ...string[]]> = {
  redis: (statement, password) => [
    'sh',
    '-c',
    `printf '%s\\n' "$0" | REDISCLI_AUTH="$1" redis-cli`,
    statement,
    password,
  ],
  postgres: (statement) => [
    'sh',
    '-c',
    'PGPASSWORD=$POSTGRES_PASSWORD exec psql -X -A -t -v ON_ERROR_STOP=1 -h 127.0.0.1 -U ' +
      '"$POSTGRES_USER" -d shop -c "$0"',
    statement,
  ],
  mariadb: (statement) => [
    'sh',
    '-c',
    'MYSQL_PWD=$MARIADB_ROOT_PASSWORD exec mariadb -N -B -h 127.0.0.1 -u root -D shop -e "$0"',
    statement,
  ],
  mongo: (statement) => [
    'mongosh',
    '--quiet',
    '--host',
    '127.0.0.1',
    '--eval',
    `db.getSiblingDB('admin').auth(process.env.MONGO_INITDB_ROOT_USERNAME, ` +
      `process.env.MONGO_INITDB_ROOT_PASSWORD); ${statement}`,
  ],
  mysql: (statement) => [
    'sh',
    '-c',
    'MYSQL_PWD=$MYSQL_ROOT_PASSWORD exec mysql -N -B -h 127.0.0.1 -u root -D shop -e "$0"',
    statement,
  ],
};

/** Runs a statement in the database's own container, the newest of its service. */
export async function sql({ services }: BerthHost, base: Base, statement: string): Promise<string> {
  const { appName, databasePassword } = await base.view();
  const docker = dockerOf(services);
  const [container = ''] = await docker.containersOf(appName);
  return docker.exec(container, clients[base.kind]?.(statement, databasePassword) ?? ['false']);
}

const fill: Record<string, (rows: number) => string> = {
  postgres: (rows) =>
    'create table items as select i as id, md5(i::text) as name, i % 97 as amount, now() - i * interval ' +
    `'1 second' as at from generate_series(1, ${rows}) i; alter table items add primary key (id); ` +
    'create view dear as select * from items where amount > 90',
  mariadb: (rows) =>
    'create table items (id int primary key, name varchar(40), amount int, note text) as select seq as ' +
    `id, md5(seq) as name, seq % 97 as amount, 'ä''"' as note from seq_1_to_${rows}; create view dear ` +
    'as select * from items where amount > 90',
  mysql: (rows) =>
    `set cte_max_recursion_depth = ${rows}; create table items (id int primary key, name varchar(40), ` +
    `amount int, note text) as with recursive numbers (seq) as (select 1 union all select seq + 1 from ` +
    `numbers where seq < ${rows}) select seq as id, left(sha2(seq, 256), 32) as name, ` +
    `seq % 97 as amount, 'ä''"' as note from numbers; ` +
    'create view dear as select * from items where amount > 90',
  mongo: (rows) =>
    `db.getSiblingDB('shop').runCommand({ insert: 'items', documents: Array.from({ length: ${rows} }, ` +
    `(_, id) => ({ _id: id, name: 'ä' + id, amount: id % 97 })) })`,
};

/** Makes a table with so many rows. */
export const fillRows = (berth: BerthHost, base: Base, rows: number): Promise<string> =>
  sql(berth, base, (fill[base.kind] ?? (() => ''))(rows));

const sums: Record<string, string> = {
  postgres: `select count(*), sum(hashtext(items::text)::bigint), (select count(*) from dear) from items`,
  mariadb:
    `select count(*), sum(crc32(concat_ws('|', id, name, amount, note))), (select count(*) from dear) ` +
    'from items',
  mongo:
    `print(JSON.stringify(db.getSiblingDB('shop').runCommand({ find: 'items', filter: {} ` +
    '}).cursor.firstBatch))',
};

const changes: Record<string, string> = {
  mongo: `db.getSiblingDB('shop').runCommand({ insert: 'items', documents: [{ _id: 'later' }] })`,
};

/** Makes the table another one. */
export const changeRows = (berth: BerthHost, base: Base): Promise<string> =>
  sql(berth, base, changes[base.kind] ?? 'delete from items where id % 2 = 0');

/** Statements that make a database of another name and list what there is. */
export const others: Record<string, { make: string; list: string }> = {
  postgres: { make: 'create database other', list: 'select datname from pg_database' },
  mariadb: { make: 'create database other', list: 'show databases' },
  mysql: { make: 'create database other', list: 'show databases' },
  mongo: {
    make: `db.getSiblingDB('other').runCommand({ insert: 'items', documents: [{ _id: 1 }] })`,
    list: `print(JSON.stringify(db.adminCommand({ listDatabases: 1, nameOnly: true })))`,
  },
};

/** Tells one content of the table from another. */
export const contentOf = (berth: BerthHost, base: Base): Promise<string> =>
  sql(berth, base, sums[base.kind === 'mysql' ? 'mariadb' : base.kind] ?? '');
