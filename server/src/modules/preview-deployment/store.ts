import type { z } from 'zod';
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { pullRequestEvent } from '../../db/stored-records.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type PreviewDeploymentRecord = TableRecord<'preview_deployment'>;

/** The event of a pull request as its job keeps it, in JSON. */
export function storedEvent(text: string): z.output<typeof pullRequestEvent> {
  return pullRequestEvent.parse(JSON.parse(text));
}

export interface PreviewDeploymentStore extends TableStore<'preview_deployment'> {
  countOf(applicationId: string): Promise<number>;
  /** Removes the hosts that lead to the preview. */
  removeDomains(previewDeploymentId: string, organizationId: string): Promise<void>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createPreviewDeploymentStore(database: Database): PreviewDeploymentStore {
  const domains = tableStore(database, 'domain');
  const count = sql<{
    count: number;
  }>`select count(*) as "count" from "preview_deployment" where "applicationId" = ${''}`.compile(
    database.builder,
  );
  return {
    ...tableStore(database, 'preview_deployment'),
    countOf: async (applicationId) => Number((await database.run(count, [applicationId]))[0]?.count ?? 0),
    removeDomains: async (previewDeploymentId, organizationId) =>
      void (await domains.remove({ previewDeploymentId, organizationId })),
    transaction: (work) => database.transaction(work),
  };
}
