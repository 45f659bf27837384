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
  const insert = insertOf(builder);
  return {
    async write({ events }) {
      if (events.length === 0) return;
      const [head] = await run(count, [events.length]);
      let position = (head?.position ?? 0) - events.length;
      for (const event of events) {
        position += 1;
        await change(insert, [position, ...columns.map((name) => event[name])]);
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

function insertOf(builder: Kysely<Tables>) {
  const names = ['position', ...columns].map((name) => sql.ref(name));
  const values = ['position', ...columns].map(() => sql`${''}`);
  return sql`insert into "event" (${sql.join(names)}) values (${sql.join(values)})`.compile(builder);
}
