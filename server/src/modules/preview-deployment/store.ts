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
export type PullRequestState = TableRecord<'pull_request_state'>;

export interface PreviewDeploymentStore extends TableStore<'preview_deployment'> {
  countOf(applicationId: string): Promise<number>;
  /** The newest state that a pull request was told to have; `repository` in lower case. */
  stateOf(applicationId: string, repository: string, number: number): Promise<PullRequestState | undefined>;
  /** Replaces the state, and forgets all but the newest `keep` of the application. */
  putState(state: PullRequestState, keep: number): Promise<void>;
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
  const states = tableStore(database, 'pull_request_state');
  return {
    ...tableStore(database, 'preview_deployment'),
    stateOf: (applicationId, repository, number) => states.find({ applicationId, repository, number }),
    async putState(state, keep) {
      const { applicationId, repository, number } = state;
      await states.remove({ applicationId, repository, number });
      await states.insert(state);
      await database.change(
        sql`delete from "pull_request_state" where "applicationId" = ${applicationId} and "updatedAt" < (
          select "updatedAt" from "pull_request_state" where "applicationId" = ${applicationId}
          order by "updatedAt" desc limit 1 offset ${keep})`.compile(database.builder),
      );
    },
    countOf: async (applicationId) => Number((await database.run(count, [applicationId]))[0]?.count ?? 0),
    removeDomains: async (previewDeploymentId, organizationId) =>
      void (await domains.remove({ previewDeploymentId, organizationId })),
    transaction: (work) => database.transaction(work),
  };
}
