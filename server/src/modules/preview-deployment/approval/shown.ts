import type { HeldPullRequest } from '../store.ts';

/** A pull request that waits, as answers show it. */
export function shownHeld({ event, commit, reason, heldAt, approvedCommit, number }: HeldPullRequest) {
  const { title, author, repository, baseBranch, headBranch: branch, isFork } = event;
  return {
    pullRequestNumber: number,
    title,
    author: author.name,
    repository,
    baseBranch,
    branch,
    isFork,
    commit,
    reason,
    heldAt,
    approvedCommit,
  };
}
