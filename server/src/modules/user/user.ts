/** Accounts: first sign-up, sign-in, sessions. */
import { AppError } from '../../domain/errors.ts';
import { noGrants } from '../../domain/permissions.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { createApiKeys, type ApiKeys } from './api-key.ts';
import { hashToken, newToken } from '../../ports/token.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { createSignInThrottle } from './sign-in-throttle.ts';
import type { UserStore } from './store.ts';
import type { TableRecord } from '../../db/tables.ts';

export interface SignedIn {
  user: { id: string; email: string; name: string };
  organizationId: string;
  /** For the cookie; only its hash is stored. */
  token: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export interface Origin {
  ip: string;
  userAgent: string;
}

export interface Users extends ApiKeys {
  /** Makes the first user, Owner of a new organization; FORBIDDEN once a user exists. */
  signUp(input: { name: string; email: string; password: string }, origin: Origin): Promise<SignedIn>;
  /** UNAUTHORIZED on a wrong pair, TOO_MANY_REQUESTS after several. */
  signIn(input: { email: string; password: string }, origin: Origin): Promise<SignedIn>;
  endSession(token: string): Promise<void>;
  account(userId: string): Promise<TableRecord<'user'>>;
}

const sessionLifetimeMs = 7 * 24 * 3_600_000;

export function createUsers(store: UserStore, clock: Clock): Users {
  const throttle = createSignInThrottle(clock);

  async function openSession(user: TableRecord<'user'>, organizationId: string, origin: Origin): Promise<SignedIn> {
    const token = newToken();
    const expiresAt = clock.now() + sessionLifetimeMs;
    await store.sessions.insert({
      sessionId: randomId(), tokenHash: hashToken(token), userId: user.userId, organizationId, createdAt: isoTime(clock), expiresAt,
      ip: origin.ip, userAgent: origin.userAgent.slice(0, 300),
    });
    return { user: { id: user.userId, email: user.email, name: user.name }, organizationId, token, expiresAt };
  }

  return {
    async signUp(input, origin) {
      if (await store.hasUsers()) throw new AppError('FORBIDDEN', 'Sign-up is closed: this Berth has its first user. Ask an Owner or Admin for an invitation.');
      const passwordHash = await hashPassword(input.password);
      return store.transaction(async () => {
        await store.lockUsers();
        if (await store.hasUsers()) throw new AppError('FORBIDDEN', 'Sign-up is closed: this Berth has its first user. Ask an Owner or Admin for an invitation.');
        const createdAt = isoTime(clock);
        const user = { userId: randomId(), email: input.email.toLowerCase(), name: input.name, passwordHash, createdAt };
        const organizationId = randomId();
        await store.users.insert(user);
        await store.organizations.insert({ organizationId, name: `${input.name}'s organization`, createdAt });
        await store.members.insert({ memberId: randomId(), organizationId, userId: user.userId, role: 'owner', grants: noGrants, createdAt });
        return openSession(user, organizationId, origin);
      });
    },
    async signIn(input, origin) {
      const email = input.email.toLowerCase();
      throttle.begin(email, origin.ip);
      const user = await store.users.find({ email });
      // An unknown address costs the same time as a wrong password, so that nobody learns which addresses exist.
      const isRight = user ? await verifyPassword(input.password, user.passwordHash) : (await hashPassword(input.password), false);
      const [membership] = user && isRight ? await store.members.list({ userId: user.userId }, { by: ['createdAt'], direction: 'asc' }) : [];
      if (!user || !isRight || !membership) throw new AppError('UNAUTHORIZED', 'The e-mail address or the password is wrong.');
      throttle.succeeded(email, origin.ip);
      return openSession(user, membership.organizationId, origin);
    },
    endSession: async (token) => {
      await store.sessions.remove({ tokenHash: hashToken(token) });
    },
    async account(userId) {
      const user = await store.users.find({ userId });
      if (!user) throw new AppError('NOT_FOUND', 'This account no longer exists.');
      return user;
    },
    ...createApiKeys(store, clock),
  };
}
