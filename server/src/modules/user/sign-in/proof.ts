/** That a caller who is signed in is the account's person: the password once more, and the second factor. */
import { AppError, badField } from '../../../domain/errors.ts';
import { verifyPassword } from './password.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';
import type { UserRecord, UserStore } from '../store.ts';
import { wrongCode, type TwoFactors } from '../two-factor.ts';

export interface Proof {
  password: string;
  code?: string | null | undefined;
}

export interface Proofs {
  account(userId: string): Promise<UserRecord>;
  /** BAD_REQUEST naming `field` when the password is wrong, TOO_MANY_REQUESTS after several. */
  byPassword(userId: string, password: string, ip: string, field?: string): Promise<UserRecord>;
  /** The same, and `code` where the account has a second factor; the code is used up. */
  byBoth(userId: string, proof: Proof, ip: string): Promise<UserRecord>;
}

/** `throttle` slows whoever guesses with a stolen session or key. */
export function createProofs(
  store: UserStore,
  throttle: SignInThrottle,
  twoFactors: Pick<TwoFactors, 'isOn' | 'use'>,
): Proofs {
  async function account(userId: string): Promise<UserRecord> {
    const user = await store.users.find({ userId });
    if (!user) throw new AppError('NOT_FOUND', 'This account no longer exists.');
    return user;
  }

  async function proven(
    userId: string,
    { password, ip, field }: { password: string; ip: string; field: string },
    further: () => Promise<void>,
  ): Promise<UserRecord> {
    const user = await account(userId);
    const attempt = await throttle.begin(
      {
        email: user.email,
        exists: true,
        ip,
        // Counted by itself: strangers who guess at the account keep nobody from their own.
        device: `session of ${userId}`,
      },
      () => verifyPassword(password, user.passwordHash),
    );
    if (!attempt.isRight) throw badField(field, 'is not the current password of this account');
    await further();
    attempt.succeeded();
    return user;
  }

  return {
    account,
    byPassword: (userId, password, ip, field = 'password') =>
      proven(userId, { password, ip, field }, async () => undefined),
    byBoth: (userId, { password, code }, ip) =>
      proven(userId, { password, ip, field: 'password' }, async () => {
        if (!(await twoFactors.isOn(userId))) return;
        if (code == null) throw badField('code', 'is required: this account has two-factor sign-in');
        if (!(await twoFactors.use(userId, code))) throw wrongCode();
      }),
  };
}
