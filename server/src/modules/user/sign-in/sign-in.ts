/** Signing in and out; failed attempts are slowed and stand in the audit log too. */
import { AppError } from '../../../domain/errors.ts';
import { hashToken } from '../../../ports/token.ts';
import { createDevices } from './device.ts';
import type { Entrance, InvitationDoor } from './entrance.ts';
import { hashPassword, verifyPassword } from './password.ts';
import type { Origin, SignedIn } from './session.ts';
import type { Attempt, SignInThrottle } from './sign-in-throttle.ts';
import type { UserRecord, UserStore } from '../store.ts';
import type { TwoFactors } from '../two-factor.ts';

export interface SignInInput {
  email: string;
  password: string;
  /** Of an invitation: the user joins its organization on the way. */
  token?: string | undefined;
  /** Of the second factor, where the account has one. */
  code?: string | undefined;
}

export interface SignInDesk {
  /**
   * UNAUTHORIZED on a wrong pair or code, and when a code is needed and absent; TOO_MANY_REQUESTS after
   * several.
   */
  signIn(input: SignInInput, origin: Origin): Promise<SignedIn>;
  /** Ends the sessions of these tokens, as far as there are such. */
  signOut(tokens: readonly string[], ip: string): Promise<void>;
}

export interface SignInParts {
  entrance: Entrance;
  invitations: InvitationDoor;
  throttle: SignInThrottle;
  twoFactors: Pick<TwoFactors, 'isOn' | 'use'>;
}

export function createSignIn(store: UserStore, parts: SignInParts): SignInDesk {
  const { entrance, invitations } = parts;
  return {
    async signIn({ token, ...input }, origin) {
      const { user, hasFactor } = await checked(
        store,
        parts,
        { ...input, email: input.email.toLowerCase() },
        origin,
      );
      const opened = token === undefined ? undefined : await invitations.open(token, user.email);
      if (opened && 'refusal' in opened) throw opened.refusal;
      const signedIn = await store.transaction(async () => {
        // The password may have been changed while it was compared; its sessions have ended then, and this
        // would be one more.
        if ((await store.holdUser(user.userId))?.passwordHash !== user.passwordHash) return undefined;
        // Nor one without the second factor that was switched on meanwhile.
        if ((await parts.twoFactors.isOn(user.userId)) !== hasFactor) throw codeNeeded(factorChanged);
        if (opened) await invitations.redeem(opened.invitation, async () => user);
        const organizationId = opened?.invitation.organizationId ?? (await entrance.homeOf(user.userId));
        if (organizationId === undefined)
          throw new AppError(
            'FORBIDDEN',
            'Your account no longer belongs to an organization. Ask for an invitation and sign in with ' +
              'its token.',
          );
        return entrance.enter('auth.signIn', user, organizationId, origin);
      });
      if (!signedIn) throw await refused(entrance, user, origin, wrongPair());
      return signedIn;
    },
    async signOut(tokens, ip) {
      for (const token of tokens) await endSession(store, entrance, token, ip);
    },
  };
}

/** The account, when password and second factor are right, and whether it has one. */
async function checked(
  store: UserStore,
  { entrance, throttle, twoFactors }: SignInParts,
  { email, password, code }: Omit<SignInInput, 'token'>,
  origin: Origin,
): Promise<{ user: UserRecord; hasFactor: boolean }> {
  const user = await store.users.find({ email });
  const attempt = await throttle.begin(
    {
      email,
      exists: user !== undefined,
      ip: origin.ip,
      device: user && createDevices(store.sign).nameOf(origin.device, user),
    },
    // An unknown address costs the same time as a wrong password, so that nobody learns which addresses
    // exist.
    async () => (user ? verifyPassword(password, user.passwordHash) : (await hashPassword(password), false)),
  );
  if (!user || !attempt.isRight) throw await refused(entrance, user, origin, wrongPair());
  const hasFactor = await checkCode({ user, code, attempt, twoFactors }, () =>
    refused(entrance, user, origin, codeNeeded('The code is wrong or was used before.')),
  );
  attempt.succeeded();
  return { user, hasFactor };
}

/** False for an account without a second factor. */
async function checkCode(
  {
    user: { userId },
    code,
    attempt,
    twoFactors,
  }: {
    user: UserRecord;
    code: string | undefined;
    attempt: Attempt;
    twoFactors: SignInParts['twoFactors'];
  },
  wrong: () => Promise<AppError>,
): Promise<boolean> {
  if (!(await twoFactors.isOn(userId))) return false;
  if (code === undefined) {
    // No failure, but no success either: whoever guesses codes must not wipe out the count by asking.
    attempt.takenBack();
    throw codeNeeded('This account has two-factor sign-in.');
  }
  if (!(await twoFactors.use(userId, code))) throw await wrong();
  return true;
}

/**
 * Refused attempts beyond the throttle are not recorded: whoever has no account could fill the log with them.
 */
async function refused(
  entrance: Entrance,
  user: UserRecord | undefined,
  { ip }: Origin,
  refusal: AppError,
): Promise<AppError> {
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
  return refusal;
}

function wrongPair(): AppError {
  return new AppError('UNAUTHORIZED', 'The e-mail address or the password is wrong.');
}

const factorChanged = 'Two-factor sign-in of this account was switched on or off at this moment.';

function codeNeeded(what: string): AppError {
  return new AppError(
    'UNAUTHORIZED',
    `${what} Send e-mail address and password again with \`code\`: the six digits that the authenticator ` +
      'app shows, or a recovery code.',
    { needs: 'code' },
  );
}

async function endSession(store: UserStore, entrance: Entrance, token: string, ip: string): Promise<void> {
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
}
