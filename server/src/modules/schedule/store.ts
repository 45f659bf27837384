/** SQL of schedules and their runs. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type ScheduleRecord = TableRecord<'schedule'>;
export type ScheduleRunRecord = TableRecord<'schedule_run'>;

export interface ScheduleStore extends TableStore<'schedule'> {
  runs: TableStore<'schedule_run'>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Enabled schedules that are due. */
  due(now: number): Promise<ScheduleRecord[]>;
  /** Queued and running runs of a schedule. */
  unfinished(scheduleId: string): Promise<ScheduleRunRecord[]>;
  /** Ids of finished runs beyond the newest ones. */
  old(scheduleId: string, keep: number): Promise<string[]>;
}

export function createScheduleStore(database: Database): ScheduleStore {
  const { builder } = database;
  const schedules = tableStore(database, 'schedule');
  const runs = tableStore(database, 'schedule_run');
  return {
    ...schedules,
    runs,
    transaction: (work) => database.transaction(work),
    async due(now) {
      const rows = await database.run(
        sql<Record<string, unknown>>`select * from "schedule"
          where "enabled" = 1 and "nextRunAt" <= ${now} order by "nextRunAt", "scheduleId"`.compile(builder),
      );
      return rows.map(schedules.decode);
    },
    async unfinished(scheduleId) {
      const rows = await database.run(
        sql<Record<string, unknown>>`select * from "schedule_run"
          where "scheduleId" = ${scheduleId} and "status" in ('queued', 'running')`.compile(builder),
      );
      return rows.map(runs.decode);
    },
    async old(scheduleId, keep) {
      const rows = await database.run(
        sql<{ scheduleRunId: string }>`select "scheduleRunId" from "schedule_run"
          where "scheduleId" = ${scheduleId} and "status" not in ('queued', 'running')
          order by "sequence" desc limit 1000 offset ${keep}`.compile(builder),
      );
      return rows.map(({ scheduleRunId }) => scheduleRunId);
    },
  };
}
