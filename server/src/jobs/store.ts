/** SQL of the job queue: rows with leases, so that a crash loses nothing and leaves nothing stuck. */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { tableStore, type TableStore } from '../db/table-store.ts';
import type { JobRecord } from '../db/tables.ts';
import { fillsKey } from '../ports/queue.ts';

export interface JobStore extends TableStore<'job'> {
  /**
   * Takes the oldest job that may run now: queued or with a lost lease, first of its service, on a server
   * below its limit. `now` and `leaseUntil` are epoch milliseconds; `except` are jobs that the worker
   * itself still runs: after a pause of the whole machine their leases have run out too, and no job may run
   * twice.
   */
  claim(claim: {
    worker: string;
    now: number;
    leaseUntil: number;
    /** Jobs in flight on a server at most: a guard, not the limit of builds (slot-store.ts). */
    perServer: number;
    /** Backups at once. */
    backups: number;
    /** Databases of previews that are filled at once on a server. */
    fills: number;
    except: readonly string[];
  }): Promise<JobRecord | undefined>;
  /** Prolongs a lease; false when it was lost. */
  heartbeat(jobId: string, worker: string, leaseUntil: number): Promise<boolean>;
  finish(jobId: string, worker: string): Promise<boolean>;
  /** Gives up every lease: at the start of the only process on this database nobody else can hold one. */
  releaseAll(): Promise<number>;
  /** Removes finished rows older than this time (ISO 8601). */
  prune(before: string): Promise<void>;
}

export function createJobStore(database: Database): JobStore {
  const jobs = tableStore(database, 'job');
  const lock = database.dialect === 'postgres' ? sql`for update skip locked` : sql``;
  const claimQuery = ({
    worker,
    now,
    leaseUntil,
    perServer,
    backups,
    fills,
    except,
  }: Parameters<JobStore['claim']>[0]) =>
    sql<Record<string, unknown>>`
    update "job" set "state" = 'running', "worker" = ${worker}, "leaseUntil" = ${leaseUntil},
      "slot" = 'none', "attempts" = "attempts" + 1
    where "jobId" = (
      select j."jobId" from "job" j
      where (j."state" = 'queued' or (j."state" = 'running' and j."leaseUntil" < ${now}
          and j."jobId" not in (${sql.join(['', ...except])})))
        and not exists (
          select 1 from "job" e where e."serviceKey" = j."serviceKey" and e."sequence" < j."sequence"
            and e."state" in ('queued', 'running'))
        and (
          select count(*) from "job" r where r."serverKey" = j."serverKey" and r."state" = 'running'
            and r."leaseUntil" >= ${now})
          < (case when j."kind" = 'backup' and j."serverKey" like ${`${fillsKey('')}%`}
              then cast(${fills} as bigint)
            when j."kind" = 'backup' then cast(${backups} as bigint)
            else cast(${perServer} as bigint) end)
      order by j."sequence" limit 1 ${lock})
    returning *`.compile(database.builder);
  return {
    ...jobs,
    async claim(claim) {
      const [row] = await database.run(claimQuery(claim));
      return row && jobs.decode(row);
    },
    heartbeat: async (jobId, worker, leaseUntil) =>
      (await jobs.update({ jobId, worker, state: 'running' }, { leaseUntil })) === 1,
    finish: async (jobId, worker) =>
      (await jobs.update({ jobId, worker, state: 'running' }, { state: 'done', slot: 'none' })) === 1,
    releaseAll: () => jobs.update({ state: 'running' }, { leaseUntil: 0 }),
    prune: async (before) => {
      await database.change(
        sql`delete from "job" where "state" in ('done', 'cancelled') and "createdAt" < ${before}`.compile(
          database.builder,
        ),
      );
    },
  };
}
