import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import type { Database } from '../../db/database.ts';
import { noGrants } from '../../domain/access/permissions.ts';
import { hashToken } from '../../ports/token.ts';
import { createAuthentication, waitingTime } from './authentication.ts';
import { createUserStore, type ApiKeyRecord, type UserStore } from './store.ts';

const created = 1_700_000_000_000;
const at = new Date(created).toISOString();

type Limits = Pick<
  ApiKeyRecord,
  | 'rateLimitEnabled'
  | 'rateLimitTimeWindow'
  | 'rateLimitMax'
  | 'remaining'
  | 'refillAmount'
  | 'refillInterval'
>;
const noLimits: Limits = {
  rateLimitEnabled: false,
  rateLimitTimeWindow: null,
  rateLimitMax: null,
  remaining: null,
  refillAmount: null,
  refillInterval: null,
};

async function storeWithUser(database: Database): Promise<UserStore> {
  const store = createUserStore(database);
  await store.users.insert({
    userId: 'u',
    email: 'u@example.com',
    name: 'U',
    passwordHash: 'x',
    createdAt: at,
  });
  await store.organizations.insert({
    organizationId: 'o',
    name: 'O',
    trusted: false,
    parentOrganizationId: null,
    createdAt: at,
    requireTwoFactor: false,
  });
  await store.members.insert({
    memberId: 'm',
    organizationId: 'o',
    userId: 'u',
    role: 'owner',
    grants: noGrants,
    createdAt: at,
  });
  return store;
}

let keys = 0;

async function newKey(store: UserStore, limits: Partial<Limits>): Promise<{ apiKeyId: string; key: string }> {
  const key = `key ${(keys += 1)}`;
  await store.keys.insert({
    apiKeyId: key,
    keyHash: hashToken(key),
    userId: 'u',
    organizationId: 'o',
    name: key,
    prefix: null,
    start: 'berth_',
    enabled: true,
    createdAt: at,
    createdAtMs: created,
    expiresAt: null,
    lastRequestAt: null,
    windowStart: null,
    windowCount: 0,
    refillsApplied: 0,
    permissions: null,
    ...noLimits,
    ...limits,
  });
  return { apiKeyId: key, key };
}

/**
 * The rule of decisions 2 in plain steps: a fixed window from the first counted request; every whole interval
 * since creation adds its amount.
 */
class Model {
  windowStart: number | null = null;
  windowCount = 0;
  used = 0;
  readonly limits: Limits;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  count(now: number): boolean {
    const { rateLimitEnabled, rateLimitTimeWindow, rateLimitMax, remaining, refillAmount, refillInterval } =
      this.limits;
    const isNewWindow = this.windowStart === null || now - this.windowStart >= (rateLimitTimeWindow ?? 0);
    if (rateLimitEnabled && !isNewWindow && this.windowCount >= (rateLimitMax ?? 0)) return false;
    const refilled =
      refillInterval === null ? 0 : Math.floor((now - created) / refillInterval) * (refillAmount ?? 0);
    if (remaining !== null && remaining + refilled - this.used <= 0) return false;
    this.used += 1;
    this.windowCount = isNewWindow ? 1 : this.windowCount + 1;
    if (isNewWindow) this.windowStart = now;
    return true;
  }
}

const window = fc.record({
  rateLimitEnabled: fc.constant(true),
  rateLimitTimeWindow: fc.integer({ min: 1, max: 50 }),
  rateLimitMax: fc.integer({ min: 1, max: 4 }),
});
const noWindow = fc.constant({ rateLimitEnabled: false, rateLimitTimeWindow: null, rateLimitMax: null });
const refill = fc.record({
  refillAmount: fc.integer({ min: 1, max: 5 }),
  refillInterval: fc.integer({ min: 1, max: 60 }),
});
const noRefill = fc.constant({ refillAmount: null, refillInterval: null });
const budget = fc.option(fc.integer({ min: 0, max: 6 }), { nil: null });
const anyLimits = fc
  .tuple(fc.oneof(window, noWindow), budget, fc.oneof(refill, noRefill))
  .map(([rate, remaining, more]): Limits => ({ ...rate, remaining, ...more }));
/** Milliseconds between requests: mostly close together, sometimes across many refills. */
const steps = fc.array(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 500 })), {
  minLength: 1,
  maxLength: 30,
});

