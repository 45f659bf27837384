/**
 * SQL of build slots: the job's row says whether it waits for one or holds one, and both end with its lease.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../db/database.ts';
import { tableStore } from '../db/table-store.ts';
import type { JobRecord } from '../db/tables.ts';
import type { SlotJob } from '../ports/build-slots.ts';

export interface SlotStore {
  /** The job waits from now on. */
  ask(job: SlotJob): Promise<void>;
  /**
   * Gives the job a slot when one of its server's `limit` is free and nobody waits before it; false
   * otherwise. `now` is in milliseconds since the epoch.
   */
  take(job: SlotJob, limit: number, now: number): Promise<boolean>;
  /** Jobs of the server that hold a slot or wait before this one, in their order. */
  ahead(job: SlotJob, now: number): Promise<JobRecord[]>;
  /** Neither waits nor holds any longer; false when it did neither. */
  give(job: SlotJob): Promise<boolean>;
}

/** Who waits before whom. The one place that orders builds. */
const isBefore = (other: RawBuilder<unknown>, sequence: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${other} < ${sequence}`;

export function createSlotStore(database: Database): SlotStore {
  const jobs = tableStore(database, 'job');
  const living = ({ serverKey }: SlotJob, now: number): RawBuilder<unknown> =>
    sql`o."serverKey" = ${serverKey} and o."state" = 'running' and o."leaseUntil" >= ${now}`;
  const waitsBefore = ({ sequence }: SlotJob): RawBuilder<unknown> =>
    sql`o."slot" = 'waiting' and ${isBefore(sql`o."sequence"`, sql`${sequence}`)}`;

  return {
    async ask({ jobId, worker }) {
      await jobs.update({ jobId, worker, state: 'running', slot: 'none' }, { slot: 'waiting' });
    },
    take: (job, limit, now) =>
      database.transaction(async () => {
        // Several processes may ask at once; under this lock each sees what the one before it has done. On
        // SQLite writing transactions follow each other anyway.
        if (database.dialect === 'postgres')
          await database.run(
            sql`select pg_advisory_xact_lock(hashtext(${`berth build slots ${job.serverKey}`}))`.compile(
              database.builder,
            ),
          );
        const changed = await database.change(
          sql`
    update "job" set "slot" = 'held'
    where "jobId" = ${job.jobId} and "worker" = ${job.worker} and "state" = 'running' and "slot" = 'waiting'
      and (select count(*) from "job" o where ${living(job, now)} and o."slot" = 'held') < ${limit}
      and not exists (select 1 from "job" o where ${living(job, now)} and ${waitsBefore(job)})`.compile(
            database.builder,
          ),
        );
        return changed === 1;
      }),
    async ahead(job, now) {
      const rows = await database.run(
        sql<Record<string, unknown>>`
    select * from "job" o where ${living(job, now)} and o."jobId" <> ${job.jobId}
      and (o."slot" = 'held' or (${waitsBefore(job)})) order by o."slot", o."sequence"`.compile(
          database.builder,
        ),
      );
      return rows.map(jobs.decode);
    },
    async give({ jobId, worker }) {
      const row = await jobs.find({ jobId, worker });
      if (!row || row.slot === 'none') return false;
      return (await jobs.update({ jobId, worker, slot: row.slot }, { slot: 'none' })) === 1;
    },
  };
}
