/**
 * What Berth asks of git hosts by their HTTP interfaces: who may write, what became of a pull request,
 * comments. Merge requests are pull requests here.
 */
import type { GitAuthor, PullRequestEvent } from '../domain/git/git-event.ts';
import type { GitProvider } from '../domain/git/git-host.ts';
import type { Secret } from '../domain/secrets/secret.ts';

export interface GitApis {
  /** Asks nothing yet. */
  connect(access: GitApiAccess): GitApi;
  /**
   * The GitHub App that was made from a manifest, for the code that GitHub gave; a code is good once.
   * PRECONDITION_FAILED for another, SERVICE_UNAVAILABLE when GitHub does not answer.
   */
  appOfManifest(organizationId: string, code: string): Promise<MadeApp>;
}

export interface MadeApp {
  appId: string;
  name: string;
  privateKey: Secret;
  webhookSecret: Secret;
  /** Its page at GitHub. */
  address: string;
}

export interface GitApiAccess {
  /** Whose link it is. */
  organizationId: string;
  provider: GitProvider;
  apiUrl: string;
  credential:
    | { kind: 'token'; token: Secret }
    | { kind: 'app'; appId: string; installationId: string; privateKey: Secret };
  /** Workspace of Bitbucket, whose repositories are listed. */
  workspace: string | null;
}

/**
 * Every call throws SERVICE_UNAVAILABLE when the host does not answer within 10 s or answers that it cannot
 * now, PRECONDITION_FAILED when it refuses the credential, and NOT_FOUND where the repository is not there,
 * unless told otherwise. `repository` is its full name, such as `acme/shop`.
 */
export interface GitApi {
  /** Name of what the credential stands for. */
  account(): Promise<string>;
  /** At most 1,000. */
  repositories(): Promise<GitRepository[]>;
  /** At most 1,000. */
  branches(repository: string): Promise<string[]>;
  /** Whether the person may write to the repository. */
  canWrite(repository: string, author: GitAuthor): Promise<boolean>;
  /** Undefined when there is none of that number. */
  pullRequest(repository: string, number: number): Promise<PullRequestState | undefined>;
  /** What the host itself says of it, as its event would; undefined when there is none of that number. */
  pullRequestEvent(repository: string, number: number): Promise<PullRequestEvent | undefined>;
  /** The whole id of a commit that an event names by its first digits. */
  fullCommit(repository: string, commit: string): Promise<string>;
  /**
   * Id of the newest own comment that holds this text; undefined when there is none among the newest 1,000.
   */
  findComment(repository: string, number: number, text: string): Promise<string | undefined>;
  /** Gives the new comment's id. */
  addComment(repository: string, number: number, text: string): Promise<string>;
  /** False when it was deleted. */
  editComment(repository: string, number: number, commentId: string, text: string): Promise<boolean>;
  /** What became of a deployment of a commit; the newest one of a context stands. */
  setStatus(repository: string, commit: string, status: CommitStatus): Promise<void>;
  /**
   * The same as a deployment in the host's own list, one of each `deploymentId`; only hosts that have such a
   * list.
   */
  setDeployment?(repository: string, commit: string, deployment: HostDeployment): Promise<void>;
  /** What git signs in with now. */
  token(): Promise<Secret>;
}

export type CommitState = 'pending' | 'success' | 'failure' | 'cancelled';

export interface CommitStatus {
  state: CommitState;
  /** Whose status it is, such as `berth/shop`. */
  context: string;
  /** At most 140 characters, as GitHub takes them. */
  description: string;
  targetUrl: string;
}

export interface HostDeployment {
  /** Berth's own id, by which it is found again. */
  deploymentId: string;
  state: CommitState;
  /** Where to, such as `shop/production/web`; a success there ends what the host showed before. */
  environment: string;
  /** Whether the environment goes some day, as that of a preview. */
  isTransient: boolean;
  /** At most 140 characters. */
  description: string;
  logUrl: string;
  /** Where it answers. */
  environmentUrl: string | undefined;
}

export interface GitRepository {
  fullName: string;
  defaultBranch: string | null;
  isPrivate: boolean;
}

export interface PullRequestState {
  isOpen: boolean;
}