eachDatabase('counting the requests of a key', ({ open }, dialect) => {
  it('lets exactly as many of 32 at once through as the window allows', async () => {
    const store = await storeWithUser(await open());
    const { apiKeyId } = await newKey(store, {
      rateLimitEnabled: true,
      rateLimitTimeWindow: 60_000,
      rateLimitMax: 7,
    });
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => store.countRequest(apiKeyId, created + 5)),
    );
    expect(answers.filter(Boolean)).toHaveLength(7);
    expect(await store.keys.find({ apiKeyId })).toMatchObject({ windowStart: created + 5, windowCount: 7 });
  });

  it('lets exactly as many of 32 at once through as the budget with its refills holds', async () => {
    const store = await storeWithUser(await open());
    const { apiKeyId } = await newKey(store, { remaining: 3, refillAmount: 5, refillInterval: 1000 });
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => store.countRequest(apiKeyId, created + 3999)),
    );
    expect(answers.filter(Boolean)).toHaveLength(3 + 3 * 5);
    expect(await store.keys.find({ apiKeyId })).toMatchObject({ remaining: 0, refillsApplied: 3 });
  });

  it(
    'refuses 32 at once through the door with 429, Retry-After where waiting helps, and counts no ' +
      'refused one',
    async () => {
      const store = await storeWithUser(await open());
      const { key, apiKeyId } = await newKey(store, {
        rateLimitEnabled: true,
        rateLimitTimeWindow: 1500,
        rateLimitMax: 10,
        remaining: 1000,
      });
      const { authenticate } = createAuthentication(store, { now: () => created + 100 });
      const outcomes = await Promise.all(
        Array.from({ length: 32 }, () =>
          authenticate({ apiKey: key, authorization: undefined, sessionTokens: [] }).then(
            () => 'in',
            (error: { code: string; retryAfterMs: number }) => `${error.code} ${error.retryAfterMs}`,
          ),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(10);
      expect(outcomes.filter((outcome) => outcome === 'TOO_MANY_REQUESTS 1500')).toHaveLength(22);
      expect((await store.keys.find({ apiKeyId }))?.remaining).toBe(990);
    },
  );

  it('says nothing of waiting when an empty budget has no refill', async () => {
    const store = await storeWithUser(await open());
    const { key } = await newKey(store, { remaining: 0 });
    const { authenticate } = createAuthentication(store, { now: () => created });
    await expect(
      authenticate({ apiKey: key, authorization: undefined, sessionTokens: [] }),
    ).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfterMs: undefined });
  });

  it('never overflows: the largest amounts over ten years', async () => {
    const store = await storeWithUser(await open());
    const { apiKeyId } = await newKey(store, { remaining: 0, refillAmount: 1e12, refillInterval: 1 });
    expect(await store.countRequest(apiKeyId, created + 10 * 365 * 86_400_000)).toBe(true);
    expect(await store.countRequest(apiKeyId, created + 11 * 365 * 86_400_000)).toBe(true);
    expect((await store.keys.find({ apiKeyId }))?.remaining).toBeGreaterThan(1e12);
  });

  it('agrees with the rule in plain steps, for any limits at any times, and the waiting time is right', {
    timeout: 120_000,
  }, async () => {
    const store = await storeWithUser(await open());
    await fc.assert(
      fc.asyncProperty(anyLimits, steps, async (limits, pauses) => {
        const { apiKeyId } = await newKey(store, limits);
        const model = new Model(limits);
        let now = created;
        for (const pause of pauses) {
          now += pause;
          const expected = model.count(now);
          expect({ now: now - created, allowed: await store.countRequest(apiKeyId, now) }).toEqual({
            now: now - created,
            allowed: expected,
          });
          if (!expected) await expectWaitingTime(store, apiKeyId, model, now);
        }
      }),
      { numRuns: dialect === 'sqlite' ? 150 : 60 },
    );
  });
});

/**
 * One millisecond before, the request is still refused; at the time told, the window and the refill let it
 * through.
 */
async function expectWaitingTime(
  store: UserStore,
  apiKeyId: string,
  model: Model,
  now: number,
): Promise<void> {
  const record = await store.keys.find({ apiKeyId });
  const wait = record && waitingTime(record, now);
  const allowedAt = (time: number): boolean => Object.assign(new Model(model.limits), model).count(time);
  const times = wait === undefined ? [now + 1e9] : [now + wait - 1, now + wait];
  expect(times.map(allowedAt)).toEqual([false, true].slice(0, times.length));
}
