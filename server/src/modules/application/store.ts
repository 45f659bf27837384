/** SQL of applications. */
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';

export interface Placement {
  environmentId: string;
  environmentName: string;
  projectId: string;
  projectName: string;
  organizationId: string;
}

export interface ApplicationStore extends TableStore<'application'> {
  /** Environment and project of an application. */
  placement(environmentId: string): Promise<Placement | undefined>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createApplicationStore(database: Database): ApplicationStore {
  const { builder } = database;
  const placement = builder
    .selectFrom('environment as e')
    .innerJoin('project as p', 'p.projectId', 'e.projectId')
    .select([
      'e.environmentId',
      'e.name as environmentName',
      'p.projectId',
      'p.name as projectName',
      'p.organizationId',
    ])
    .where('e.environmentId', '=', '')
    .compile();
  return {
    ...tableStore(database, 'application'),
    placement: async (environmentId) => (await database.run(placement, [environmentId]))[0],
    transaction: (work) => database.transaction(work),
  };
}
