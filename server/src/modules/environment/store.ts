import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';

export interface EnvironmentStore extends TableStore<'environment'> {
  countServices(environmentId: string): Promise<number>;
  /** Lowest network index that no environment uses. */
  freeNetworkIndex(): Promise<number>;
  ids(): Promise<string[]>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createEnvironmentStore(database: Database): EnvironmentStore {
  const { builder } = database;
  const services = builder.selectFrom('application').select((e) => e.fn.countAll<number>().as('count')).where('environmentId', '=', '').compile();
  const allIds = builder.selectFrom('environment').select('environmentId').compile();
  const freeIndex = sql<{ free: number }>`select coalesce(min(e."networkIndex") + 1, 1) as "free" from (
      select 0 as "networkIndex" union all select "networkIndex" from "environment" where "networkIndex" is not null) e
    where not exists (select 1 from "environment" o where o."networkIndex" = e."networkIndex" + 1)`.compile(builder);
  return {
    ...tableStore(database, 'environment'),
    countServices: async (environmentId) => Number((await database.run(services, [environmentId]))[0]?.count ?? 0),
    freeNetworkIndex: async () => Number((await database.run(freeIndex))[0]?.free ?? 1),
    ids: async () => (await database.run(allIds)).map(({ environmentId }) => environmentId),
    transaction: (work) => database.transaction(work),
  };
}
