import { sql } from 'kysely';
import type { ComposeRecord } from '../../db/tables.ts';
import type { Database } from '../../db/database.ts';
import { freeNetworkIndex, type FreeNetworkIndex } from '../../db/values/network-index.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { FindDatabase } from '../../domain/branch-origin.ts';

export type MadeOfTemplate = Pick<ComposeRecord, 'composeId' | 'name' | 'madeFrom'>;

export interface ComposeStore extends TableStore<'compose'> {
  /** What leads to it goes with it; its mounts go by themselves. */
  removeDomains(composeId: string): Promise<void>;
  freeNetworkIndex: FreeNetworkIndex;
  /** Those of the organization that were made of a template, without previews. */
  madeOfTemplates(organizationId: string): Promise<MadeOfTemplate[]>;
  /** Copies whose record as a preview is gone. */
  leftByPreviews(): Promise<ComposeRecord[]>;
  /** A database of the organization, for the databases of its previews. */
  database: FindDatabase;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createComposeStore(database: Database): ComposeStore {
  const made = sql<Record<string, unknown>>`
    select "composeId", "name", "madeFrom" from "compose"
    where "organizationId" = ${''} and "madeFrom" is not null and "previewOf" is null
      and "sourceType" = 'raw' order by "name", "composeId"`.compile(database.builder);
  const left = sql<Record<string, unknown>>`
    select * from "compose" as c where c."previewOf" is not null
      and not exists (select 1 from "compose_preview" as p
        where p."previewDeploymentId" = c."composeId")
    order by c."composeId"`.compile(database.builder);
  const domains = tableStore(database, 'domain');
  const composes = tableStore(database, 'compose');
  const databases = tableStore(database, 'database');
  return {
    ...composes,
    removeDomains: async (composeId) => void (await domains.remove({ composeId })),
    freeNetworkIndex: freeNetworkIndex(database),
    madeOfTemplates: async (organizationId) =>
      (await database.run(made, [organizationId])).map(composes.decode),
    leftByPreviews: async () => (await database.run(left, [])).map(composes.decode),
    database: (databaseId, organizationId) => databases.find({ databaseId, organizationId }),
    transaction: (work) => database.transaction(work),
  };
}
