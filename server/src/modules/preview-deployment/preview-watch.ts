/** What events missed: pull requests that ended while nobody told, comments that could not be written. */
import { sentenceOf } from '../../domain/errors.ts';
import type { Applications } from '../application/application.ts';
import type { PreviewComments } from './preview-comments.ts';
import type { PreviewDeployments } from './preview-deployment.ts';
import type { PullRequestNeighbours, PullRequests } from './pull-request.ts';

export interface PreviewWatchNeighbours
  extends Pick<PullRequestNeighbours, 'apiOf' | 'warn' | 'transaction' | 'queue'> {
  previews: Pick<PreviewDeployments, 'all'>;
  applications: Pick<Applications, 'find'>;
  pullRequests: Pick<PullRequests, 'close' | 'comment'>;
  comments: Pick<PreviewComments, 'isCurrent'>;
}

/**
 * One turn of the timer. A pull request that the host does not show is left alone: more often a credential
 * lost its rights than a pull request was deleted.
 */
export function createPreviewWatch({
  previews,
  applications,
  pullRequests,
  comments,
  apiOf,
  warn,
  transaction,
  queue,
}: PreviewWatchNeighbours): () => Promise<void> {
  return async () => {
    for (const preview of await previews.all()) {
      const application = await applications.find(preview.applicationId);
      const api =
        application && preview.pullRequestNumber !== null && preview.repository !== ''
          ? await apiOf(application).catch(() => undefined)
          : undefined;
      if (!application || !api) continue;
      try {
        const state = await api.pullRequest(preview.repository, preview.pullRequestNumber ?? 0);
        if (state?.isOpen === false) await transaction(() => pullRequests.close(preview));
        else if (!comments.isCurrent(application, preview))
          await transaction(() => pullRequests.comment(preview));
      } catch (error) {
        warn(
          `The state of the pull request ${preview.pullRequestNumber} of ${preview.repository} could ` +
            `not be asked: ${sentenceOf(error)}`,
        );
      }
    }
    queue.wake();
  };
}
