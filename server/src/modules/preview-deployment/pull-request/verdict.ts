/** Whether a pull request gets a preview of a service, by what its event tells (decisions 11). Pure. */
import type { PullRequestEvent } from '../../../domain/git/git-event.ts';
import { gitSourceOf, gitHosts, type GitProvider } from '../../../domain/git/git-host.ts';
import { isOf } from '../../../domain/git/git-repository.ts';
import type { Previewed } from '../previewed.ts';

/** Why there is none; undefined when there is one. */
export function whyNoPreview(
  service: Previewed,
  provider: GitProvider,
  event: PullRequestEvent,
): string | undefined {
  const { isPreviewDeploymentsActive, previewLabels } = service;
  if (!isPreviewDeploymentsActive) return 'previews of this service are not active';
  const branch = gitSourceOf(service)?.branch;
  if (branch === undefined) return 'the source of this service is no repository';
  if (!isOf(service, event.repository))
    return `the pull request is for ${event.repository}, which is not the repository of this service`;
  if (event.baseBranch !== branch)
    return `the pull request is for the branch ${event.baseBranch}, not for ${branch}`;
  if (previewLabels.length > 0 && !event.labels.some((label) => previewLabels.includes(label)))
    return 'the pull request has none of previewLabels';
  if (event.isFork && gitHosts[provider].pullRefs(event.number) === null)
    return `${provider} keeps the commits of forks only in the fork, where Berth does not fetch them`;
  return undefined;
}

interface ToldState {
  action: PullRequestEvent['action'];
  /** ISO 8601. */
  updatedAt: string;
}

/**
 * Whether an event tells of an earlier state than the one that is known. Times of hosts have whole seconds:
 * in the second in which it ended, a pull request counts as ended.
 */
export function isOlder(event: ToldState, known: ToldState): boolean {
  if (event.updatedAt !== known.updatedAt) return event.updatedAt < known.updatedAt;
  return event.action === 'open' && known.action === 'close';
}
