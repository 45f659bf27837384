/**
 * Events that are stored with the change they tell of (decisions 14): gathered while a transaction runs and
 * written as its last statements. Positions are counted in one row, which is held only from there to the
 * commit: so their order is that of the commits, in both databases, and no transaction waits for another one
 * that waits for it.
 */
import { sql, type Kysely } from 'kysely';
import type { Database } from './database.ts';
import type { NewEvent, Tables } from './tables.ts';

/** What a transaction has gathered. */
export interface Gathered {
  events: NewEvent[];
}

export interface Outbox {
  /** Writes what was gathered, as the last of a transaction. */
  write(gathered: Gathered): Promise<void>;
  /** Work that can fail by itself takes its events with it. */
  attempt<T>(gathered: Gathered | undefined, work: () => Promise<T>): Promise<T>;
  /** Calls the listeners, after a commit. */
  committed(gathered: Gathered): void;
  listen(listener: () => void): () => void;
}

export function createOutbox({ builder, run, change }: Pick<Database, 'builder' | 'run' | 'change'>): Outbox {
  const listeners = new Set<() => void>();
  const count = sql<{ position: number }>`insert into "event_head" ("headId", "position") values (1, ${0})
    on conflict ("headId") do update set "position" = "event_head"."position" + excluded."position"
    returning "position"`.compile(builder);
  const inserts = Array.from({ length: eventsAtOnce }, (_, index) => insertOf(builder, index + 1));
  return {
    async write({ events }) {
      if (events.length === 0) return;
      const [head] = await run(count, [events.length]);
      const first = (head?.position ?? 0) - events.length + 1;
      for (let from = 0; from < events.length; from += eventsAtOnce) {
        const some = events.slice(from, from + eventsAtOnce);
        const insert = inserts[some.length - 1];
        const rows = some.map((event, index) => [
          first + from + index,
          ...columns.map((name) => event[name]),
        ]);
        if (insert) await change(insert, rows.flat());
      }
    },
    async attempt(gathered, work) {
      const length = gathered?.events.length ?? 0;
      try {
        return await work();
      } catch (error) {
        gathered?.events.splice(length);
        throw error;
      }
    },
    committed({ events }) {
      if (events.length > 0) for (const listener of listeners) listener();
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Rows of one statement: a change tells of one thing or two, a look at an engine of many. */
const eventsAtOnce = 8;

const columns = [
  'at',
  'organizationId',
  'projectId',
  'environmentId',
  'serviceId',
  'formerProjectId',
  'formerEnvironmentId',
  'userId',
  'kind',
  'what',
  'resourceId',
  'status',
  'stage',
] as const satisfies (keyof NewEvent)[];

function insertOf(builder: Kysely<Tables>, count: number) {
  const names = ['position', ...columns].map((name) => sql.ref(name));
  const row = sql`(${sql.join(names.map(() => sql`${''}`))})`;
  return sql`insert into "event" (${sql.join(names)})
    values ${sql.join(Array.from({ length: count }, () => row))}`.compile(builder);
}
