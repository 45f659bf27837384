/** The session behind a cookie, for the dashboard's first question: who am I? */
import type { Clock } from '../../ports/clock.ts';
import { hashToken } from '../../ports/token.ts';
import type { UserStore } from './store.ts';

export interface SessionView {
  user: { id: string; email: string; name: string };
  session: { id: string; activeOrganizationId: string; expiresAt: string };
}

/** Undefined when the token's session is over or never was. */
export function userSession(store: UserStore, clock: Clock): (token: string) => Promise<SessionView | undefined> {
  return async (token) => {
    const session = await store.findSession(hashToken(token));
    if (!session || session.expiresAt <= clock.now()) return undefined;
    const user = await store.users.find({ userId: session.userId });
    return user && {
      user: { id: user.userId, email: user.email, name: user.name },
      session: { id: session.sessionId, activeOrganizationId: session.organizationId, expiresAt: new Date(session.expiresAt).toISOString() },
    };
  };
}
