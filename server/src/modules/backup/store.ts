import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { NewEvent, TableRecord } from '../../db/tables.ts';
import { systemClock } from '../../ports/clock.ts';
import type { Scope } from '../../domain/access/permissions.ts';
import type { DatabaseKindName } from '../../domain/database-kind.ts';

export type BackupRecord = TableRecord<'backup'>;
export type BackupRunRecord = TableRecord<'backup_run'>;

export interface BackupStore extends TableStore<'backup'> {
  /** A database of the organization; undefined when there is no such one. */
  database(
    databaseId: string,
    organizationId: string,
  ): Promise<{ kind: DatabaseKindName; appName: string } | undefined>;
  /** Of an organization, newest first, with where their databases stand. */
  everywhere(organizationId: string): Promise<{ record: BackupRecord; scope: Scope }[]>;
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
  const everywhere = sql<Record<string, unknown> & { projectId: string; environmentId: string }>`
    select b.*, e."environmentId", e."projectId" from "backup" as b
    join "database" as d on d."databaseId" = b."databaseId"
    join "environment" as e on e."environmentId" = d."environmentId"
    where b."organizationId" = ${''} order by b."createdAt" desc, b."backupId" desc`.compile(
    database.builder,
  );
  const watched = sql<
    Record<string, unknown>
  >`select * from "backup" where "enabled" = 1 and "alarmAfterHours" is not null`.compile(database.builder);
  return {
    ...rows,
    database: async (databaseId, organizationId) =>
      (await database.run(named, [databaseId, organizationId]))[0],
    everywhere: async (organizationId) =>
      (await database.run(everywhere, [organizationId])).map(({ projectId, environmentId, ...row }) => {
        const record = rows.decode(row);
        const serviceId = record.databaseId ?? undefined;
        return { record, scope: { organizationId, projectId, environmentId, serviceId } };
      }),
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
  const tell = tellRun(database);
  return {
    ...rows,
    insert: (record) =>
      database.transaction(async () => {
        await rows.insert(record);
        await tell(record.backupRunId);
      }),
    update: (where, patch) =>
      database.transaction(async () => {
        const changed = await rows.update(where, patch);
        if (changed > 0 && where.backupRunId !== undefined) await tell(where.backupRunId);
        return changed;
      }),
    transaction: (work) => database.transaction(work),
    unfinished: async () => (await database.run(unfinished, [])).map(rows.decode),
  };
}

/** Every step of a run is told with it (decisions 14), to whoever may read its backup. */
function tellRun({ builder, run, tell }: Database): (backupRunId: string) => Promise<void> {
  const place = sql<
    Pick<NewEvent, 'organizationId' | 'projectId' | 'environmentId' | 'serviceId' | 'status'>
  >`
    select r."organizationId", e."projectId", e."environmentId", r."databaseId" as "serviceId", r."status"
    from "backup_run" as r
    join "database" as d on d."databaseId" = r."databaseId"
    join "environment" as e on e."environmentId" = d."environmentId"
    where r."backupRunId" = ${''}`.compile(builder);
  return async (backupRunId) => {
    const [row] = await run(place, [backupRunId]);
    if (row)
      await tell({
        ...row,
        at: systemClock.now(),
        formerProjectId: null,
        formerEnvironmentId: null,
        userId: null,
        kind: 'backup',
        what: 'updated',
        resourceId: backupRunId,
        stage: null,
      });
  };
}
