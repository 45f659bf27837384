/** API keys: made once, kept as a hash (decisions 2). */
import { AppError, badField } from '../../domain/errors.ts';
import { randomId, type Clock } from '../../ports/clock.ts';
import { hashToken, newToken } from '../../ports/token.ts';
import type { ApiKeyRecord, UserStore } from './store.ts';

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

export interface ApiKeys {
  apiKeys(userId: string, organizationId: string): Promise<ApiKeyRecord[]>;
  createApiKey(userId: string, input: NewApiKey): Promise<{ record: ApiKeyRecord; key: string }>;
  deleteApiKey(apiKeyId: string, organizationId: string): Promise<ApiKeyRecord>;
}

/** Stands before a key that was given no prefix of its own. */
const productPrefix = 'berth';

export function createApiKeys(store: UserStore, clock: Clock): ApiKeys {
  return {
    apiKeys: (userId, organizationId) =>
      store.keys.list({ userId, organizationId }, { by: ['createdAtMs', 'apiKeyId'], direction: 'desc' }),
    async createApiKey(userId, input) {
      const { organizationId } = input.metadata;
      if (!(await store.members.find({ userId, organizationId }))) {
        throw new AppError('FORBIDDEN', 'metadata.organizationId is not one of your organizations.');
      }
      if (input.expiresIn && clock.now() + input.expiresIn > 8.64e15)
        throw badField('expiresIn', 'is too far in the future');
      const key = `${input.prefix ?? productPrefix}_${newToken()}`;
      const now = clock.now();
      const record: ApiKeyRecord = {
        apiKeyId: randomId(),
        keyHash: hashToken(key),
        userId,
        organizationId,
        name: input.name,
        prefix: input.prefix ?? null,
        start: key.slice(0, (input.prefix ?? productPrefix).length + 5),
        enabled: true,
        createdAt: new Date(now).toISOString(),
        createdAtMs: now,
        expiresAt: input.expiresIn == null ? null : now + input.expiresIn,
        lastRequestAt: null,
        rateLimitEnabled: input.rateLimitEnabled ?? false,
        rateLimitTimeWindow: input.rateLimitTimeWindow ?? null,
        rateLimitMax: input.rateLimitMax ?? null,
        windowStart: null,
        windowCount: 0,
        remaining: input.remaining ?? null,
        refillAmount: input.refillAmount ?? null,
        refillInterval: input.refillInterval ?? null,
        refillsApplied: 0,
        permissions: input.permissions ?? null,
      };
      await store.keys.insert(record);
      return { record, key };
    },
    async deleteApiKey(apiKeyId, organizationId) {
      const record = await store.keys.find({ apiKeyId, organizationId });
      if (!record || (await store.keys.remove({ apiKeyId, organizationId })) === 0) {
        throw new AppError(
          'NOT_FOUND',
          'There is no API key with the id given in apiKeyId. It may have been deleted already.',
        );
      }
      return record;
    },
  };
}
