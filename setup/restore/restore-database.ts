/** Puts back the database as it was before a new version's migrations. */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext } from '../context.ts';
import { runCommand } from '../process/run-command.ts';

const limitMs = 30 * 60_000;

/** Names of the backups that Berth made before migrations (`before-<version>-<time>.sqlite` or `.dump`). */
export function migrationBackups(backups: string): string[] {
  if (!existsSync(backups)) return [];
  return readdirSync(backups)
    .filter((name) => /^before-.*\.(sqlite|dump)$/.test(name))
    .toSorted();
}

/**
 * The backup to go back to: the oldest of those made since the upgrade began. A new version that crashes amid
 * its migrations and starts again makes further ones, of a half-migrated database.
 */
export function firstNewBackup(
  before: readonly string[],
  now: readonly { name: string; madeAt: number }[],
): string | undefined {
  return now.filter(({ name }) => !before.includes(name)).toSorted((a, b) => a.madeAt - b.madeAt)[0]?.name;
}

/**
 * Berth must be stopped. Throws PRECONDITION_FAILED when the backup cannot be put back; the backup itself
 * always stays.
 */
export async function restoreDatabase(context: SetupContext, backup: string): Promise<void> {
  if (backup.endsWith('.sqlite')) return restoreSqlite(context.layout.database, backup);
  const { databaseUrl } = context.settings;
  if (databaseUrl === undefined)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${backup} is of a PostgreSQL database, but no DATABASE_URL is set.`,
    );
  await restorePostgres(databaseUrl, backup, context.signal);
}

/**
 * The log and index of write-ahead mode belong to the file that goes; left beside another database they would
 * corrupt it.
 */
export function restoreSqlite(database: string, backup: string): void {
  const fresh = `${database}.restored`;
  copyFileSync(backup, fresh);
  for (const suffix of ['-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true });
  renameSync(fresh, database);
}

/**
 * Tables that the new version added are not in the dump, so ours are dropped first, in the same transaction.
 */
const dropOwnTables = `DO $$
DECLARE own record;
BEGIN
  FOR own IN SELECT schemaname, tablename FROM pg_tables
    WHERE schemaname = current_schema() AND tableowner = current_user LOOP
    EXECUTE format('DROP TABLE %I.%I CASCADE', own.schemaname, own.tablename);
  END LOOP;
END $$;
`;

/** From pg_dump's custom format, all in one transaction; passwords go by the environment. */
export async function restorePostgres(
  databaseUrl: string,
  backup: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-restore-'));
  try {
    const [drop, restore] = [join(folder, 'drop.sql'), join(folder, 'restore.sql')];
    writeFileSync(drop, dropOwnTables);
    await runCommand(['pg_restore', '--no-owner', '--no-privileges', '--file', restore, backup], {
      signal,
      limitMs,
    });
    const psql = [
      'psql',
      '--no-psqlrc',
      '--quiet',
      '--set',
      'ON_ERROR_STOP=1',
      '--single-transaction',
      '--file',
      drop,
      '--file',
      restore,
    ] as const;
    await runCommand(psql, { signal, limitMs, env: postgresVariables(databaseUrl) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The address as libpq's variables: an argument would show the password to every user of the machine. */
export function postgresVariables(databaseUrl: string): Record<string, string> {
  const url = new URL(databaseUrl);
  const entries: [string, string][] = [
    ['PGHOST', url.searchParams.get('host') ?? decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ''))],
    ['PGPORT', url.port],
    ['PGUSER', decodeURIComponent(url.username)],
    ['PGPASSWORD', decodeURIComponent(url.password)],
    ['PGDATABASE', decodeURIComponent(url.pathname.slice(1))],
    ['PGSSLMODE', url.searchParams.get('sslmode') ?? ''],
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}
