/** Opens the database: key file, backup before migrations, migrations. */
import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createCipher, openKeyFile } from '../db/cipher.ts';
import type { Database } from '../db/database.ts';
import { migrate, migrations, schemaVersion } from '../db/migrations.ts';
import { openSqlite } from '../db/sqlite.ts';
import { AppError } from '../domain/errors.ts';
import { isoTime, type Clock } from '../ports/clock.ts';

export interface OpenedStorage {
  database: Database;
  /** Path of the backup made before the migrations; undefined when none was needed. */
  backup: string | undefined;
  applied: number[];
}

const backupLimitMs = 10 * 60_000;

export async function openStorage(config: Config, clock: Clock): Promise<OpenedStorage> {
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  const keyPath = join(config.data, 'berth.key');
  const sqlitePath = join(config.data, 'berth.sqlite');
  // A database that holds secrets without its key must not get a new key; the version tells whether it is a fresh one.
  const probeCipher = { encrypt: refuse, decrypt: refuse };
  const open = async (cipher: Database['cipher']): Promise<Database> => {
    if (config.databaseUrl === undefined) return openSqlite({ path: sqlitePath, synchronous: config.sqliteSynchronous, cipher });
    // Loaded where it is used: the driver costs 11 MB.
    const { openPostgres } = await import('../db/postgres.ts');
    return openPostgres({ url: config.databaseUrl, cipher });
  };
  const probe = await open(probeCipher);
  const present = await schemaVersion(probe).finally(() => probe.close());
  const database = await open(createCipher(openKeyFile(keyPath, present === 0)));
  const newest = migrations.at(-1)?.version ?? 0;
  const backup = present > 0 && present < newest ? await backUp(config, database, present, clock) : undefined;
  return { database, backup, applied: await migrate(database, isoTime(clock)) };
}

/** A copy of the whole database beside it, before anything is changed. */
async function backUp(config: Config, database: Database, version: number, clock: Clock): Promise<string> {
  const folder = join(config.data, 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stem = join(folder, `before-${version + 1}-${isoTime(clock).replace(/[:.]/g, '-')}`);
  if (config.databaseUrl === undefined) {
    const path = `${stem}.sqlite`;
    await database.script(`VACUUM INTO '${unfinished(path).replaceAll("'", "''")}'`);
    return finish(path);
  }
  const path = `${stem}.dump`;
  const result = spawnSync('pg_dump', ['--format=custom', `--file=${unfinished(path)}`], { env: { PATH: process.env['PATH'], ...postgresEnvironment(config.databaseUrl) }, timeout: backupLimitMs, stdio: ['ignore', 'ignore', 'pipe'] });
  if (result.status !== 0) {
    throw new AppError('PRECONDITION_FAILED', `The backup before the migration failed, so nothing was changed: ${result.error?.message ?? result.stderr.toString().trim()}. Install the PostgreSQL client tools of the server's version.`);
  }
  return finish(path);
}

/** A backup gets its name only when it is whole and on the disk: set-up goes back to whatever bears such a name. */
function unfinished(path: string): string {
  return `${path}.part`;
}

function finish(path: string): string {
  const file = openSync(unfinished(path), 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished(path), path);
  return path;
}

/** The address as libpq's variables, so that the password stands in no argument. */
function postgresEnvironment(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const entries = { PGHOST: searchParams.get('host') ?? decodeURIComponent(hostname), PGPORT: port, PGUSER: decodeURIComponent(username), PGPASSWORD: decodeURIComponent(password), PGDATABASE: decodeURIComponent(pathname.slice(1)) };
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== ''));
}

function refuse(): never {
  throw new AppError('INTERNAL_SERVER_ERROR', 'The key is not open yet.');
}
