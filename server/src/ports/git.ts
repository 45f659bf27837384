/** What Berth asks of git. Every value is data; nothing is ever a part of a command text. */
import type { Secret } from '../domain/secrets/secret.ts';
import type { ProcessIdentity } from '../domain/states/process-identity.ts';

export interface Git {
  /**
   * Clones the source into `directory` (made anew) at the newest commit of its branch or tag, or at `commit`;
   * resolves with the full commit id, the first line of its message and the name of its author.
   */
  checkout(
    source: GitSource,
    directory: string,
    run: GitRun & { commit?: string | undefined },
  ): Promise<FetchedCommit>;
}

export interface FetchedCommit {
  commit: string;
  subject: string;
  /** As the commit names them; whoever made it may have chosen any name. */
  author: string;
}

export interface GitSource {
  /** For whom it is fetched. */
  organizationId: string;
  /**
   * https://, ssh://, git@host:path, http:// from networks that the settings name, or file:// and absolute
   * paths (allowed folders are checked by the caller). Without credentials.
   */
  url: string;
  /** Branch or tag. */
  branch: string;
  submodules: boolean;
  /** User and password of an https or http URL. */
  credentials?: { username: string; password: Secret } | undefined;
  /** OpenSSH private key for ssh URLs. */
  sshKey?: Secret | undefined;
  /** Refs besides branches and tags where a commit is looked for, such as `refs/pull/12/*`. */
  pullRefs?: string | undefined;
}

export interface GitRun {
  signal: AbortSignal;
  limitMs: number;
  onLine(line: string): void;
  /** Called with the child's identity as soon as it runs, so that a later start can end exactly it. */
  onChild(child: ProcessIdentity): Promise<void>;
}
