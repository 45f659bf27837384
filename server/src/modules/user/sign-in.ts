/** Signing in and out; failed attempts are slowed and stand in the audit log too. */
import { AppError } from '../../domain/errors.ts';
import { hashToken } from '../../ports/token.ts';
import type { Entrance, InvitationDoor } from './entrance.ts';
import { hashPassword, verifyPassword } from './password.ts';
import type { Origin, SignedIn } from './session.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';
import type { UserRecord, UserStore } from './store.ts';

export interface SignInDesk {
  /** UNAUTHORIZED on a wrong pair, TOO_MANY_REQUESTS after several. With the token of an invitation the user joins its organization on the way. */
  signIn(
    input: { email: string; password: string; token?: string | undefined },
    origin: Origin,
  ): Promise<SignedIn>;
  /** Ends the session of this token, if there is one. */
  signOut(token: string, ip: string): Promise<void>;
}

export interface SignInParts {
  entrance: Entrance;
  invitations: InvitationDoor;
  throttle: SignInThrottle;
}

export function createSignIn(store: UserStore, { entrance, invitations, throttle }: SignInParts): SignInDesk {
  /** Refused attempts beyond the throttle are not recorded: whoever has no account could fill the log with them. */
  async function refused(user: UserRecord | undefined, { ip }: Origin): Promise<AppError> {
    const organizationId =
      (user && (await entrance.homeOf(user.userId))) ?? (await entrance.firstOrganization());
    // Nobody was let in, so nobody did it; the account that was tried is its subject.
    if (organizationId !== undefined)
      await entrance.record('auth.signIn', {
        outcome: 'UNAUTHORIZED',
        organizationId,
        subject: user?.userId,
        ip,
      });
    return new AppError('UNAUTHORIZED', 'The e-mail address or the password is wrong.');
  }

  async function checked(email: string, password: string, origin: Origin): Promise<UserRecord> {
    throttle.begin(email, origin.ip);
    const user = await store.users.find({ email });
    // An unknown address costs the same time as a wrong password, so that nobody learns which addresses exist.
    const isRight = user
      ? await verifyPassword(password, user.passwordHash)
      : (await hashPassword(password), false);
    if (!user || !isRight) throw await refused(user, origin);
    throttle.succeeded(email, origin.ip);
    return user;
  }

  return {
    async signIn({ email, password, token }, origin) {
      const user = await checked(email.toLowerCase(), password, origin);
      const opened = token === undefined ? undefined : await invitations.open(token, user.email);
      if (opened && 'refusal' in opened) throw opened.refusal;
      const signedIn = await store.transaction(async () => {
        // The password may have been changed while it was compared; its sessions have ended then, and this would be one more.
        if ((await store.holdUser(user.userId))?.passwordHash !== user.passwordHash) return undefined;
        if (opened) await invitations.redeem(opened.invitation, async () => user);
        const organizationId = opened?.invitation.organizationId ?? (await entrance.homeOf(user.userId));
        if (organizationId === undefined)
          throw new AppError(
            'FORBIDDEN',
            'Your account belongs to no organization any more. Ask for an invitation and sign in with its token.',
          );
        return entrance.enter('auth.signIn', user, organizationId, origin);
      });
      if (!signedIn) throw await refused(user, origin);
      return signedIn;
    },
    async signOut(token, ip) {
      const session = await store.sessions.find({ tokenHash: hashToken(token) });
      if (!session) return;
      await store.transaction(async () => {
        await store.sessions.remove({ sessionId: session.sessionId });
        await entrance.record('auth.signOut', {
          outcome: 'done',
          organizationId: session.organizationId,
          userId: session.userId,
          ip,
        });
      });
    },
  };
}
