import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { send, type Answer } from '../../../../test/http/call.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { accountRouters, createAccounts } from '../../composition/installation/accounts.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { hashPassword } from './sign-in/password.ts';

eachDatabase('accounts and keys', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database) => [
      accountRouters(createAccounts(createStores(database), database, systemClock)).user,
    ]);

  /** Signs in as a person and gives a caller with the session's cookie. */
  async function session(
    { server, database }: World,
    name: 'owner' | 'admin' | 'member',
  ): Promise<(procedure: string, body: unknown) => Promise<Answer>> {
    await createStores(database).users.users.update(
      { userId: `user-${name}` },
      { passwordHash: await hashPassword('a long password') },
    );
    const { headers } = await send(`${server.url}/api/auth/sign-in/email`, {
      body: { email: `${name}@example.com`, password: 'a long password' },
    });
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    return (procedure, body) =>
      send(`${server.url}/api/${procedure}`, { body, headers: { cookie, origin: server.url } });
  }

  it('of several first sign-ups at once one becomes the Owner', async () => {
    const database = await test.open();
    const { users: store } = createStores(database);
    const { door } = createAccounts(createStores(database), database, systemClock);
    const attempts = Array.from({ length: 6 }, (_, index) =>
      door.signUp(
        { name: `P${index}`, email: `p${index}@example.com`, password: 'a long password' },
        { ip: '::1', userAgent: '', isLocal: true },
      ),
    );
    const outcomes = (await Promise.allSettled(attempts)).map((outcome) =>
      outcome.status === 'fulfilled' ? 'Owner' : String(Reflect.get(Object(outcome.reason), 'code')),
    );
    expect(outcomes.filter((outcome) => outcome === 'Owner')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'FORBIDDEN')).toHaveLength(5);
    expect(await store.users.list({})).toHaveLength(1);
  });

  it('a sign-up waits for one that is under way, and then sees its user', async () => {
    const database = await test.open();
    const [first, second] = [createStores(database).users, createStores(database).users];
    let isLocked = (): void => undefined;
    const locked = new Promise<void>((resolve) => {
      isLocked = resolve;
    });
    const winner = first.transaction(async () => {
      await first.lockUsers();
      isLocked();
      await pause(150);
      await first.users.insert({
        userId: 'u',
        email: 'u@example.com',
        name: 'U',
        passwordHash: 'x',
        createdAt: '2026-01-01T00:00:00.000Z',
      });
    });
    await locked;
    expect(
      await second.transaction(async () => {
        await second.lockUsers();
        return second.hasUsers();
      }),
    ).toBe(true);
    await winner;
  });

  it('a key is made in a session, shown once, listed without its secret, and works at once', async () => {
    const world = await begin();
    const call = await session(world, 'owner');
    const { organizationId } = world.people.owner;
    const created = await call('user.createApiKey', {
      name: 'CI',
      prefix: 'ci',
      metadata: { organizationId },
      remaining: 5,
    });
    expect(created.body).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^ci_[\w-]{43}$/),
      name: 'CI',
      createdAt: expect.any(String),
    });
    const key = textOf(created.body, 'key');
    const me = await send(`${world.server.url}/api/user.get`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(me.body).toMatchObject({
      id: 'user-owner',
      email: 'owner@example.com',
      role: 'owner',
      organizationId,
    });
    expect(me.body).toMatchObject({
      apiKeys: expect.arrayContaining([
        expect.objectContaining({
          id: textOf(created.body, 'id'),
          name: 'CI',
          prefix: 'ci',
          start: key.slice(0, 7),
          remaining: 4,
          rateLimitEnabled: false,
        }),
      ]),
    });
    expect(me.text).not.toContain(key);
    expect(me.text).not.toMatch(/[hH]ash/);
    expect((await call('user.deleteApiKey', { apiKeyId: textOf(created.body, 'id') })).body).toMatchObject({
      id: textOf(created.body, 'id'),
      name: 'CI',
    });
    expect((await send(`${world.server.url}/api/user.get`, { headers: { 'x-api-key': key } })).status).toBe(
      401,
    );
    expect((await call('user.deleteApiKey', { apiKeyId: textOf(created.body, 'id') })).status).toBe(404);
  });

  it("without a prefix has the product's, and is stored as a hash only", async () => {
    const world = await begin();
    const call = await session(world, 'owner');
    const key = textOf(
      (
        await call('user.createApiKey', {
          name: 'x',
          metadata: { organizationId: world.people.owner.organizationId },
        })
      ).body,
      'key',
    );
    expect(key).toMatch(/^berth_[\w-]{43}$/);
    expect(JSON.stringify(await createStores(world.database).users.keys.list({}))).not.toContain(key);
  });

  it("a key makes no key, a member needs a grant, and only one's own organizations are taken", async () => {
    const world = await begin();
    const { owner, people } = world;
    const input = { name: 'x', metadata: { organizationId: people.owner.organizationId } };
    expect(await owner.mutate('user.createApiKey', input)).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('session'),
    });
    const asMember = await session(world, 'member');
    expect((await asMember('user.createApiKey', input)).status).toBe(403);
    await people.grant({ canAccessToAPI: true });
    expect((await asMember('user.createApiKey', input)).status).toBe(200);
    expect(
      (
        await asMember('user.createApiKey', {
          name: 'x',
          metadata: { organizationId: people.stranger.organizationId },
        })
      ).status,
    ).toBe(403);
  });

  it('settings of a key that do not go together are refused by name', async () => {
    const world = await begin();
    const call = await session(world, 'owner');
    const metadata = { organizationId: world.people.owner.organizationId };
    for (const [more, fields] of [
      [{ rateLimitEnabled: true }, ['rateLimitTimeWindow', 'rateLimitMax']],
      [{ rateLimitEnabled: true, rateLimitMax: 1 }, ['rateLimitTimeWindow']],
      [{ refillAmount: 1 }, ['refillInterval']],
      [{ refillInterval: 1000 }, ['refillAmount']],
      [{ expiresIn: 0 }, ['expiresIn']],
      [{ prefix: 'a b' }, ['prefix']],
      [{ name: '' }, ['name']],
      [{ metadata: {} }, ['metadata.organizationId']],
    ] as const) {
      const { status, body } = await call('user.createApiKey', { name: 'x', metadata, ...more });
      expect([status, body]).toMatchObject([
        400,
        { error: { data: { issues: fields.map((path) => ({ path })) } } },
      ]);
    }
    expect(
      (
        await call('user.createApiKey', {
          name: 'x',
          metadata,
          rateLimitEnabled: false,
          rateLimitMax: 1,
          prefix: null,
          expiresIn: null,
        })
      ).status,
    ).toBe(200);
  });

  it('a user deletes their own keys, Owner and Admin those of their organization', async () => {
    const world = await begin();
    const { owner, admin, member, stranger, nobody, people, database } = world;
    const { keys } = createStores(database).users;
    const keyOf = async (userId: string) => {
      const [key] = await keys.list({ userId });
      if (!key) throw new Error(`${userId} has no key.`);
      return key;
    };
    const idOf = async (userId: string): Promise<string> => (await keyOf(userId)).apiKeyId;
    const [ownersKey, membersKey, strangersKey] = [
      await idOf('user-owner'),
      await idOf('user-member'),
      await idOf('user-stranger'),
    ];
    expect(await nobody.mutate('user.deleteApiKey', { apiKeyId: membersKey })).toMatchObject({
      code: 'UNAUTHORIZED',
    });
    expect(await member.mutate('user.deleteApiKey', { apiKeyId: ownersKey })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await owner.mutate('user.deleteApiKey', { apiKeyId: strangersKey })).toMatchObject({
      code: 'FORBIDDEN',
    });
    // One's own, wherever it is for: with a session, which acts for the whole user, and not with a key.
    const { apiKeyId: _first, ...like } = await keyOf('user-owner');
    const { organizationId } = await keyOf('user-stranger');
    await keys.insert({ ...like, apiKeyId: 'elsewhere', keyHash: 'h', organizationId });
    const elsewhere = { apiKeyId: 'elsewhere' };
    expect(await owner.mutate('user.deleteApiKey', elsewhere)).toMatchObject({ code: 'FORBIDDEN' });
    const signedIn = await session(world, 'owner');
    expect((await signedIn('user.deleteApiKey', elsewhere)).body).toMatchObject({ id: 'elsewhere' });
    expect((await signedIn('user.deleteApiKey', { apiKeyId: strangersKey })).status).toBe(403);
    expect(await stranger.mutate('user.deleteApiKey', { apiKeyId: ownersKey })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await admin.mutate('user.deleteApiKey', { apiKeyId: membersKey })).toMatchObject({
      id: membersKey,
    });
    expect(await member.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
    const second = await people.newKey(people.member);
    expect(await owner.query('user.get')).toMatchObject({ id: 'user-owner' });
    expect((await send(`${world.server.url}/api/user.get`, { headers: second.headers })).body).toMatchObject({
      id: 'user-member',
      role: 'member',
    });
  });
});
