/**
 * The limits of keys through the whole door with a held clock: what is counted, at once, across restarts, and
 * when a key ends.
 */
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { accountRoutersOf, heldClock } from '../../../../test/http/worlds/account-world.ts';
import { send, type Answer } from '../../../../test/http/call.ts';
import { createPeople, type People, type Person } from '../../../../test/http/people.ts';
import { serve, type TestServer } from '../../../../test/http/serve.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NewApiKey } from './api-key.ts';
import { createAuthentication } from './authentication.ts';
import { createUserStore } from './store.ts';

type Limits = Pick<
  NewApiKey,
  | 'rateLimitEnabled'
  | 'rateLimitTimeWindow'
  | 'rateLimitMax'
  | 'remaining'
  | 'refillAmount'
  | 'refillInterval'
  | 'expiresIn'
>;

/**
 * What a key lets through, told from all that happened: no state is kept but the times of what was let in.
 */
class Model {
  private readonly passed: number[] = [];
  private readonly created: number;
  private readonly limits: Limits;

  constructor(created: number, limits: Limits) {
    this.created = created;
    this.limits = limits;
  }

  answer(now: number): 'in' | 'UNAUTHORIZED' | 'TOO_MANY_REQUESTS' {
    const { expiresIn, rateLimitEnabled, rateLimitMax, remaining, refillAmount, refillInterval } =
      this.limits;
    if (expiresIn != null && now >= this.created + expiresIn) return 'UNAUTHORIZED';
    if (rateLimitEnabled && this.inWindow(now) >= (rateLimitMax ?? 0)) return 'TOO_MANY_REQUESTS';
    const refilled =
      refillInterval == null ? 0 : Math.floor((now - this.created) / refillInterval) * (refillAmount ?? 0);
    if (remaining != null && this.passed.length >= remaining + refilled) return 'TOO_MANY_REQUESTS';
    this.passed.push(now);
    return 'in';
  }

  /**
   * How many were let in since the window began that is open now: each begins with the first request after
   * the one before has passed.
   */
  private inWindow(now: number): number {
    const width = this.limits.rateLimitTimeWindow ?? 0;
    let start = -Infinity;
    let count = 0;
    for (const time of this.passed) {
      if (time - start >= width) [start, count] = [time, 0];
      count += 1;
    }
    return now - start >= width ? 0 : count;
  }
}

const window = fc.record({
  rateLimitEnabled: fc.constant(true),
  rateLimitTimeWindow: fc.integer({ min: 1, max: 60 }),
  rateLimitMax: fc.integer({ min: 1, max: 6 }),
});
const noWindow = fc.constantFrom({ rateLimitEnabled: false, rateLimitTimeWindow: 5, rateLimitMax: 1 }, {});
const refill = fc.record({
  refillAmount: fc.integer({ min: 1, max: 5 }),
  refillInterval: fc.integer({ min: 1, max: 80 }),
});
const limits = fc
  .tuple(
    fc.oneof(window, noWindow),
    fc.option(fc.integer({ min: 0, max: 10 }), { nil: null }),
    fc.oneof(refill, fc.constant({})),
    fc.option(fc.integer({ min: 1, max: 600 }), { nil: null, freq: 5 }),
  )
  .map(([rate, remaining, more, expiresIn]): Limits => ({ ...rate, remaining, ...more, expiresIn }));
/**
 * What happens one after another: time passes, some requests come at once, or the program is made anew on the
 * same data.
 */
const events = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('requests' as const),
        after: fc.oneof(fc.integer({ min: 0, max: 25 }), fc.integer({ min: 0, max: 400 })),
        count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(32)),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('restart' as const),
        after: fc.integer({ min: 0, max: 25 }),
        count: fc.constant(0),
      }),
    },
  ),
  { minLength: 1, maxLength: 12 },
);

