/** Sessions: opened by a sign-in, carried by a cookie, kept as a hash of their token. */
import { AppError } from '../../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../../ports/clock.ts';
import { hashToken, newToken } from '../../../ports/token.ts';
import { createDevices } from './device.ts';
import { openSessionOf } from './open-session.ts';
import type { SessionRecord, UserRecord, UserStore } from '../store.ts';

/** Where a request came from. */
export interface Origin {
  ip: string;
  userAgent: string;
  /** Cookie of a device that signed in before. */
  device?: string | undefined;
  /** Whether the request was made on the machine itself. */
  isLocal?: boolean;
}

export interface SignedIn {
  user: { id: string; email: string; name: string };
  organizationId: string;
  /** For the cookie; only its hash is stored. */
  token: string;
  /** For the cookie by which the device is known from now on. */
  device: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Whose sessions: all of a user, or those in one organization. */
export interface SessionOwner {
  userId: string;
  organizationId?: string;
}

export interface Sessions {
  openSession(user: UserRecord, organizationId: string, origin: Origin): Promise<SignedIn>;
  /** Those that have not ended, newest first. */
  sessions(owner: SessionOwner): Promise<SessionRecord[]>;
  /** NOT_FOUND when there is none, FORBIDDEN when it is not the owner's. */
  endSession(sessionId: string, owner: SessionOwner): Promise<SessionRecord>;
  /** The session now acts in another organization of its user. */
  moveSession(sessionId: string, organizationId: string): Promise<void>;
}

const sessionLifetimeMs = 7 * 24 * 3_600_000;

export function createSessions(store: UserStore, clock: Clock): Sessions {
  const devices = createDevices(store.sign);
  return {
    async openSession(user, organizationId, origin) {
      const token = newToken();
      const expiresAt = clock.now() + sessionLifetimeMs;
      await store.sessions.insert({
        sessionId: randomId(),
        tokenHash: hashToken(token),
        userId: user.userId,
        organizationId,
        createdAt: isoTime(clock),
        expiresAt,
        ip: origin.ip,
        userAgent: origin.userAgent.slice(0, 300),
      });
      return {
        user: { id: user.userId, email: user.email, name: user.name },
        organizationId,
        token,
        device: devices.afterSignIn(origin.device, user),
        expiresAt,
      };
    },
    async sessions(owner) {
      const all = await store.sessions.list(whereOf(owner), {
        by: ['createdAt', 'sessionId'],
        direction: 'desc',
      });
      return all.filter(({ expiresAt }) => expiresAt > clock.now());
    },
    async endSession(sessionId, owner) {
      const record = await store.sessions.find({ sessionId });
      if (!record)
        throw new AppError(
          'NOT_FOUND',
          'There is no session with the id given in sessionId. It may have ended already.',
        );
      if (
        record.userId !== owner.userId ||
        record.organizationId !== (owner.organizationId ?? record.organizationId)
      ) {
        throw new AppError(
          'FORBIDDEN',
          'The session named in sessionId is not one of yours, or not in the organization of this API key.',
        );
      }
      await store.sessions.remove({ sessionId });
      return record;
    },
    async moveSession(sessionId, organizationId) {
      await store.sessions.update({ sessionId }, { organizationId });
    },
  };
}

function whereOf({ userId, organizationId }: SessionOwner): SessionOwner {
  return organizationId === undefined ? { userId } : { userId, organizationId };
}

export interface SessionView {
  user: { id: string; email: string; name: string };
  session: { id: string; activeOrganizationId: string; expiresAt: string };
}

/**
 * The session behind the cookies, for the dashboard's first question: who am I? Undefined when it is over or
 * never was; UNAUTHORIZED when there are two.
 */
export function userSession(
  store: UserStore,
  clock: Clock,
): (tokens: readonly string[]) => Promise<SessionView | undefined> {
  return async (tokens) => {
    const session = await openSessionOf(store, tokens, clock.now());
    if (!session) return undefined;
    const user = await store.users.find({ userId: session.userId });
    return (
      user && {
        user: { id: user.userId, email: user.email, name: user.name },
        session: {
          id: session.sessionId,
          activeOrganizationId: session.organizationId,
          expiresAt: new Date(session.expiresAt).toISOString(),
        },
      }
    );
  };
}
