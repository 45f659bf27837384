import type { CallContext } from '../../procedure/context.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { userContract } from './contract.ts';
import type { ApiKeyRecord } from './store.ts';
import type { Users } from './user.ts';

export function userHandlers(users: Users): Handlers<typeof userContract, CallContext> {
  return {
    async get({ actor }) {
      const account = await users.account(actor.userId);
      const keys = await users.apiKeys(actor.userId, actor.organizationId);
      return { id: account.userId, email: account.email, name: account.name, role: actor.role, organizationId: actor.organizationId, createdAt: account.createdAt, apiKeys: keys.map(keyView) };
    },
    async createApiKey({ actor, write }, input) {
      const { record, key } = await write(() => users.createApiKey(actor.userId, input));
      return { id: record.apiKeyId, key, name: record.name, createdAt: record.createdAt };
    },
    async deleteApiKey({ actor, write }, { apiKeyId }) {
      return keyView(await write(() => users.deleteApiKey(apiKeyId, actor.organizationId)));
    },
  };
}

function keyView(record: ApiKeyRecord): Omit<ApiKeyRecord, 'expiresAt' | 'lastRequestAt'> & { id: string; expiresAt: string | null; lastRequestAt: string | null } {
  return {
    ...record, id: record.apiKeyId,
    expiresAt: record.expiresAt === null ? null : new Date(record.expiresAt).toISOString(),
    lastRequestAt: record.lastRequestAt === null ? null : new Date(record.lastRequestAt).toISOString(),
  };
}
