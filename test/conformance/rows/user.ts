import { any, type Rows } from '../row.ts';

const key = {
  id: any.id, name: any.text, prefix: any.textOrNull, start: any.text, enabled: true, createdAt: any.time, expiresAt: any.textOrNull, lastRequestAt: any.textOrNull, remaining: any.numberOrNull,
  refillAmount: any.numberOrNull, refillInterval: any.numberOrNull, rateLimitEnabled: any.boolean, rateLimitTimeWindow: any.numberOrNull, rateLimitMax: any.numberOrNull, key: any.absent, keyHash: any.absent,
};
const make = { name: 'ci', metadata: { organizationId: '<organizationId>' } };

export const userRows: Rows = [
  { call: 'user.get', gives: { id: '<owner.userId>', email: '<owner.email>', name: any.text, role: 'owner', organizationId: '<organizationId>', createdAt: any.time, apiKeys: any.listOf(key) } },
  { call: 'user.createApiKey', gives: { id: any.id, key: any.text, name: 'ci', createdAt: any.time }, input: make },
  { rule: 'createApiKey needs a session', call: 'user.createApiKey', as: { person: 'owner', by: 'key' }, input: make, refused: 'FORBIDDEN' },
  { rule: 'a member without canAccessToAPI makes no key', call: 'user.createApiKey', as: 'member', input: make, refused: 'FORBIDDEN', says: 'canAccessToAPI' },
  { rule: 'a key belongs to an organization of the caller', call: 'user.createApiKey', input: { name: 'ci', metadata: { organizationId: '<foreign.organizationId>' } }, refused: 'FORBIDDEN' },
  { rule: 'a key has its prefix, or the product\'s own', call: 'user.createApiKey', input: { ...make, prefix: 'deploy' }, gives: { key: any.matching(/^deploy_[\w-]{43,}$/) } },
  { rule: 'a key has its prefix, or the product\'s own', call: 'user.createApiKey', input: make, gives: { key: any.matching(/^berth_[\w-]{43,}$/) } },
  { rule: 'the key is shown once', call: 'user.createApiKey', input: { ...make, name: 'once' }, keep: { keyId: 'id' }, after: [{ call: 'user.get', gives: { apiKeys: any.listOf(key) } }] },
  { rule: 'expiresIn is milliseconds', call: 'user.createApiKey', input: { ...make, expiresIn: 86_400_000 }, gives: { id: any.id } },
  { rule: 'expiresIn is milliseconds', call: 'user.createApiKey', input: { ...make, expiresIn: 0 }, refused: 'BAD_REQUEST', field: 'expiresIn' },
  { rule: 'rateLimitEnabled needs window and maximum', call: 'user.createApiKey', input: { ...make, rateLimitEnabled: true, rateLimitMax: 100 }, refused: 'BAD_REQUEST', field: 'rateLimitTimeWindow' },
  { rule: 'rateLimitEnabled needs window and maximum', call: 'user.createApiKey', input: { ...make, rateLimitEnabled: true, rateLimitTimeWindow: 60_000 }, refused: 'BAD_REQUEST', field: 'rateLimitMax' },
  { rule: 'rateLimitEnabled needs window and maximum', call: 'user.createApiKey', input: { ...make, rateLimitEnabled: true, rateLimitTimeWindow: 60_000, rateLimitMax: 100 }, gives: { id: any.id } },
  { rule: 'refillAmount and refillInterval go together', call: 'user.createApiKey', input: { ...make, remaining: 1000, refillAmount: 100 }, refused: 'BAD_REQUEST', field: 'refillInterval' },
  { rule: 'refillAmount and refillInterval go together', call: 'user.createApiKey', input: { ...make, remaining: 1000, refillInterval: 3_600_000 }, refused: 'BAD_REQUEST', field: 'refillAmount' },
  { rule: 'refillAmount and refillInterval go together', call: 'user.createApiKey', input: { ...make, remaining: 1000, refillAmount: 100, refillInterval: 3_600_000 }, gives: { id: any.id } },
  { rule: 'permissions narrow a key', call: 'application.one', as: 'narrowed', input: { applicationId: '<applicationId>' }, refused: 'FORBIDDEN' },
  { call: 'user.deleteApiKey', rule: 'a removal answers with the removed record', input: { apiKeyId: '<owner.apiKeyId>' }, as: { person: 'owner', by: 'session' }, gives: { ...key, id: '<owner.apiKeyId>' } },
  { rule: 'deleting a key ends it at once', call: 'user.get', before: [{ call: 'user.deleteApiKey', input: { apiKeyId: '<owner.apiKeyId>' } }], refused: 'UNAUTHORIZED' },
  { rule: 'one\'s own keys, Owner and Admin any; unknown 404', call: 'user.deleteApiKey', as: 'admin', input: { apiKeyId: '<member.apiKeyId>' }, gives: { id: '<member.apiKeyId>' } },
  { rule: 'one\'s own keys, Owner and Admin any; unknown 404', call: 'user.deleteApiKey', as: 'member', input: { apiKeyId: '<owner.apiKeyId>' }, refused: 'FORBIDDEN' },
  { rule: 'one\'s own keys, Owner and Admin any; unknown 404', call: 'user.deleteApiKey', as: 'member', input: { apiKeyId: '<member.apiKeyId>' }, gives: { id: '<member.apiKeyId>' } },
  { rule: 'one\'s own keys, Owner and Admin any; unknown 404', call: 'user.deleteApiKey', input: { apiKeyId: 'none' }, refused: 'NOT_FOUND' },
  { rule: 'one\'s own keys, Owner and Admin any; unknown 404', call: 'user.deleteApiKey', input: { apiKeyId: '<foreign.apiKeyId>' }, refused: 'FORBIDDEN' },
  { call: 'user.changePassword', as: { person: 'owner', by: 'session' }, input: { currentPassword: '<password>', newPassword: 'another-correct-horse' }, gives: { id: '<owner.userId>' } },
  { rule: 'a password change ends other sessions', call: 'user.get', as: { person: 'owner', by: 'session' }, before: [{ call: 'user.changePassword', as: { person: 'owner', by: 'key' }, input: { currentPassword: '<password>', newPassword: 'another-correct-horse' } }], refused: 'UNAUTHORIZED' },
  { call: 'user.changePassword', rule: 'a password change ends other sessions', input: { currentPassword: 'wrong', newPassword: 'another-correct-horse' }, refused: 'BAD_REQUEST', field: 'currentPassword' },
  { call: 'user.sessions', gives: any.listOf({ sessionId: any.id, createdAt: any.time, expiresAt: any.time }) },
  { call: 'user.endSession', as: { person: 'owner', by: 'key' }, input: { sessionId: '<owner.sessionId>' }, gives: { sessionId: '<owner.sessionId>' }, after: [{ call: 'user.get', as: { person: 'owner', by: 'session' }, refused: 'UNAUTHORIZED' }] },
];
