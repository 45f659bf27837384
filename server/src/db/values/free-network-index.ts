/** The lowest index of the network pool that neither an environment nor a compose service has. */
import { sql } from 'kysely';
import type { Database } from '../database.ts';

export function freeNetworkIndex(database: Database): () => Promise<number> {
  const used = sql`select "networkIndex" from "environment" where "networkIndex" is not null
    union all select "networkIndex" from "compose" where "networkIndex" is not null`;
  const free = sql<{ free: number }>`select coalesce(min(e."networkIndex") + 1, 1) as "free"
    from (select 0 as "networkIndex" union all ${used}) e
    where not exists (select 1 from (${used}) o where o."networkIndex" = e."networkIndex" + 1)`.compile(
    database.builder,
  );
  return async () => Number((await database.run(free))[0]?.free ?? 1);
}
