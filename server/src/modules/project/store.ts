import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type ProjectRecord = TableRecord<'project'>;

export interface ProjectStore extends TableStore<'project'> {
  /** At most `limit` projects, newest first, those that come after the one given. */
  page(
    organizationId: string,
    page: { limit: number; after: Pick<ProjectRecord, 'createdAt' | 'projectId'> | undefined },
  ): Promise<ProjectRecord[]>;
}

/** Later than any time, to begin with the newest. */
const end = { createdAt: '9999', projectId: '' };

export function createProjectStore(database: Database): ProjectStore {
  const projects = tableStore(database, 'project');
  const page = sql<Record<string, unknown>>`select * from "project"
    where "organizationId" = ${''} and ("createdAt", "projectId") < (${''}, ${''})
    order by "createdAt" desc, "projectId" desc limit ${1}`.compile(database.builder);
  return {
    ...projects,
    page: async (organizationId, { limit, after = end }) =>
      (await database.run(page, [organizationId, after.createdAt, after.projectId, limit])).map(
        projects.decode,
      ),
  };
}
