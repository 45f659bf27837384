/** SQL of applications. */
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { ApplicationRecord } from '../../db/tables.ts';

export interface Placement {
  environmentId: string;
  environmentName: string;
  projectId: string;
  projectName: string;
  organizationId: string;
}

export interface ServiceRow {
  applicationId: string;
  environmentId: string;
  name: string;
  appName: string;
  description: string;
  applicationStatus: ApplicationRecord['applicationStatus'];
  createdAt: string;
}

export interface ApplicationStore extends TableStore<'application'> {
  /** Environment and project of an application. */
  placement(environmentId: string): Promise<Placement | undefined>;
  /** The short rows of an organization or of one environment, newest first. */
  summaries(where: { organizationId: string; environmentId?: string }): Promise<ServiceRow[]>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

const summaryColumns = ['applicationId', 'environmentId', 'name', 'appName', 'description', 'applicationStatus', 'createdAt'] as const;

export function createApplicationStore(database: Database): ApplicationStore {
  const { builder } = database;
  const placement = builder.selectFrom('environment as e').innerJoin('project as p', 'p.projectId', 'e.projectId')
    .select(['e.environmentId', 'e.name as environmentName', 'p.projectId', 'p.name as projectName', 'p.organizationId']).where('e.environmentId', '=', '').compile();
  const byOrganization = builder.selectFrom('application').select(summaryColumns).where('organizationId', '=', '').orderBy('createdAt', 'desc').orderBy('applicationId', 'desc').compile();
  const byEnvironment = builder.selectFrom('application').select(summaryColumns).where('organizationId', '=', '').where('environmentId', '=', '')
    .orderBy('createdAt', 'desc').orderBy('applicationId', 'desc').compile();
  return {
    ...tableStore(database, 'application'),
    placement: async (environmentId) => (await database.run(placement, [environmentId]))[0],
    summaries: ({ organizationId, environmentId }) =>
      environmentId === undefined ? database.run(byOrganization, [organizationId]) : database.run(byEnvironment, [organizationId, environmentId]),
    transaction: (work) => database.transaction(work),
  };
}
