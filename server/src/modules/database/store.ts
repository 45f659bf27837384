import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export interface DatabaseStore extends TableStore<'database'> {
  /** Databases of previews that have no record any more. */
  leftByPreviews(): Promise<TableRecord<'database'>[]>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createDatabaseStore(database: Database): DatabaseStore {
  const rows = tableStore(database, 'database');
  const left = sql<Record<string, unknown>>`
    select * from "database" as d where d."previewDeploymentId" is not null
      and not exists (select 1 from "preview_deployment" as p
        where p."previewDeploymentId" = d."previewDeploymentId")
      and not exists (select 1 from "compose_preview" as c
        where c."previewDeploymentId" = d."previewDeploymentId")
    order by d."databaseId"`.compile(database.builder);
  return {
    ...rows,
    leftByPreviews: async () => (await database.run(left, [])).map(rows.decode),
    transaction: (work) => database.transaction(work),
  };
}
