/**
 * One Berth at a time works with a PostgreSQL database, from whichever machine. It holds the database by a
 * row that it renews, and not by a lock of the server: a pooler in between would keep such a lock for whoever
 * comes next. Times are those of the database's clock, so that machines need not agree on theirs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type CompiledQuery } from 'kysely';
import { AppError } from '../../domain/errors.ts';
import type { Database } from '../database.ts';

export interface Holder {
  /** Another one for each start. */
  holderId: string;
  /** The data folder on this machine since it was started: one Berth lives there (`instance-lock.ts`). */
  place: string;
  /** Name of the machine, and path of the data folder, for people. */
  host: string;
  data: string;
}

interface HoldingTimes {
  /** How long a holder that says nothing more keeps the database from others. */
  keptMs: number;
  renewEveryMs: number;
}

export interface Holding {
  /** Stops renewing, and lets others in at once. */
  end(): Promise<void>;
}

const usualTimes: HoldingTimes = { keptMs: 15_000, renewEveryMs: 5_000 };

/**
 * Resolves when the database is held; a holder that died elsewhere is waited for, `keptMs` at most.
 * PRECONDITION_FAILED when another Berth holds it and lives. `onLost` is called once, when another one has
 * taken it over meanwhile: nothing may be changed any more then.
 */
export async function holdDatabase(
  database: Database,
  holder: Holder,
  onLost: (sentence: string) => void,
  times: HoldingTimes = usualTimes,
): Promise<Holding> {
  await database.script(
    'CREATE TABLE IF NOT EXISTS "database_holder" ("only" BIGINT PRIMARY KEY, "holderId" TEXT NOT NULL, ' +
      '"place" TEXT NOT NULL, "host" TEXT NOT NULL, "data" TEXT NOT NULL, "since" TIMESTAMPTZ NOT NULL, ' +
      '"until" TIMESTAMPTZ NOT NULL)',
  );
  const rows = holderRows(database, holder, times);
  await taken(rows, times);
  const stopped = new AbortController();
  const renewing = renew(rows, times, stopped.signal, onLost);
  return {
    async end() {
      stopped.abort();
      await renewing;
      await rows.free();
    },
  };
}

/**
 * Holding of the database that the configuration names, once it is open; of SQLite the data folder's lock
 * says enough. Nobody holds it without `onLost`.
 */
export function createDatabaseHolding(
  databaseUrl: string | undefined,
  holder: () => Holder,
  onLost: ((sentence: string) => void) | undefined,
): { begin(database: Database): Promise<void>; end(): Promise<void> } {
  let holding: Holding | undefined;
  return {
    async begin(database) {
      if (databaseUrl === undefined || onLost === undefined) return;
      holding = await holdDatabase(database, holder(), onLost);
    },
    end: async () => holding?.end(),
  };
}

type HolderRows = ReturnType<typeof holderRows>;

function holderRows(database: Database, { holderId, place, host, data }: Holder, times: HoldingTimes) {
  const change = (query: CompiledQuery<unknown>): Promise<number> => database.change(query);
  const until = sql`clock_timestamp() + ${times.keptMs} * interval '1 millisecond'`;
  return {
    take: async (): Promise<boolean> =>
      (await change(
        sql`insert into "database_holder" ("only", "holderId", "place", "host", "data", "since", "until")
          values (1, ${holderId}, ${place}, ${host}, ${data}, clock_timestamp(), ${until})
          on conflict ("only") do update set "holderId" = excluded."holderId", "place" = excluded."place",
            "host" = excluded."host", "data" = excluded."data", "since" = excluded."since",
            "until" = excluded."until"
          where "database_holder"."until" < clock_timestamp()
            or "database_holder"."place" = excluded."place"`.compile(database.builder),
      )) > 0,
    renew: async (): Promise<boolean> =>
      (await change(
        sql`update "database_holder" set "until" = ${until} where "holderId" = ${holderId}`.compile(
          database.builder,
        ),
      )) > 0,
    free: () =>
      change(
        sql`delete from "database_holder" where "holderId" = ${holderId}`.compile(database.builder),
      ).catch(() => undefined),
    present: async (): Promise<PresentHolder | undefined> =>
      (
        await database.run(
          sql<PresentHolder>`select "host", "data", to_char("until", 'YYYY-MM-DD HH24:MI:SS.US') as "until",
            to_char("since" at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as "since"
            from "database_holder"`.compile(database.builder),
        )
      )[0],
  };
}

interface PresentHolder {
  host: string;
  data: string;
  since: string;
  until: string;
}

/** Looks as often as a holder renews: one that did meanwhile lives. */
async function taken(rows: HolderRows, { renewEveryMs }: HoldingTimes): Promise<void> {
  let seen: string | undefined;
  for (;;) {
    if (await rows.take()) return;
    const present = await rows.present();
    if (present !== undefined && seen !== undefined && present.until !== seen)
      throw new AppError('PRECONDITION_FAILED', `${heldBy(present)} ${waysOut}`);
    seen = present?.until;
    await sleep(renewEveryMs / 2);
  }
}

const waysOut =
  'Two on one database would both run its deployments and backups. Stop that one first (./bin/down there), ' +
  'or give this one a database of its own (DATABASE_URL).';

function heldBy({ host, data, since }: PresentHolder): string {
  return (
    `Another Berth works with this database since ${since} UTC: on the machine ${host}, with the data ` +
    `folder ${data}.`
  );
}

async function renew(
  rows: HolderRows,
  { renewEveryMs }: HoldingTimes,
  stopped: AbortSignal,
  onLost: (sentence: string) => void,
): Promise<void> {
  for (;;) {
    await sleep(renewEveryMs, undefined, { signal: stopped, ref: false }).catch(() => undefined);
    if (stopped.aborted) return;
    // While the database does not answer nothing can be changed in it, and whoever asks is told so.
    const isHeld = await rows.renew().catch(() => true);
    if (isHeld) continue;
    const present = await rows.present().catch(() => undefined);
    onLost(
      (present === undefined ? 'This Berth no longer holds its database.' : heldBy(present)) +
        ' This one stops, so that no work is done twice.',
    );
    return;
  }
}
