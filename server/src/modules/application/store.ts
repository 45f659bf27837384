/** SQL of applications. */
import type { Database } from '../../db/database.ts';
import { decodeRow } from '../../db/values/codec.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import { tables } from '../../db/tables.ts';
import type { FindDatabase } from '../../domain/branch-origin.ts';

export interface Placement {
  environmentId: string;
  environmentName: string;
  projectId: string;
  projectName: string;
  organizationId: string;
}

/** The blocks of variables of both, as people wrote them. */
export interface Surroundings extends Placement {
  variables: { project: string; environment: string };
}

export interface ApplicationStore extends TableStore<'application'> {
  /** Environment and project of an application. */
  placement(environmentId: string): Promise<Placement | undefined>;
  /** The same with their variables. */
  surroundings(environmentId: string): Promise<Surroundings | undefined>;
  /** A database of the organization, for the databases of its previews. */
  database: FindDatabase;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createApplicationStore(database: Database): ApplicationStore {
  const { builder, cipher } = database;
  const databases = tableStore(database, 'database');
  const places = builder
    .selectFrom('environment as e')
    .innerJoin('project as p', 'p.projectId', 'e.projectId')
    .select([
      'e.environmentId',
      'e.name as environmentName',
      'p.projectId',
      'p.name as projectName',
      'p.organizationId',
    ])
    .where('e.environmentId', '=', '');
  const placement = places.compile();
  const surroundings = places.select(['e.env as environmentEnv', 'p.env as projectEnv']).compile();
  return {
    ...tableStore(database, 'application'),
    placement: async (environmentId) => (await database.run(placement, [environmentId]))[0],
    async surroundings(environmentId) {
      const [found] = await database.run(surroundings, [environmentId]);
      if (found === undefined) return undefined;
      const { environmentEnv, projectEnv, ...place } = found;
      const project = decodeRow(tables.project, { env: projectEnv }, cipher).env;
      const environment = decodeRow(tables.environment, { env: environmentEnv }, cipher).env;
      return { ...place, variables: { project: project ?? '', environment: environment ?? '' } };
    },
    database: (databaseId, organizationId) => databases.find({ databaseId, organizationId }),
    transaction: (work) => database.transaction(work),
  };
}
