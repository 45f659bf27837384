/** Two changes at once, in the order in which a race goes wrong. */
import { sql } from 'kysely';
import type { Database } from '../../server/src/db/database.ts';

/** Whether a statement of this database waits for a lock. */
async function somebodyWaits({ run, builder }: Database): Promise<boolean> {
  const waiting = sql<{ count: number }>`select count(*) as "count" from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.compile(builder);
  return Number((await run(waiting))[0]?.count) > 0;
}

/**
 * Until `work` has ended or waits for a lock; on SQLite at once, where it waits for whoever writes. Asked
 * outside of transactions, in which PostgreSQL gives the first answer again.
 */
export async function endedOrWaiting(database: Database, work: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const ended = (): void => void (hasEnded = true);
  work.then(ended, ended);
  while (database.dialect === 'postgres' && !hasEnded && !(await somebodyWaits(database)))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/** The second begins when the first has done its work, and the first is stored once the second waits. */
export async function atOnce(
  database: Database,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<PromiseSettledResult<unknown>[]> {
  const done = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const early = database.transaction(async () => {
    await first();
    done.resolve();
    await gate.promise;
  });
  await Promise.race([done.promise, early]);
  const late = second();
  await endedOrWaiting(database, late);
  gate.resolve();
  return Promise.allSettled([early, late]);
}
