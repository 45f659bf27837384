import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type ProjectRecord = TableRecord<'project'>;

/** A project without its variables, as lists show it. */
export type ListedProject = Omit<ProjectRecord, 'env'>;

export interface ProjectStore extends TableStore<'project'> {
  /** Every project of the organization, newest first, without its variables. */
  listed(organizationId: string): Promise<ListedProject[]>;
  /** At most `limit` of these, those that come after the one given. */
  page(
    organizationId: string,
    page: { limit: number; after: Pick<ProjectRecord, 'createdAt' | 'projectId'> | undefined },
  ): Promise<ListedProject[]>;
}

/** Later than any time, to begin with the newest. */
const end = { createdAt: '9999', projectId: '' };

export function createProjectStore(database: Database): ProjectStore {
  const projects = tableStore(database, 'project');
  const columns = sql`"projectId", "revision", "organizationId", "name", "description",
    "baseDomain", "createdAt"`;
  const all = sql<ListedProject>`select ${columns} from "project" where "organizationId" = ${''}
    order by "createdAt" desc, "projectId" desc`.compile(database.builder);
  const page = sql<ListedProject>`select ${columns} from "project"
    where "organizationId" = ${''} and ("createdAt", "projectId") < (${''}, ${''})
    order by "createdAt" desc, "projectId" desc limit ${1}`.compile(database.builder);
  return {
    ...projects,
    listed: (organizationId) => database.run(all, [organizationId]),
    page: (organizationId, { limit, after = end }) =>
      database.run(page, [organizationId, after.createdAt, after.projectId, limit]),
  };
}
