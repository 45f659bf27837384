/**
 * SQL of build slots: the job's row says whether it waits for one or holds one, and both end with its lease.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../db/database.ts';
import { oneAtATime } from '../db/writing/one-at-a-time.ts';
import { tableStore } from '../db/table-store.ts';
import type { JobRecord } from '../db/tables.ts';
import type { SlotJob } from '../ports/engine/build-slots.ts';

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

/**
 * Who waits before whom: whoever's organization has fewer builds running, then whoever came first. The one
 * place that orders builds.
 */
const isBefore = (other: Turn, own: Turn): RawBuilder<unknown> =>
  sql`(${other.running} < ${own.running}
    or (${other.running} = ${own.running} and ${other.sequence} < ${own.sequence}))`;

interface Turn {
  /** How many of its organization's builds run. */
  running: RawBuilder<unknown>;
  sequence: RawBuilder<unknown>;
}

export function createSlotStore(database: Database): SlotStore {
  const jobs = tableStore(database, 'job');
  const living = ({ serverKey }: SlotJob, now: number, row = sql`o`): RawBuilder<unknown> =>
    sql`${row}."buildServerKey" = ${serverKey} and ${row}."state" = 'running'
      and ${row}."leaseUntil" >= ${now}`;
  /** Of the server's builds, those of the organization. */
  const runningOf = (job: SlotJob, now: number, organization: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select count(*) from "job" h where ${living(job, now, sql`h`)} and h."slot" = 'held'
      and h."organizationId" = ${organization})`;
  const turnOfOther = (job: SlotJob, now: number): Turn => ({
    running: runningOf(job, now, sql`o."organizationId"`),
    sequence: sql`o."sequence"`,
  });
  const waitsBefore = (job: SlotJob, now: number): RawBuilder<unknown> =>
    sql`o."slot" = 'waiting' and ${isBefore(turnOfOther(job, now), {
      running: runningOf(job, now, sql`${job.organizationId}`),
      sequence: sql`${job.sequence}`,
    })}`;

  return {
    async ask({ jobId, worker, organizationId, serverKey: buildServerKey }) {
      const waiting = { slot: 'waiting', organizationId, buildServerKey } as const;
      await jobs.update({ jobId, worker, state: 'running', slot: 'none' }, waiting);
    },
    take: (job, limit, now) =>
      database.transaction(async () => {
        // Several processes may ask at once; each sees what the one before it has done.
        await oneAtATime(database, `build slots ${job.serverKey}`);
        const changed = await database.change(
          sql`
    update "job" set "slot" = 'held'
    where "jobId" = ${job.jobId} and "worker" = ${job.worker} and "state" = 'running' and "slot" = 'waiting'
      and (select count(*) from "job" o where ${living(job, now)} and o."slot" = 'held') < ${limit}
      and not exists (select 1 from "job" o where ${living(job, now)} and ${waitsBefore(job, now)})`.compile(
            database.builder,
          ),
        );
        return changed === 1;
      }),
    async ahead(job, now) {
      const rows = await database.run(
        sql<Record<string, unknown>>`
    select * from "job" o where ${living(job, now)} and o."jobId" <> ${job.jobId}
      and (o."slot" = 'held' or (${waitsBefore(job, now)}))
      order by o."slot", ${turnOfOther(job, now).running}, o."sequence"`.compile(database.builder),
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
