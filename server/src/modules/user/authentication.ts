/**
 * From credentials to an actor: key in `x-api-key`, bearer key, session cookie, in this order (decisions 2).
 */
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { hashToken } from '../../ports/token.ts';
import type { Actor } from '../../procedure/context.ts';
import { openSessionOf } from './sign-in/open-session.ts';
import type { ApiKeyRecord, SessionWithMember, UserStore } from './store.ts';

export interface Credentials {
  apiKey: string | undefined;
  authorization: string | undefined;
  /** Of every cookie of our name; a planted one may stand beside ours. */
  sessionTokens: readonly string[];
}

export interface Authentication {
  /**
   * Throws UNAUTHORIZED, or TOO_MANY_REQUESTS when the key's limit is used up. Each call counts once, but not
   * again while its stream or upload is open.
   */
  authenticate(credentials: Credentials, isAgain?: boolean): Promise<Actor>;
}

const lastRequestPrecisionMs = 60_000;

export function createAuthentication(store: UserStore, clock: Clock): Authentication {
  return {
    authenticate: async ({ apiKey, authorization, sessionTokens }, isAgain = false) => {
      const key = apiKey || bearer(authorization);
      if (key) return actorOfKey(store, key, clock.now(), isAgain);
      if (sessionTokens.length > 0)
        return actorOfSession(await openSessionOf(store, sessionTokens, clock.now()));
      throw new AppError(
        'UNAUTHORIZED',
        'No credentials came with the request. Send an API key in the header x-api-key, or sign in.',
      );
    },
  };
}

async function actorOfKey(store: UserStore, key: string, now: number, isAgain: boolean): Promise<Actor> {
  const record = await store.findKey(hashToken(key));
  if (!record || !record.enabled) throw invalidKey();
  if (record.expiresAt !== null && record.expiresAt <= now)
    throw new AppError('UNAUTHORIZED', 'The API key has expired. Create a new one.');
  const isLimited = !isAgain && (record.rateLimitEnabled || record.remaining !== null);
  if (isLimited && !(await store.countRequest(record.apiKeyId, now)))
    throw await refusal(store, record.apiKeyId, now);
  if (record.lastRequestAt === null || now - record.lastRequestAt >= lastRequestPrecisionMs) {
    await store.keys.update({ apiKeyId: record.apiKeyId }, { lastRequestAt: now });
  }
  return {
    userId: record.userId,
    organizationId: record.organizationId,
    role: record.role,
    grants: record.grants,
    apiKeyId: record.apiKeyId,
    sessionId: undefined,
    permissions: record.permissions ?? undefined,
  };
}

/** Read again after the refusal, so that the waiting time comes from what refused. */
async function refusal(store: UserStore, apiKeyId: string, now: number): Promise<AppError> {
  const record = await store.keys.find({ apiKeyId });
  if (!record) return invalidKey();
  const retryAfterMs = waitingTime(record, now);
  if (retryAfterMs === undefined)
    return new AppError(
      'TOO_MANY_REQUESTS',
      'The request budget of this API key is used up and it has no refill. Create a new key.',
    );
  return new AppError(
    'TOO_MANY_REQUESTS',
    `The limit of this API key is reached. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    { retryAfterMs },
  );
}

function invalidKey(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'The API key is not valid. It may have been deleted; create a new one.',
  );
}

function actorOfSession(record: SessionWithMember | undefined): Actor {
  if (!record) throw new AppError('UNAUTHORIZED', 'The session has ended. Sign in again.');
  return {
    userId: record.userId,
    organizationId: record.organizationId,
    role: record.role,
    grants: record.grants,
    apiKeyId: undefined,
    sessionId: record.sessionId,
    permissions: undefined,
    lacksTwoFactor: record.lacksTwoFactor,
  };
}

/**
 * Milliseconds until both the window and the budget let a request through; undefined when the budget never
 * will.
 */
export function waitingTime(
  record: Pick<
    ApiKeyRecord,
    | 'rateLimitEnabled'
    | 'windowStart'
    | 'windowCount'
    | 'rateLimitMax'
    | 'rateLimitTimeWindow'
    | 'remaining'
    | 'refillInterval'
    | 'refillsApplied'
    | 'createdAtMs'
  >,
  now: number,
): number | undefined {
  let wait = 0;
  if (
    record.rateLimitEnabled &&
    record.windowStart !== null &&
    record.windowCount >= (record.rateLimitMax ?? 0)
  ) {
    wait = Math.max(wait, record.windowStart + (record.rateLimitTimeWindow ?? 0) - now);
  }
  if (record.remaining !== null && record.remaining <= 0) {
    if (record.refillInterval === null) return undefined;
    const elapsed = now - record.createdAtMs;
    const pending = Math.floor(elapsed / record.refillInterval) - record.refillsApplied;
    if (pending <= 0) wait = Math.max(wait, record.refillInterval - (elapsed % record.refillInterval));
  }
  return Math.max(wait, 1);
}

function bearer(header: string | undefined): string | undefined {
  const [, token] = /^Bearer +(\S.*?)\s*$/i.exec(header ?? '') ?? [];
  return token;
}
