/** SQL of events: those after a position, in the order of their commits. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { fixedLimit } from '../../db/values/fixed-limit.ts';
import { tableStore } from '../../db/table-store.ts';
import type { NewEvent, TableRecord } from '../../db/tables.ts';
import type { Grants } from '../../domain/access/permissions.ts';

export type EventRecord = TableRecord<'event'>;

export interface EventStore {
  tell(event: NewEvent): Promise<void>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
  onTold(listener: () => void): () => void;
  /** The newest position; 0 before the first. */
  head(): Promise<number>;
  /** The position after which everything is there, of events from this time (epoch ms) on. */
  keptFrom(since: number): Promise<number>;
  /** At most `pageSize` after this position, in their order. */
  after(position: number): Promise<EventRecord[]>;
  /** Removes those from before this time (epoch ms), and every older position. */
  prune(before: number): Promise<void>;
  /** Whether one of these grants opens something in the project or environment. */
  reachesInto(grants: Grants, place: { projectId: string; environmentId: string | null }): Promise<boolean>;
}

export const pageSize = 500;

export function createEventStore(database: Database): EventStore {
  const { builder, run, change } = database;
  const { decode } = tableStore(database, 'event');
  const head = builder.selectFrom('event_head').select('position').compile();
  const kept = sql<{ position: number | null; oldest: number | null }>`select
    (select max("position") from "event" where "at" < ${0}) as "position",
    (select min("position") from "event") as "oldest"`.compile(builder);
  const after = builder
    .selectFrom('event')
    .selectAll()
    .where('position', '>', 0)
    .orderBy('position')
    .limit(fixedLimit(pageSize))
    .compile();
  const prune = sql`delete from "event" where "position" <=
    (select max("position") from "event" where "at" < ${0})`.compile(builder);
  const services = ['application', 'database', 'compose'] as const;
  const inside = sql<{ environmentId: string; serviceId: string | null }>`
    select e."environmentId", s."serviceId" from "environment" as e left join (${sql.join(
      services.map((table) => {
        const id = sql.ref(`${table}Id`);
        return sql`select ${id} as "serviceId", "environmentId" from ${sql.table(table)}`;
      }),
      sql` union all `,
    )}) as s on s."environmentId" = e."environmentId"
    where e."projectId" = ${''}`.compile(builder);
  const readHead = async (): Promise<number> => (await run(head))[0]?.position ?? 0;
  return {
    tell: (event) => database.tell(event),
    transaction: (work) => database.transaction(work),
    onTold: (listener) => database.onTold(listener),
    head: readHead,
    async keptFrom(since) {
      const [row] = await run(kept, [since]);
      if (row !== undefined && row.position !== null) return row.position;
      return row === undefined || row.oldest === null ? readHead() : row.oldest - 1;
    },
    after: async (position) => (await run(after, [position])).map(decode),
    prune: async (before) => {
      await change(prune, [before]);
    },
    async reachesInto({ accessedEnvironments, accessedServices }, { projectId, environmentId }) {
      const rows = await run(inside, [projectId]);
      return rows.some(
        (row) =>
          (environmentId === null || row.environmentId === environmentId) &&
          (accessedEnvironments.includes(row.environmentId) ||
            (row.serviceId !== null && accessedServices.includes(row.serviceId))),
      );
    },
  };
}
