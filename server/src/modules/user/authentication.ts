/** From credentials to an actor: key in `x-api-key`, bearer key, session cookie, in this order (decisions 2). */
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { hashToken } from '../../ports/token.ts';
import type { Actor } from '../../procedure/context.ts';
import type { ApiKeyRecord, UserStore } from './store.ts';

export interface Credentials {
  apiKey: string | undefined;
  authorization: string | undefined;
  sessionToken: string | undefined;
}

export interface Authentication {
  /** Throws UNAUTHORIZED, or TOO_MANY_REQUESTS when the key's limit is used up. Each call counts once. */
  authenticate(credentials: Credentials): Promise<Actor>;
}

const lastRequestPrecisionMs = 60_000;

export function createAuthentication(store: UserStore, clock: Clock): Authentication {
  async function byKey(key: string): Promise<Actor> {
    const record = await store.findKey(hashToken(key));
    const now = clock.now();
    if (!record || !record.enabled)
      throw new AppError(
        'UNAUTHORIZED',
        'The API key is not valid. It may have been deleted; create a new one.',
      );
    if (record.expiresAt !== null && record.expiresAt <= now)
      throw new AppError('UNAUTHORIZED', 'The API key has expired. Create a new one.');
    if (
      (record.rateLimitEnabled || record.remaining !== null) &&
      !(await store.countRequest(record.apiKeyId, now))
    ) {
      throw await refusal(record.apiKeyId, now);
    }
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
  async function refusal(apiKeyId: string, now: number): Promise<AppError> {
    const record = await store.keys.find({ apiKeyId });
    if (!record)
      return new AppError(
        'UNAUTHORIZED',
        'The API key is not valid. It may have been deleted; create a new one.',
      );
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

  async function bySession(token: string): Promise<Actor> {
    const record = await store.findSession(hashToken(token));
    if (!record || record.expiresAt <= clock.now())
      throw new AppError('UNAUTHORIZED', 'The session has ended. Sign in again.');
    return {
      userId: record.userId,
      organizationId: record.organizationId,
      role: record.role,
      grants: record.grants,
      apiKeyId: undefined,
      sessionId: record.sessionId,
      permissions: undefined,
    };
  }

  return {
    authenticate: async ({ apiKey, authorization, sessionToken }) => {
      const key = apiKey || bearer(authorization);
      if (key) return byKey(key);
      if (sessionToken) return bySession(sessionToken);
      throw new AppError(
        'UNAUTHORIZED',
        'No credentials came with the request. Send an API key in the header x-api-key, or sign in.',
      );
    },
  };
}

/** Milliseconds until both the window and the budget let a request through; undefined when the budget never will. */
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
