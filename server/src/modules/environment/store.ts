import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { freeNetworkIndex, type FreeNetworkIndex } from '../../db/values/network-index.ts';
import { idList } from '../../db/values/id-list.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { EnvironmentRecord } from '../../db/tables.ts';
import type { ListedEnvironment } from './record.ts';

export interface EnvironmentStore extends TableStore<'environment'> {
  /** Services of every kind. */
  countServices(environmentId: string): Promise<number>;
  /** Newest first. */
  ofProjects(organizationId: string, projectIds: readonly string[]): Promise<EnvironmentRecord[]>;
  /** Of the organization, or of one of its projects; newest first, without their variables. */
  listed(organizationId: string, projectIds?: readonly string[]): Promise<ListedEnvironment[]>;
  freeNetworkIndex: FreeNetworkIndex;
  ids(): Promise<string[]>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

const listedColumns = [
  'environmentId',
  'revision',
  'organizationId',
  'projectId',
  'name',
  'description',
  'isDefault',
  'networkIndex',
  'createdAt',
] as const satisfies (keyof ListedEnvironment)[];

export function createEnvironmentStore(database: Database): EnvironmentStore {
  const { builder } = database;
  const environments = tableStore(database, 'environment');
  const services = sql<{ count: number }>`select
    (select count(*) from "application" where "environmentId" = ${''})
    + (select count(*) from "database" where "environmentId" = ${''})
    + (select count(*) from "compose" where "environmentId" = ${''}) as "count"`.compile(builder);
  const newest = builder
    .selectFrom('environment')
    .where('organizationId', '=', '')
    .orderBy('createdAt', 'desc')
    .orderBy('environmentId', 'desc');
  const withoutVariables = newest.select(listedColumns);
  const ofProjects = idList((ids) => newest.selectAll().where('projectId', 'in', ids).compile());
  const listedOfProjects = idList((ids) => withoutVariables.where('projectId', 'in', ids).compile());
  const listedOfAll = withoutVariables.compile();
  const decodeListed = (row: object): ListedEnvironment => environments.decode({ ...row });
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
    async listed(organizationId, projectIds) {
      if (!projectIds) return (await database.run(listedOfAll, [organizationId])).map(decodeListed);
      const list = listedOfProjects.of(projectIds);
      return list ? (await database.run(list.query, [organizationId, ...list.ids])).map(decodeListed) : [];
    },
    freeNetworkIndex: freeNetworkIndex(database),
    ids: async () => (await database.run(allIds)).map(({ environmentId }) => environmentId),
    transaction: (work) => database.transaction(work),
  };
}
