/** What a handler is given besides its input. */
import type { Grants, Role, Scope } from '../domain/access/permissions.ts';

/** Who calls. */
export interface Actor {
  userId: string;
  organizationId: string;
  role: Role;
  grants: Grants;
  /** Set when a key was used. */
  apiKeyId: string | undefined;
  /** Set when a session cookie was used. */
  sessionId: string | undefined;
  /** Narrows a key below its user; undefined: everything its user may. */
  permissions: Record<string, string[]> | undefined;
  /** The organization requires a second factor and this session's user has none: it can only be set up. */
  lacksTwoFactor?: boolean;
}

export interface CallContext {
  actor: Actor;
  /** Of the procedure's own subject, when it has one. */
  scope: Scope | undefined;
  /** Address of the caller, for the audit. */
  ip: string;
  /** Fires when the caller is gone. */
  readonly signal: AbortSignal;
  /** Whether a stream goes on live; without it, it ends with what there is now. */
  follow: boolean;
  /** Position after which a stream goes on. */
  lastEventId: string | undefined;
  /** Tells the caller beside the answer which deployment came of the call. */
  announce(deploymentId: string): void;
  /**
   * Whether the caller may decide what reaches the machine itself: Owner or Admin of the installation's
   * organization or of a trusted one, and with a narrowed key only when it names that.
   */
  hasHostReach(): Promise<boolean>;
  /**
   * Who calls, with what they may at this moment, for a stream that goes on; UNAUTHORIZED or FORBIDDEN when
   * they may not call any more.
   */
  actorNow(): Promise<Actor>;
  /**
   * One transaction with the change, its audit entry and its event: all or nothing.
   */
  write<T>(work: () => Promise<T>, found?: Found<T>): Promise<T>;
  /** The same for work that waits for nothing but the database; changes beside it may share its commit. */
  writeRecord<T>(work: () => Promise<T>, found?: Found<T>): Promise<T>;
}

/** What a change found out of its subject, by what it gives. */
export interface Found<T> {
  /** Whose log the audit entry belongs to, when that is not the actor's. */
  organizationId?(value: T): string;
  /** Where the subject stands after the change, when that was read in it; otherwise the guard reads it. */
  scope?(value: T): Scope | undefined;
  /** The thing that the answer names was there before. */
  isPresent?: true;
}
