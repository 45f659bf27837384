import { expect, it } from 'vitest';
import { accountWorlds, heldClock } from '../../../../test/http/worlds/account-world.ts';
import { send, type Answer } from '../../../../test/http/call.ts';
import { clientOf, textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import type { World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createAccounts } from '../../composition/installation/accounts.ts';
import { createStores } from '../../composition/stores.ts';
import { noGrants } from '../../domain/access/permissions.ts';
import { hashPassword } from './sign-in/password.ts';

eachDatabase('an account', (test) => {
  const begin = accountWorlds(test);
  const old = 'an old password';
  const fresh = 'a fresh password';

  async function withPassword(world: World): Promise<World> {
    await createStores(world.database).users.users.update(
      { userId: 'user-member' },
      { passwordHash: await hashPassword(old) },
    );
    return world;
  }
  const signIn = ({ server }: World, password: string): Promise<Answer> =>
    send(`${server.url}/api/auth/sign-in/email`, {
      body: { email: 'member@example.com', password },
      headers: { 'user-agent': 'a browser' },
    });
  async function signedIn(world: World, password = old): Promise<InterfaceClient> {
    const { headers } = await signIn(world, password);
    return clientOf(world.server, {
      ...world.people.member,
      headers: { cookie: headers.get('set-cookie')?.split(';')[0] ?? '', origin: world.server.url },
    });
  }
  const change = (
    client: InterfaceClient,
    currentPassword = old,
    newPassword: unknown = fresh,
  ): Promise<unknown> => client.mutate('user.changePassword', { currentPassword, newPassword });

  it('gets a new password by the present one; every other session ends, and keys go on', async () => {
    const world = await withPassword(await begin());
    const { database, member, nobody, people, session } = world;
    await createStores(database).members.insert({
      memberId: 'm',
      organizationId: 'organization-other',
      userId: 'user-member',
      role: 'member',
      grants: noGrants,
      createdAt: '2027-01-01T00:00:00.000Z',
    });
    const [mine, second, elsewhere, others] = [
      await signedIn(world),
      await signedIn(world),
      await session({ ...people.member, organizationId: 'organization-other' }),
      await session(people.owner),
    ];
    expect(await change(nobody)).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await change(mine, 'a wrong password')).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['currentPassword'],
    });
    expect(await change(mine, old, 'short')).toMatchObject({ code: 'BAD_REQUEST', fields: ['newPassword'] });
    expect(await second.query('user.get')).toMatchObject({ id: 'user-member' });
    expect(await change(mine)).toEqual({
      id: 'user-member',
      email: 'member@example.com',
      name: 'member',
      createdAt: expect.any(String),
    });
    for (const client of [mine, member])
      expect(await client.query('user.get')).toMatchObject({ id: 'user-member' });
    for (const client of [second, elsewhere])
      expect(await client.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await others.query('user.get')).toMatchObject({ id: 'user-owner' });
    expect((await signIn(world, old)).status).toBe(401);
    expect((await signIn(world, fresh)).status).toBe(200);
    expect(JSON.stringify(await createStores(database).audit.all('organization-first'))).not.toMatch(
      /password["']?:|fresh|argon/,
    );
  });

  it('ends all sessions when a key changes the password, once for all changes at a time', async () => {
    const world = await withPassword(await begin());
    const client = await signedIn(world);
    const answers = await Promise.all(
      ['a first password', 'a second password', 'a third password'].map((password) =>
        change(world.member, old, password),
      ),
    );
    expect(answers.filter((answer) => 'id' in Object(answer))).toHaveLength(1);
    const refused = answers.flatMap((answer) =>
      'code' in Object(answer) ? [Reflect.get(Object(answer), 'code')] : [],
    );
    expect(refused.filter((code) => code === 'CONFLICT' || code === 'BAD_REQUEST')).toHaveLength(2);
    expect(await client.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('is no door for guessing: wrong present passwords are slowed like sign-ins', async () => {
    const world = await withPassword(await begin());
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(await change(world.member, 'a guess')).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await change(world.member)).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  });

  it('a sign-in whose password is changed while it is compared opens nothing', async () => {
    const { database } = await withPassword(await begin());
    const stores = createStores(database);
    const accounts = createAccounts(stores, database, heldClock());
    const late = {
      ...stores.users,
      holdUser: async (userId: string) => ({
        ...(await accounts.users.account(userId)),
        passwordHash: 'changed meanwhile',
      }),
    };
    const { door } = createAccounts({ ...stores, users: late }, database, heldClock());
    await expect(
      door.signIn({ email: 'member@example.com', password: old }, { ip: '::1', userAgent: '' }),
    ).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await stores.users.sessions.list({ userId: 'user-member' })).toEqual([]);
  });

  it('lists its open sessions, newest first; a key sees those of its organization', async () => {
    const clock = heldClock();
    const world = await withPassword(await begin(clock));
    const { database, member, nobody, people, session } = world;
    await createStores(database).members.insert({
      memberId: 'm',
      organizationId: 'organization-other',
      userId: 'user-member',
      role: 'member',
      grants: noGrants,
      createdAt: '2027-01-01T00:00:00.000Z',
    });
    expect(await nobody.query('user.sessions')).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await member.query('user.sessions')).toEqual([]);
    const short = await session({ ...people.member, organizationId: 'organization-other' });
    clock.time += 1000;
    const client = await signedIn(world);
    const mine = {
      sessionId: expect.any(String),
      createdAt: '2026-06-01T00:00:01.000Z',
      expiresAt: '2026-06-08T00:00:01.000Z',
      ip: '127.0.0.1',
      userAgent: 'a browser',
      current: true,
    };
    const other = {
      sessionId: expect.any(String),
      createdAt: '2026-06-01T00:00:00.000Z',
      expiresAt: '2026-06-01T01:00:00.000Z',
      ip: '127.0.0.1',
      userAgent: 'test',
      current: false,
    };
    expect(await client.query('user.sessions')).toEqual([mine, other]);
    expect(await short.query('user.sessions')).toEqual([
      { ...mine, current: false },
      { ...other, current: true },
    ]);
    expect(await member.query('user.sessions')).toEqual([{ ...mine, current: false }]);
    expect(await client.query('user.sessions', { limit: 1 })).toEqual({
      items: [mine],
      nextCursor: expect.any(String),
    });
    expect(await client.query('user.sessions', { limit: 0 })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['limit'],
    });
    clock.time += 3_600_000;
    expect(await client.query('user.sessions')).toEqual([mine]);
  });

  it("ends its own sessions one by one, at once, and nobody else's", async () => {
    const world = await withPassword(await begin());
    const { owner, member, nobody, people, session, database } = world;
    const [mine, second] = [await signedIn(world), await signedIn(world)];
    const idOf = async (client: InterfaceClient): Promise<string> => {
      const all = await client.query('user.sessions');
      return textOf(
        Array.isArray(all)
          ? all.find((one: unknown) => Reflect.get(Object(one), 'current') === true)
          : undefined,
        'sessionId',
      );
    };
    const end = (client: InterfaceClient, sessionId: unknown): Promise<unknown> =>
      client.mutate('user.endSession', { sessionId });
    const secondId = await idOf(second);
    expect(await end(nobody, secondId)).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await end(owner, secondId)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await end(await session(people.admin), secondId)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await end(mine, 'nowhere')).toMatchObject({ code: 'NOT_FOUND' });
    expect(await end(mine, '')).toMatchObject({ code: 'BAD_REQUEST', fields: ['sessionId'] });
    expect(await end(mine, secondId)).toMatchObject({ sessionId: secondId, current: false });
    expect(await second.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
    await createStores(database).members.insert({
      memberId: 'm',
      organizationId: 'organization-other',
      userId: 'user-member',
      role: 'member',
      grants: noGrants,
      createdAt: '2027-01-01T00:00:00.000Z',
    });
    const elsewhere = await session({ ...people.member, organizationId: 'organization-other' });
    expect(await end(member, await idOf(elsewhere))).toMatchObject({ code: 'FORBIDDEN' });
    expect(await end(member, await idOf(mine))).toMatchObject({ current: false });
    expect(await mine.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await elsewhere.query('user.get')).toMatchObject({ organizationId: 'organization-other' });
  });

  it('is shown exactly as documented', async () => {
    const { owner, people } = await begin();
    const key = {
      id: expect.any(String),
      name: 'test',
      prefix: null,
      start: expect.stringMatching(/^berth_.{4}$/),
      enabled: true,
      createdAt: expect.any(String),
      expiresAt: null,
      lastRequestAt: expect.any(String),
      remaining: null,
      refillAmount: null,
      refillInterval: null,
      rateLimitEnabled: false,
      rateLimitTimeWindow: null,
      rateLimitMax: null,
    };
    expect(await owner.query('user.get')).toEqual({
      id: 'user-owner',
      email: 'owner@example.com',
      name: 'owner',
      role: 'owner',
      grants: noGrants,
      twoFactor: false,
      organizationId: people.owner.organizationId,
      createdAt: expect.any(String),
      apiKeys: [key],
    });
  });

  it(
    'makes keys for each of its organizations by its place there, narrowed to routers and actions that ' +
      'there are',
    async () => {
      const { people, session, database } = await begin();
      const client = await session(people.member);
      const make = (organizationId: string, more: object = {}): Promise<unknown> =>
        client.mutate('user.createApiKey', { name: 'x', metadata: { organizationId }, ...more });
      for (const organizationId of ['organization-first', 'organization-other', 'nowhere'])
        expect(await make(organizationId)).toMatchObject({ code: 'FORBIDDEN' });
      await createStores(database).members.insert({
        memberId: 'm',
        organizationId: 'organization-other',
        userId: 'user-member',
        role: 'member',
        grants: noGrants,
        createdAt: '2027-01-01T00:00:00.000Z',
      });
      // What may be done here says nothing of there.
      await people.grant({ canAccessToAPI: true });
      await createStores(database).members.update({ memberId: 'm' }, { grants: noGrants });
      expect(await make('organization-other')).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('canAccessToAPI'),
      });
      expect(await make('organization-first')).toMatchObject({ name: 'x' });
      await createStores(database).members.update({ memberId: 'm' }, { role: 'admin' });
      expect(
        await make('organization-other', { permissions: { application: ['read', 'write'], user: ['read'] } }),
      ).toMatchObject({ name: 'x' });
      for (const [permissions, fields] of [
        [{ nothing: ['read'] }, ['permissions.nothing']],
        [
          { application: ['read', 'destroy'], user: ['sing'] },
          ['permissions.application.1', 'permissions.user.0'],
        ],
        [{ constructor: ['read'] }, ['permissions.constructor']],
        [{ application: 'read' }, ['permissions.application']],
      ] as const)
        expect(await make('organization-first', { permissions })).toMatchObject({
          code: 'BAD_REQUEST',
          fields,
        });
      expect(
        (await createStores(database).audit.all('organization-other')).map(
          ({ procedure, outcome }) => `${procedure} ${outcome}`,
        ),
      ).toEqual(['user.createApiKey done']);
    },
  );
});
