import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import { pullRequestEvent } from '../../db/stored-records.ts';
import type { TableRecord } from '../../db/tables.ts';
import type { PullRequestEvent } from '../../domain/git/git-event.ts';

/** Parses an event that a job has stored; throws ZodError for anything else. */
export function readPullRequestEvent(text: string): PullRequestEvent {
  return pullRequestEvent.parse(JSON.parse(text));
}

export type PreviewDeploymentRecord = TableRecord<'preview_deployment'>;

export interface PreviewDeploymentStore extends TableStore<'preview_deployment'> {
  countOf(applicationId: string): Promise<number>;
  /** Removes the domains that lead to the preview. */
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
