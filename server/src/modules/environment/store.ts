import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { freeNetworkIndex, type FreeNetworkIndex } from '../../db/values/network-index.ts';
import { idList } from '../../db/values/id-list.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { EnvironmentRecord } from '../../db/tables.ts';

export interface EnvironmentStore extends TableStore<'environment'> {
  /** Services of every kind. */
  countServices(environmentId: string): Promise<number>;
  /** Newest first. */
  ofProjects(organizationId: string, projectIds: readonly string[]): Promise<EnvironmentRecord[]>;
  freeNetworkIndex: FreeNetworkIndex;
  ids(): Promise<string[]>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createEnvironmentStore(database: Database): EnvironmentStore {
  const { builder } = database;
  const environments = tableStore(database, 'environment');
  const services = sql<{ count: number }>`select
    (select count(*) from "application" where "environmentId" = ${''})
    + (select count(*) from "database" where "environmentId" = ${''})
    + (select count(*) from "compose" where "environmentId" = ${''}) as "count"`.compile(builder);
  const ofProjects = idList((ids) =>
    builder
      .selectFrom('environment')
      .selectAll()
      .where('organizationId', '=', '')
      .where('projectId', 'in', ids)
      .orderBy('createdAt', 'desc')
      .orderBy('environmentId', 'desc')
      .compile(),
  );
  const allIds = builder.selectFrom('environment').select('environmentId').compile();
  return {
    ...environments,
    countServices: async (environmentId) =>
      Number((await database.run(services, [environmentId, environmentId, environmentId]))[0]?.count ?? 0),
    async ofProjects(organizationId, projectIds) {
      const list = ofProjects.of(projectIds);
      return list
        ? (await database.run(list.query, [organizationId, ...list.ids])).map(environments.decode)
        : [];
    },
    freeNetworkIndex: freeNetworkIndex(database),
    ids: async () => (await database.run(allIds)).map(({ environmentId }) => environmentId),
    transaction: (work) => database.transaction(work),
  };
}
