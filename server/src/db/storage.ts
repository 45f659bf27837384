/** Opens the database: key file, backup before migrations, migrations. */
import { execFile } from 'node:child_process';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createCipher, openKeyFile } from './values/cipher.ts';
import type { Database } from './database.ts';
import { migrate, migrations, schemaVersion } from './migrations.ts';
import { openSqlite } from './sqlite.ts';
import { AppError, sentenceOf } from '../domain/errors.ts';

/** Where the state is kept, as the configuration says. */
export interface StoragePlace {
  /** Berth's data folder. */
  data: string;
  /** Of PostgreSQL; SQLite without it. */
  databaseUrl: string | undefined;
  sqliteSynchronous: 'NORMAL' | 'FULL';
}

export interface OpenedStorage {
  database: Database;
  /** Whether this made it. */
  isNew: boolean;
  applied: number[];
}

const backupLimitMs = 10 * 60_000;

interface Opening {
  /** Waited for before anything in the database is changed. */
  hold?(database: Database): Promise<void>;
  /** Told with the path of the backup that was made before; none is of a new database. */
  onMigrated?(sentence: string, fields: { backup: string | undefined }): void;
}

export async function openStorage(
  config: StoragePlace,
  now: () => string,
  { hold, onMigrated }: Opening = {},
): Promise<OpenedStorage> {
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  const keyPath = join(config.data, 'berth.key');
  // A database that holds secrets without its key must not get a new key; the version tells whether it is a
  // fresh one.
  const probe = await connect(config, withoutKey);
  const present = await schemaVersion(probe).finally(() => probe.close());
  const database = await connect(config, createCipher(openKeyFile(keyPath, present === 0)));
  await hold?.(database);
  const backup = present > 0 && present < newest ? await backUp(config, database, present, now) : undefined;
  const applied = await migrate(database, now());
  if (applied.length > 0) onMigrated?.(`Database migrated to version ${applied.at(-1) ?? 0}`, { backup });
  return { database, applied, isNew: present === 0 };
}

/**
 * The database as it is, for a command beside a Berth that may be running: never made, never migrated, and
 * without the key, so that no secret in it can be read or written. PRECONDITION_FAILED when there is none, or
 * one of another version.
 */
export async function openPresent(config: StoragePlace): Promise<Database> {
  if (config.databaseUrl === undefined && !existsSync(sqlitePath(config))) {
    throw new AppError(
      'PRECONDITION_FAILED',
      `There is no database at ${sqlitePath(config)}. Give Berth's data folder in BERTH_DATA.`,
    );
  }
  const database = await connect(config, withoutKey);
  try {
    const present = await schemaVersion(database);
    if (present === newest) return database;
    throw new AppError(
      'PRECONDITION_FAILED',
      `The database is at version ${present}, this command is made for ${newest}. Use the command of ` +
        'the Berth that runs, or upgrade Berth with ./bin/up first.',
    );
  } catch (error) {
    await database.close();
    throw error;
  }
}

const newest = migrations.at(-1)?.version ?? 0;
const withoutKey = { encrypt: refuse, decrypt: refuse, sign: refuse };

export function sqlitePath({ data }: Pick<StoragePlace, 'data'>): string {
  return join(data, 'berth.sqlite');
}

async function connect(config: StoragePlace, cipher: Database['cipher']): Promise<Database> {
  if (config.databaseUrl === undefined)
    return openSqlite({ path: sqlitePath(config), synchronous: config.sqliteSynchronous, cipher });
  // Loaded where it is used: the driver costs 11 MB.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres({ url: config.databaseUrl, cipher });
}

/**
 * Writes a consistent copy of the whole database to this path: an SQLite file, or a dump in pg_dump's own
 * format. PRECONDITION_FAILED when it cannot.
 */
export async function copyDatabase(
  config: Pick<StoragePlace, 'databaseUrl'>,
  database: Database,
  path: string,
): Promise<void> {
  if (config.databaseUrl === undefined) {
    await database.script(`VACUUM INTO '${path.replaceAll("'", "''")}'`);
    return;
  }
  const env = { PATH: process.env['PATH'], ...postgresEnvironment(config.databaseUrl) };
  await new Promise<void>((resolve, reject) => {
    execFile(
      'pg_dump',
      ['--format=custom', `--file=${path}`],
      { env, timeout: backupLimitMs },
      (error, _stdout, stderr) => {
        if (error)
          reject(
            new AppError(
              'PRECONDITION_FAILED',
              `The database could not be dumped: ${stderr.trim() || error.message}. The PostgreSQL ` +
                `client tools must be installed, in the server's version.`,
              { cause: error },
            ),
          );
        else resolve();
      },
    );
  });
}

/** A copy of the whole database beside it, before anything is changed. */
async function backUp(
  config: StoragePlace,
  database: Database,
  version: number,
  now: () => string,
): Promise<string> {
  const folder = join(config.data, 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stem = join(folder, `before-${version + 1}-${now().replace(/[:.]/g, '-')}`);
  const path = `${stem}.${config.databaseUrl === undefined ? 'sqlite' : 'dump'}`;
  try {
    await copyDatabase(config, database, unfinished(path));
  } catch (error) {
    throw new AppError(
      'PRECONDITION_FAILED',
      `The backup before the migration failed, so nothing was changed: ${sentenceOf(error)}`,
      { cause: error },
    );
  }
  return finish(path);
}

/**
 * A backup gets its name only when it is whole and on the disk: set-up goes back to whatever bears such a
 * name.
 */
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
  const entries = {
    PGHOST: searchParams.get('host') ?? decodeURIComponent(hostname),
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  };
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== ''));
}

function refuse(): never {
  throw new AppError('INTERNAL_SERVER_ERROR', 'The key is not open yet.');
}