eachDatabase('the limits of a key', (test, dialect) => {
  const servers: TestServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  async function start(database: Database, clock: Clock): Promise<TestServer> {
    const server = await serve(database, accountRoutersOf(clock)(database), { clock });
    servers.push(server);
    return server;
  }
  const ask = ({ url }: TestServer, { headers }: Person): Promise<Answer> =>
    send(`${url}/api/user.get`, { headers });
  const statuses = async (
    server: TestServer,
    person: Person,
    count: number,
  ): Promise<Record<number, number>> => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(server, person)));
    return Object.fromEntries(
      [...Map.groupBy(answers, ({ status }) => status)].map(([status, list]) => [status, list.length]),
    );
  };
  async function begin(): Promise<{
    clock: ReturnType<typeof heldClock>;
    database: Database;
    people: People;
    server: TestServer;
  }> {
    const clock = heldClock();
    const database = await test.open();
    const people = await createPeople(database, clock);
    return { clock, database, people, server: await start(database, clock) };
  }

  it('agree with the rule told in plain words, for any limits, times, crowds and restarts', {
    timeout: 180_000,
  }, async () => {
    const clock = heldClock();
    const database = await test.open();
    const people = await createPeople(database, clock);
    await fc.assert(
      fc.asyncProperty(limits, events, async (limited, happened) => {
        const { key } = await people.newKey(people.owner, limited);
        const model = new Model(clock.time, limited);
        let open = database;
        let { authenticate } = createAuthentication(createUserStore(open), clock);
        for (const { kind, after, count } of happened) {
          clock.time += after;
          if (kind === 'restart') {
            if (open !== database) await test.close(open);
            open = test.reopen(database);
            ({ authenticate } = createAuthentication(createUserStore(open), clock));
            continue;
          }
          const expected = Array.from({ length: count }, () => model.answer(clock.time)).toSorted(
            (left, right) => left.localeCompare(right),
          );
          const answers = await Promise.all(
            Array.from({ length: count }, () =>
              authenticate({ apiKey: key, authorization: undefined, sessionTokens: [] }).then(
                () => 'in',
                (error: unknown) => String(Reflect.get(Object(error), 'code')),
              ),
            ),
          );
          expect(answers.toSorted((left, right) => left.localeCompare(right))).toEqual(expected);
        }
        if (open !== database) await test.close(open);
      }),
      { numRuns: dialect === 'sqlite' ? 200 : 60 },
    );
  });

  it('are exact for 32 requests at once over HTTP, and stand after a restart', async () => {
    const { clock, database, people, server } = await begin();
    const person = await people.newKey(people.owner, {
      rateLimitEnabled: true,
      rateLimitTimeWindow: 60_000,
      rateLimitMax: 20,
      remaining: 25,
      refillAmount: 10,
      refillInterval: 100_000,
    });
    expect(await statuses(server, person, 32)).toEqual({ 200: 20, 429: 12 });
    clock.time += 59_999;
    const again = await start(test.reopen(database), clock);
    expect(await statuses(again, person, 32)).toEqual({ 429: 32 });
    clock.time += 1;
    expect(await statuses(again, person, 32)).toEqual({ 200: 5, 429: 27 });
    const refused = await ask(again, person);
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'TOO_MANY_REQUESTS', error: { data: { retryAfterMs: 40_000 } } },
    });
    expect(refused.headers.get('retry-after')).toBe('40');
    clock.time += 40_000;
    expect(await statuses(server, person, 32)).toEqual({ 200: 10, 429: 22 });
  });

  it("are like the document's example: a budget to begin with, and more every hour", async () => {
    const { clock, people, server } = await begin();
    const hour = 3_600_000;
    const person = await people.newKey(people.owner, { remaining: 4, refillAmount: 2, refillInterval: hour });
    expect(await statuses(server, person, 6)).toEqual({ 200: 4, 429: 2 });
    clock.time += hour - 1;
    expect(await statuses(server, person, 2)).toEqual({ 429: 2 });
    clock.time += 1;
    expect(await statuses(server, person, 3)).toEqual({ 200: 2, 429: 1 });
    clock.time += 3 * hour;
    expect(await statuses(server, person, 8)).toEqual({ 200: 6, 429: 2 });
  });

  it('count requests that fail, and none of a key that was let in nowhere', async () => {
    const { people, server } = await begin();
    const person = await people.newKey(people.member, {
      rateLimitEnabled: true,
      rateLimitTimeWindow: 60_000,
      rateLimitMax: 2,
    });
    expect((await send(`${server.url}/api/audit.all`, { headers: person.headers })).status).toBe(403);
    expect((await send(`${server.url}/api/audit.all?limit=no`, { headers: person.headers })).status).toBe(
      403,
    );
    expect((await ask(server, person)).status).toBe(429);
    const other = await people.newKey(people.owner, {
      rateLimitEnabled: true,
      rateLimitTimeWindow: 60_000,
      rateLimitMax: 1,
    });
    expect((await ask(server, { ...other, headers: { 'x-api-key': `${other.key}x` } })).status).toBe(401);
    expect((await ask(server, other)).status).toBe(200);
  });

  it(
    'end at the very millisecond of expiry, and at once when the key is revoked or its user removed, on ' +
      'every running program',
    async () => {
      const { clock, database, people, server } = await begin();
      const second = await start(test.reopen(database), clock);
      const expiring = await people.newKey(people.owner, { expiresIn: 5000 });
      clock.time += 4999;
      for (const one of [server, second]) expect((await ask(one, expiring)).status).toBe(200);
      clock.time += 1;
      for (const one of [server, second])
        expect(await ask(one, expiring)).toMatchObject({
          status: 401,
          body: { message: expect.stringContaining('expired') },
        });

      const revoked = await people.newKey(people.admin);
      const known = await ask(second, revoked);
      expect(known.status).toBe(200);
      const [newest] = (
        await createUserStore(database).keys.list(
          { userId: 'user-admin' },
          { by: ['createdAtMs', 'apiKeyId'], direction: 'desc' },
        )
      ).filter(({ createdAtMs }) => createdAtMs === clock.time);
      expect(
        (
          await send(`${server.url}/api/user.deleteApiKey`, {
            headers: people.owner.headers,
            body: { apiKeyId: newest?.apiKeyId },
          })
        ).status,
      ).toBe(200);
      for (const one of [server, second, await start(test.reopen(database), clock)])
        expect((await ask(one, revoked)).status).toBe(401);

      const leaving = await people.newKey(people.member);
      expect((await ask(second, leaving)).status).toBe(200);
      expect(
        (
          await send(`${server.url}/api/organization.removeMember`, {
            headers: people.owner.headers,
            body: { userId: 'user-member' },
          })
        ).status,
      ).toBe(200);
      for (const one of [server, second]) expect((await ask(one, leaving)).status).toBe(401);
    },
  );
});
