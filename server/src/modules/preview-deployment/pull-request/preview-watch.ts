/**
 * What no event tells: pull requests that ended while nobody told, comments that could not be written,
 * previews whose time is over.
 */
import { sentenceOf } from '../../../domain/errors.ts';
import type { PreviewComments } from '../preview-comments.ts';
import { isExpired, previewedRef } from '../previewed.ts';
import type { PullRequestNeighbours, PullRequests } from './pull-request.ts';

export interface PreviewWatchNeighbours
  extends Pick<PullRequestNeighbours, 'apiOf' | 'kinds' | 'warn' | 'transaction' | 'queue' | 'now'> {
  pullRequests: Pick<PullRequests, 'close' | 'comment'>;
  comments: Pick<PreviewComments, 'isCurrent'>;
}

/**
 * One turn of the timer. A pull request that the host does not show is left alone: more often a credential
 * lost its rights than a pull request was deleted.
 */
export function createPreviewWatch({
  kinds,
  pullRequests,
  comments,
  apiOf,
  warn,
  transaction,
  queue,
  now,
}: PreviewWatchNeighbours): () => Promise<void> {
  return async () => {
    const all = await Promise.all(Object.values(kinds).map((kind) => kind.all()));
    for (const preview of all.flat()) {
      if (isExpired(preview, now())) {
        await transaction(() => pullRequests.close(preview));
        continue;
      }
      const { kind, serviceId } = previewedRef(preview);
      const service = await kinds[kind].service(serviceId);
      const api =
        service && preview.pullRequestNumber !== null && preview.repository !== ''
          ? await apiOf(service).catch(() => undefined)
          : undefined;
      if (!service || !api) continue;
      try {
        const state = await api.pullRequest(preview.repository, preview.pullRequestNumber ?? 0);
        if (state?.isOpen === false) await transaction(() => pullRequests.close(preview));
        else if (!comments.isCurrent(service, preview))
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
