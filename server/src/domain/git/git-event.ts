/** What a git host tells, in one form for all of them. Merge requests are pull requests here. */

/** Somebody at a git host, as its events name them. */
export interface GitAuthor {
  id: string;
  name: string;
}

export interface PushEvent {
  kind: 'push';
  refKind: 'branch' | 'tag';
  /** Short name of the branch or tag. */
  ref: string;
  /** The commit it names now; null when it was deleted. */
  commit: string | null;
  message: string;
  /** Undefined where the host does not tell all of them. */
  changedPaths: readonly string[] | undefined;
  /** Full name of the repository; absent in events that were stored before it was read. */
  repository?: string | undefined;
}

export interface PullRequestEvent {
  kind: 'pullRequest';
  /** The state of the pull request when the event was sent: `close` once it is closed or merged. */
  action: 'open' | 'close';
  number: number;
  title: string;
  baseBranch: string;
  headBranch: string;
  /** Bitbucket tells its first twelve digits. */
  commit: string;
  /** The commits come from another repository. */
  isFork: boolean;
  labels: readonly string[];
  author: GitAuthor;
  /** Full name of the repository that it is for. */
  repository: string;
  /** ISO 8601. Hosts promise no order, so an event older than one that was handled changes nothing. */
  updatedAt?: string | undefined;
}

export interface PingEvent {
  kind: 'ping';
}

/** Nothing that matters here. */
export interface OtherEvent {
  kind: 'other';
  name: string;
}

export type HookEvent = PushEvent | PullRequestEvent | PingEvent | OtherEvent;
