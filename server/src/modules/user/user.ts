/** Accounts: first sign-up, sign-in, sessions, API keys. */
import { AppError, badField } from '../../domain/errors.ts';
import { noGrants } from '../../domain/permissions.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { hashToken, newToken } from './authentication.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { createSignInThrottle } from './sign-in-throttle.ts';
import type { ApiKeyRecord, UserStore } from './store.ts';
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

export interface NewApiKey {
  name: string;
  prefix?: string | null | undefined;
  expiresIn?: number | null | undefined;
  metadata: { organizationId: string };
  rateLimitEnabled?: boolean | null | undefined;
  rateLimitTimeWindow?: number | null | undefined;
  rateLimitMax?: number | null | undefined;
  remaining?: number | null | undefined;
  refillAmount?: number | null | undefined;
  refillInterval?: number | null | undefined;
  permissions?: Record<string, string[]> | null | undefined;
}

export interface Users {
  /** Makes the first user, Owner of a new organization; FORBIDDEN once a user exists. */
  signUp(input: { name: string; email: string; password: string }, origin: Origin): Promise<SignedIn>;
  /** UNAUTHORIZED on a wrong pair, TOO_MANY_REQUESTS after several. */
  signIn(input: { email: string; password: string }, origin: Origin): Promise<SignedIn>;
  endSession(token: string): Promise<void>;
  account(userId: string): Promise<TableRecord<'user'>>;
  apiKeys(userId: string, organizationId: string): Promise<ApiKeyRecord[]>;
  createApiKey(userId: string, input: NewApiKey): Promise<{ record: ApiKeyRecord; key: string }>;
  /** One's own keys; with `mayRemoveAny` any of the organization. */
  deleteApiKey(apiKeyId: string, by: { userId: string; organizationId: string; mayRemoveAny: boolean }): Promise<ApiKeyRecord>;
}

const sessionLifetimeMs = 7 * 24 * 3_600_000;
const productPrefix = 'berth';

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
      throttle.check(email, origin.ip);
      const user = await store.users.find({ email });
      // An unknown address costs the same time as a wrong password, so that nobody learns which addresses exist.
      const isRight = user ? await verifyPassword(input.password, user.passwordHash) : (await hashPassword(input.password), false);
      const [membership] = user && isRight ? await store.members.list({ userId: user.userId }, { by: ['createdAt'], direction: 'asc' }) : [];
      if (!user || !isRight || !membership) {
        throttle.failed(email, origin.ip);
        throw new AppError('UNAUTHORIZED', 'The e-mail address or the password is wrong.');
      }
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
    apiKeys: (userId, organizationId) => store.keys.list({ userId, organizationId }, { by: ['createdAtMs', 'apiKeyId'], direction: 'desc' }),
    async createApiKey(userId, input) {
      const { organizationId } = input.metadata;
      if (!(await store.members.find({ userId, organizationId }))) {
        throw new AppError('FORBIDDEN', 'metadata.organizationId is not one of your organizations.');
      }
      if (input.expiresIn && clock.now() + input.expiresIn > 8.64e15) throw badField('expiresIn', 'is too far in the future');
      const key = `${input.prefix ?? productPrefix}_${newToken()}`;
      const now = clock.now();
      const record: ApiKeyRecord = {
        apiKeyId: randomId(), keyHash: hashToken(key), userId, organizationId, name: input.name, prefix: input.prefix ?? null, start: key.slice(0, (input.prefix ?? productPrefix).length + 5),
        enabled: true, createdAt: new Date(now).toISOString(), createdAtMs: now, expiresAt: input.expiresIn == null ? null : now + input.expiresIn, lastRequestAt: null,
        rateLimitEnabled: input.rateLimitEnabled ?? false, rateLimitTimeWindow: input.rateLimitTimeWindow ?? null, rateLimitMax: input.rateLimitMax ?? null,
        windowStart: null, windowCount: 0, remaining: input.remaining ?? null, refillAmount: input.refillAmount ?? null, refillInterval: input.refillInterval ?? null,
        refillsApplied: 0, permissions: input.permissions ?? null,
      };
      await store.keys.insert(record);
      return { record, key };
    },
    async deleteApiKey(apiKeyId, by) {
      const record = await store.keys.find({ apiKeyId });
      if (!record) throw new AppError('NOT_FOUND', 'There is no API key with this id. It may have been deleted already.');
      if (record.organizationId !== by.organizationId || (record.userId !== by.userId && !by.mayRemoveAny)) {
        throw new AppError('FORBIDDEN', 'This API key is not yours. Its owner, or an Owner or Admin of its organization, can delete it.');
      }
      await store.keys.remove({ apiKeyId });
      return record;
    },
  };
}
