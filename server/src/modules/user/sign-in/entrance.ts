/** What sign-up and sign-in share: a session is opened and the audit log says so. */
import type { AppError } from '../../../domain/errors.ts';
import type { AuditEntry } from '../../../procedure/guard.ts';
import type { Origin, Sessions, SignedIn } from './session.ts';
import type { UserRecord, UserStore } from '../store.ts';

export interface EntranceParts {
  sessions: Pick<Sessions, 'openSession'>;
  recordAudit(entry: AuditEntry): Promise<void>;
  /**
   * The installation's first organization, whose log has what belongs to no other; undefined before the first
   * user.
   */
  firstOrganization(): Promise<string | undefined>;
}

/** What sign-up and sign-in ask of the invitations. */
export interface InvitationDoor {
  /** The open invitation of this token for this address, or why there is none. */
  open(token: string, email: string): Promise<{ invitation: OpenInvitation } | { refusal: AppError }>;
  /**
   * Uses it up and makes the user a member, inside the caller's transaction; FORBIDDEN when another was
   * first. `userOf` gives the user once the invitation is secured.
   */
  redeem<T extends { userId: string }>(invitation: OpenInvitation, userOf: () => Promise<T>): Promise<T>;
}

/** The token that set-up printed for the first account. */
export interface FirstSignUp {
  accepts(token: string): Promise<boolean>;
}

export interface OpenInvitation {
  invitationId: string;
  organizationId: string;
}

export interface Entrance {
  /** Opens a session and writes the entry of `procedure`, inside the caller's transaction. */
  enter(
    procedure: EntranceProcedure,
    user: UserRecord,
    organizationId: string,
    origin: Origin,
  ): Promise<SignedIn>;
  record(
    procedure: EntranceProcedure,
    entry: {
      outcome: string;
      organizationId: string;
      userId?: string;
      subject?: string | undefined;
      ip: string;
    },
  ): Promise<void>;
  /** The organization a user signs in to: the one joined first. */
  homeOf(userId: string): Promise<string | undefined>;
  firstOrganization(): Promise<string | undefined>;
}

/** They have no contract, but stand in the audit log like procedures. */
export type EntranceProcedure = 'auth.signUp' | 'auth.signIn' | 'auth.signOut';

export function createEntrance(
  store: UserStore,
  { sessions, recordAudit, firstOrganization }: EntranceParts,
): Entrance {
  const record: Entrance['record'] = (procedure, { outcome, organizationId, userId, subject = userId, ip }) =>
    recordAudit({ actor: { organizationId, userId }, procedure, resourceId: subject, outcome, ip });
  return {
    record,
    firstOrganization,
    async enter(procedure, user, organizationId, origin) {
      const signedIn = await sessions.openSession(user, organizationId, origin);
      await record(procedure, { outcome: 'done', organizationId, userId: user.userId, ip: origin.ip });
      return signedIn;
    },
    homeOf: async (userId) =>
      (await store.members.list({ userId }, { by: ['createdAt', 'memberId'], direction: 'asc' }))[0]
        ?.organizationId,
  };
}
