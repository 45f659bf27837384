/** A user's own account: password, sessions, API keys. Signing in stands in sign-in.ts. */
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { createApiKeys, type ApiKeys } from './api-key.ts';
import { hashPassword } from './sign-in/password.ts';
import type { Proofs } from './sign-in/proof.ts';
import { createSessions, type Sessions } from './sign-in/session.ts';
import type { UserRecord, UserStore } from './store.ts';

export interface Users extends ApiKeys, Sessions {
  account(userId: string): Promise<UserRecord>;
  /** Undefined when the account is gone. */
  emailOf(userId: string): Promise<string | undefined>;
  /**
   * The change of a password, when the present one is right: BAD_REQUEST when it is not, TOO_MANY_REQUESTS
   * after several. Takes tens of milliseconds, so it is asked for outside of a transaction.
   */
  newPassword(
    userId: string,
    input: { currentPassword: string; newPassword: string },
    ip: string,
  ): Promise<PasswordChange>;
  /**
   * Stores it and ends every session of the user but `keptSessionId`; CONFLICT when the password was changed
   * meanwhile.
   */
  setPassword(change: PasswordChange, keptSessionId: string | undefined): Promise<UserRecord>;
  /** What a user had in an organization and loses with the place there: sessions and API keys. */
  leave(userId: string, organizationId: string): Promise<void>;
  /** Ends the user's sessions in the organization. */
  endSessionsIn(userId: string, organizationId: string): Promise<void>;
}

export interface PasswordChange {
  userId: string;
  /** Stored forms, before and after. */
  from: string;
  to: string;
}

export function createUsers(store: UserStore, clock: Clock, proofs: Proofs): Users {
  return {
    account: proofs.account,
    emailOf: async (userId) => (await store.users.find({ userId }))?.email,
    async newPassword(userId, { currentPassword, newPassword }, ip) {
      const { passwordHash } = await proofs.byPassword(userId, currentPassword, ip, 'currentPassword');
      return { userId, from: passwordHash, to: await hashPassword(newPassword) };
    },
    async setPassword({ userId, from, to }, keptSessionId) {
      if ((await store.users.update({ userId, passwordHash: from }, { passwordHash: to })) === 0) {
        throw new AppError(
          'CONFLICT',
          'The password has since been changed by another call. Sign in with the new one.',
        );
      }
      await store.endSessions(userId, keptSessionId);
      return proofs.account(userId);
    },
    async leave(userId, organizationId) {
      await store.sessions.remove({ userId, organizationId });
      await store.keys.remove({ userId, organizationId });
    },
    async endSessionsIn(userId, organizationId) {
      await store.sessions.remove({ userId, organizationId });
    },
    ...createSessions(store, clock),
    ...createApiKeys(store, clock),
  };
}
