/**
 * A forgotten password, set anew by whoever may act on the database itself (decisions 12): the command on
 * Berth's own machine.
 */
import { AppError } from '../../domain/errors.ts';
import type { AuditEntry } from '../../procedure/guard.ts';
import { hashPassword } from './sign-in/password.ts';
import type { UserStore } from './store.ts';

/** Stands in the audit log where other entries have an address. */
export const hostAddress = 'host';

export interface ResetParts {
  recordAudit(entry: AuditEntry): Promise<void>;
  /** The installation's first organization. */
  firstOrganization(): Promise<string | undefined>;
}

/**
 * Sets the password, takes the second factor away when told to, and ends every session of the account; gives
 * how many. NOT_FOUND when there is no such account. An entry stands in the log of each of its organizations.
 */
export async function resetPassword(
  store: UserStore,
  parts: ResetParts,
  input: { email: string; newPassword: string; removeTwoFactor?: boolean },
): Promise<{ email: string; endedSessions: number }> {
  const email = input.email.toLowerCase();
  const passwordHash = await hashPassword(input.newPassword);
  return store.transaction(async () => {
    const user = await store.users.find({ email });
    if (!user) throw new AppError('NOT_FOUND', `There is no account with the e-mail address ${email}.`);
    await store.users.update({ userId: user.userId }, { passwordHash });
    if (input.removeTwoFactor) {
      await store.recoveryCodes.remove({ userId: user.userId });
      await store.twoFactors.remove({ userId: user.userId });
    }
    const endedSessions = await store.endSessions(user.userId);
    const own = (await store.members.list({ userId: user.userId })).map(
      ({ organizationId }) => organizationId,
    );
    const places = own.length > 0 ? own : [await parts.firstOrganization()];
    for (const organizationId of places) {
      if (organizationId !== undefined)
        await parts.recordAudit({
          actor: { organizationId, userId: undefined },
          procedure: 'auth.resetPassword',
          resourceId: user.userId,
          outcome: 'done',
          ip: hostAddress,
        });
    }
    return { email, endedSessions };
  });
}
