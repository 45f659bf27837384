import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';
import type { DatabaseKindName } from '../../domain/database-kind.ts';

export type BackupRecord = TableRecord<'backup'>;
export type BackupRunRecord = TableRecord<'backup_run'>;

export interface BackupStore extends TableStore<'backup'> {
  /** A database of the organization; undefined when there is no such one. */
  database(
    databaseId: string,
    organizationId: string,
  ): Promise<{ kind: DatabaseKindName; appName: string } | undefined>;
  /** The enabled ones whose time (epoch milliseconds) has come or is not counted yet. */
  due(now: number): Promise<BackupRecord[]>;
  /** The enabled ones that watch for a last good backup. */
  watched(): Promise<BackupRecord[]>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createBackupStore(database: Database): BackupStore {
  const rows = tableStore(database, 'backup');
  const named = database.builder
    .selectFrom('database')
    .select(['kind', 'appName'])
    .where('databaseId', '=', '')
    .where('organizationId', '=', '')
    .compile();
  const due = sql<Record<string, unknown>>`select * from "backup"
    where "enabled" = 1 and ("nextRunAt" is null or "nextRunAt" <= ${0}
      or ("verifySchedule" is not null and ("nextVerifyAt" is null or "nextVerifyAt" <= ${0})))`.compile(
    database.builder,
  );
  const watched = sql<
    Record<string, unknown>
  >`select * from "backup" where "enabled" = 1 and "alarmAfterHours" is not null`.compile(database.builder);
  return {
    ...rows,
    database: async (databaseId, organizationId) =>
      (await database.run(named, [databaseId, organizationId]))[0],
    due: async (now) => (await database.run(due, [now, now])).map(rows.decode),
    watched: async () => (await database.run(watched, [])).map(rows.decode),
    transaction: (work) => database.transaction(work),
  };
}

export interface BackupRunStore extends TableStore<'backup_run'> {
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Queued and running ones, oldest first. */
  unfinished(): Promise<BackupRunRecord[]>;
}

export function createBackupRunStore(database: Database): BackupRunStore {
  const rows = tableStore(database, 'backup_run');
  const unfinished = sql<
    Record<string, unknown>
  >`select * from "backup_run" where "status" in ('queued', 'running') order by "sequence"`.compile(
    database.builder,
  );
  return {
    ...rows,
    transaction: (work) => database.transaction(work),
    unfinished: async () => (await database.run(unfinished, [])).map(rows.decode),
  };
}
