import { expect, it } from 'vitest';
import { send, type Answer } from '../../../../test/http/call.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { createTrial } from '../../../../test/http/trial.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createAccounts } from '../../composition/installation/accounts.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { hashPassword } from '../user/sign-in/password.ts';
import { createAudit } from './audit.ts';
import { auditContract } from './contract.ts';
import { auditHandlers } from './handlers.ts';
import { createAuditStore } from './store.ts';

eachDatabase('the audit log', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database) => [
      router('audit', auditContract, auditHandlers(createAudit(createAuditStore(database), systemClock))),
      createTrial().router,
    ]);

  it('has one entry for each change, its outcome and subject in it, and none for reading', async () => {
    const { owner, member, people } = await begin();
    await owner.query('trial.echo', { text: 'reading' });
    const thing = await owner.mutate('trial.create', { name: 'anchor' });
    await member.mutate('trial.touch', {});
    await owner.mutate('trial.create', { name: 'x' });
    const entry = {
      auditId: expect.any(String),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      apiKeyId: expect.any(String),
      ip: '127.0.0.1',
      outcome: 'done',
    };
    expect(await owner.query('audit.all')).toEqual(
      expect.arrayContaining([
        { ...entry, userId: people.member.userId, procedure: 'trial.touch', resourceId: null },
        {
          ...entry,
          userId: people.owner.userId,
          procedure: 'trial.create',
          resourceId: textOf(thing, 'thingId'),
        },
      ]),
    );
    expect(await owner.query('audit.all')).toHaveLength(2);
  });

  it('is paged newest first, complete and without repetition while it grows', async () => {
    const { owner, database, people } = await begin();
    const clock = { time: 1_800_000_000_000, now: () => clock.time };
    const audit = createAudit(createAuditStore(database), clock);
    const actor = {
      userId: 'u',
      organizationId: people.owner.organizationId,
      role: 'owner',
      grants: {} as never,
      apiKeyId: undefined,
      sessionId: 's',
      permissions: undefined,
    } as const;
    const add = (number: number): Promise<void> =>
      audit.record({ actor, procedure: 'p', resourceId: String(number), outcome: 'done', ip: '::1' });
    for (let number = 0; number < 25; number += 1) {
      // Several within one millisecond.
      if (number % 4 === 0) clock.time += 1;
      await add(number);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await owner.query('audit.all', { limit: 7, ...(cursor === undefined ? {} : { cursor }) });
      const { items, nextCursor } = parsePage(page);
      seen.push(...items.map((item) => textOf(item, 'resourceId')));
      cursor = nextCursor ?? undefined;
      clock.time += 1;
      await add(100 + seen.length);
    } while (cursor !== undefined);
    expect(seen.length).toBe(25);
    expect(new Set(seen).size).toBe(25);
    expect(seen.map((text) => Math.floor(Number(text) / 4))).toEqual(
      seen.map((text) => Math.floor(Number(text) / 4)).toSorted((left, right) => right - left),
    );
    expect(await owner.query('audit.all')).toHaveLength(29);
    expect(await owner.query('audit.all', { limit: 2, cursor: 'unknown' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['cursor'],
    });
    expect(await owner.query('audit.all', { limit: 501 })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['limit'],
    });
  });

  it('is filtered by who, what, which thing and since when, also page by page', async () => {
    const { owner, database, people } = await begin();
    const clock = { time: Date.parse('2026-06-01T00:00:00.000Z'), now: () => clock.time };
    const audit = createAudit(createAuditStore(database), clock);
    const { organizationId } = people.owner;
    for (let number = 0; number < 24; number += 1) {
      clock.time += 1000;
      await audit.record({
        actor: { organizationId, userId: `u${number % 2}` },
        procedure: `thing.p${number % 3}`,
        resourceId: `r${number % 4}`,
        outcome: 'done',
        ip: '::1',
      });
    }
    const numbersOf = (answer: unknown): number[] =>
      (Array.isArray(answer) ? answer : parsePage(answer).items).map(
        (item: unknown) =>
          (Date.parse(textOf(item, 'at')) - Date.parse('2026-06-01T00:00:00.000Z')) / 1000 - 1,
      );
    const expected = (keep: (number: number) => boolean): number[] =>
      Array.from({ length: 24 }, (_, number) => 23 - number).filter(keep);
    const since = '2026-06-01T02:00:13+02:00';
    for (const [filter, keep] of [
      [{ userId: 'u1' }, (number) => number % 2 === 1],
      [{ procedure: 'thing.p2' }, (number) => number % 3 === 2],
      [{ resourceId: 'r3' }, (number) => number % 4 === 3],
      [{ since }, (number) => number >= 12],
      [
        { userId: 'u1', procedure: 'thing.p0', resourceId: 'r1', since },
        (number) => number % 12 === 9 && number >= 12,
      ],
      [{ userId: 'nobody' }, () => false],
    ] as [object, (number: number) => boolean][]) {
      expect(numbersOf(await owner.query('audit.all', filter))).toEqual(expected(keep));
      const seen: number[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = parsePage(
          await owner.query('audit.all', {
            ...filter,
            limit: 2,
            ...(cursor === undefined ? {} : { cursor }),
          }),
        );
        seen.push(...numbersOf(page.items));
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(expected(keep));
    }
    for (const [filter, fields] of [
      [{ since: 'yesterday' }, ['since']],
      [{ userId: '' }, ['userId']],
      [{ since: '2026-06-01' }, ['since']],
    ] as const)
      expect(await owner.query('audit.all', filter)).toMatchObject({ code: 'BAD_REQUEST', fields });
  });

  it('forgets what is older than it is kept, and nothing younger', async () => {
    const { database, people } = await begin();
    const clock = { time: 1_800_000_000_000, now: () => clock.time };
    const store = createAuditStore(database);
    const audit = createAudit(store, clock);
    for (const number of [0, 1, 2]) {
      await audit.record({
        actor: { organizationId: people.owner.organizationId, userId: 'u' },
        procedure: 'p',
        resourceId: String(number),
        outcome: 'done',
        ip: '',
      });
      clock.time += 1;
    }
    await store.prune(new Date(1_800_000_000_001).toISOString());
    expect((await audit.all(people.owner.organizationId)).map(({ resourceId }) => resourceId)).toEqual([
      '2',
      '1',
    ]);
  });

  it('has sign-up, sign-in, failed sign-ins and sign-out with their address; refused changes', async () => {
    const world = await begin();
    const { owner, member, database, people, server } = world;
    await createStores(database).users.users.update(
      { userId: 'user-stranger' },
      { passwordHash: await hashPassword('a long password') },
    );
    const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
      send(`${server.url}/api/auth/${path}`, { body, headers });
    const answer = await post('sign-in/email', {
      email: 'stranger@example.com',
      password: 'a long password',
    });
    await post('sign-in/email', { email: 'stranger@example.com', password: 'wrong' });
    await post('sign-in/email', { email: 'unknown@example.com', password: 'wrong' });
    await post('sign-out', {}, { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' });
    await post('sign-out', {}, { cookie: 'berth_session=unknown' });
    const all = async (organizationId: string): Promise<string[]> =>
      (await createStores(database).audit.all(organizationId))
        .map(({ procedure, outcome, userId, resourceId, ip }) =>
          [procedure, outcome, userId, resourceId, ip].join(' '),
        )
        .toSorted((left, right) => left.localeCompare(right));
    expect(await all(people.stranger.organizationId)).toEqual(
      [
        'auth.signIn done user-stranger user-stranger 127.0.0.1',
        'auth.signIn UNAUTHORIZED  user-stranger 127.0.0.1',
        'auth.signOut done user-stranger user-stranger 127.0.0.1',
      ].toSorted((left, right) => left.localeCompare(right)),
    );
    expect(await all(people.owner.organizationId)).toEqual(['auth.signIn UNAUTHORIZED   127.0.0.1']);
    expect(await member.query('audit.all')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await owner.query('audit.all', { procedure: 'auth.signIn' })).toEqual([
      expect.objectContaining({ userId: null, resourceId: null, outcome: 'UNAUTHORIZED' }),
    ]);
  });

  it('is not filled by attempts beyond the throttle', async () => {
    const { owner, server } = await begin();
    for (let attempt = 0; attempt < 9; attempt += 1)
      await send(`${server.url}/api/auth/sign-in/email`, {
        body: { email: 'unknown@example.com', password: 'wrong' },
      });
    expect(await owner.query('audit.all', { procedure: 'auth.signIn' })).toHaveLength(5);
  });

  it('has the first sign-up', async () => {
    const database = await test.open();
    const { door, audit } = createAccounts(createStores(database), database, systemClock);
    const { organizationId, user } = await door.signUp(
      { name: 'First', email: 'first@example.com', password: 'a long password' },
      { ip: '10.0.0.1', userAgent: '', isLocal: true },
    );
    expect(await audit.all(organizationId)).toEqual([
      expect.objectContaining({ procedure: 'auth.signUp', outcome: 'done', userId: user.id, ip: '10.0.0.1' }),
    ]);
  });

  it('is for Owner and Admin, each organization its own', async () => {
    const { owner, admin, member, stranger, nobody } = await begin();
    await owner.mutate('trial.create', { name: 'anchor' });
    expect(await nobody.query('audit.all')).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await member.query('audit.all')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await admin.query('audit.all')).toHaveLength(1);
    expect(await stranger.query('audit.all')).toEqual([]);
  });
});

function parsePage(page: unknown): { items: unknown[]; nextCursor: string | null } {
  const items: unknown = typeof page === 'object' && page !== null ? Reflect.get(page, 'items') : undefined;
  const cursor: unknown =
    typeof page === 'object' && page !== null ? Reflect.get(page, 'nextCursor') : undefined;
  if (!Array.isArray(items)) throw new Error('This is no page.');
  return { items, nextCursor: typeof cursor === 'string' ? cursor : null };
}
