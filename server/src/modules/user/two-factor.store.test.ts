import { expect, it } from 'vitest';
import { accountWorlds, heldClock } from '../../../../test/http/worlds/account-world.ts';
import { send, type Answer } from '../../../../test/http/call.ts';
import { clientOf, textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import type { World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { totpCode, totpStep } from '../../domain/secrets/totp.ts';
import { noGrants } from '../../domain/access/permissions.ts';
import { hashPassword } from './sign-in/password.ts';

const password = 'correct horse';
const account = { email: 'member@example.com', password };

eachDatabase('two-factor sign-in', (test) => {
  const begin = accountWorlds(test);

  async function worldWithPassword(clock = heldClock()): Promise<World & { clock: typeof clock }> {
    const world = await begin(clock);
    await createStores(world.database).users.users.update(
      { userId: 'user-member' },
      { passwordHash: await hashPassword(password) },
    );
    return { ...world, clock };
  }
  const signIn = ({ server }: World, more: object = {}): Promise<Answer> =>
    send(`${server.url}/api/auth/sign-in/email`, { body: { ...account, ...more } });
  async function signedIn(world: World, more: object = {}): Promise<InterfaceClient> {
    const answer = await signIn(world, more);
    expect(answer.status).toBe(200);
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return clientOf(world.server, { ...world.people.member, headers: { cookie } });
  }
  /** What the app shows `steps` from now. */
  async function codeOf(
    { database, clock }: World & { clock: { now(): number } },
    steps = 0,
  ): Promise<string> {
    const record = await createStores(database).users.twoFactors.find({ userId: 'user-member' });
    return totpCode(Buffer.from(record?.secret ?? '', 'base64'), totpStep(clock.now()) + steps);
  }
  async function switchedOn(
    world: World & { clock: ReturnType<typeof heldClock> },
  ): Promise<{ client: InterfaceClient; recoveryCodes: string[] }> {
    const client = await signedIn(world);
    await client.mutate('user.twoFactorSetUp', { password });
    const answer = await client.mutate('user.twoFactorConfirm', { code: await codeOf(world) });
    const codes: unknown = Reflect.get(Object(answer), 'recoveryCodes');
    world.clock.time += 60_000;
    return { client, recoveryCodes: Array.isArray(codes) ? codes.map(String) : [] };
  }

  it('is set up by password and confirmed by a code; other sessions end, keys go on', async () => {
    const world = await worldWithPassword();
    const [client, other] = [await signedIn(world), await signedIn(world)];
    for (const [caller, code] of [
      [world.nobody, 'UNAUTHORIZED'],
      [world.member, 'FORBIDDEN'],
    ] as const)
      expect(await caller.mutate('user.twoFactorSetUp', { password })).toMatchObject({ code });
    expect(await client.mutate('user.twoFactorConfirm', { code: '123456' })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    expect(await client.mutate('user.twoFactorSetUp', { password: 'wrong' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['password'],
    });
    const made = await client.mutate('user.twoFactorSetUp', { password });
    const secret = textOf(made, 'secret');
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(textOf(made, 'otpauthUrl')).toContain(`secret=${secret}`);
    // Nothing is on before it is confirmed.
    expect((await signIn(world)).status).toBe(200);
    expect(await client.mutate('user.twoFactorConfirm', { code: '000000' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['code'],
    });
    expect(await client.mutate('user.twoFactorConfirm', { code: await codeOf(world) })).toEqual({
      recoveryCodes: Array.from({ length: 10 }, () =>
        expect.stringMatching(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/),
      ),
    });
    expect(await client.query('user.twoFactor')).toEqual({
      enabled: true,
      recoveryCodesLeft: 10,
      required: false,
    });
    expect(await client.query('user.get')).toMatchObject({ twoFactor: true });
    expect(await other.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await world.member.query('user.get')).toMatchObject({ twoFactor: true });
    expect(await client.mutate('user.twoFactorSetUp', { password })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    // Neither the secret nor a code lies open in the database or the log.
    const stores = createStores(world.database);
    const stored = await world.database.run<{ secret: string }>({
      sql: 'select "secret" from "two_factor"',
      parameters: [],
      query: { kind: 'RawNode', sqlFragments: [], parameters: [] },
      queryId: { queryId: 'stored-secret' },
    });
    expect(stored[0]?.secret).toMatch(/^v1\./);
    expect(JSON.stringify(await stores.audit.all('organization-first'))).not.toContain(secret);
  });

  it('lets nobody in by the password alone, and says what is missing', async () => {
    const world = await worldWithPassword();
    await switchedOn(world);
    const without = await signIn(world);
    expect(without).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED', error: { data: { needs: 'code' } } },
    });
    expect(without.headers.getSetCookie()).toEqual([]);
    const wrong = await signIn(world, { code: '000000' });
    expect(wrong).toMatchObject({ status: 401, body: { error: { data: { needs: 'code' } } } });
    // A wrong password does not tell that there is a second factor.
    expect(Reflect.get(Object(await signIn(world, { password: 'wrong' })), 'text')).not.toContain('needs');
    expect((await signIn(world, { code: await codeOf(world) })).status).toBe(200);
  });

  it('takes each code once, also when it comes several times at once', async () => {
    const world = await worldWithPassword();
    const { recoveryCodes } = await switchedOn(world);
    const many = async (code: string): Promise<number[]> =>
      (await Promise.all([1, 2, 3].map(() => signIn(world, { code }))))
        .map(({ status }) => status)
        .toSorted((a, b) => a - b);
    expect(await many(await codeOf(world))).toEqual([200, 401, 401]);
    // An earlier step is used up with a later one.
    expect((await signIn(world, { code: await codeOf(world, -1) })).status).toBe(401);
    world.clock.time += 15 * 60_000;
    expect(await many(recoveryCodes[0] ?? '')).toEqual([200, 401, 401]);
    const loosely = recoveryCodes[1]?.toUpperCase().replaceAll('-', ' ') ?? '';
    expect((await signIn(world, { code: loosely })).status).toBe(200);
    const client = await signedIn(world, { code: await codeOf(world) });
    expect(await client.query('user.twoFactor')).toMatchObject({ recoveryCodesLeft: 8 });
  });

  it('slows whoever knows the password and guesses codes, and asking for one forgets no guess', async () => {
    const world = await worldWithPassword();
    await switchedOn(world);
    for (let guess = 0; guess < 5; guess += 1) {
      expect((await signIn(world)).status).toBe(401);
      expect((await signIn(world, { code: '000000' })).status).toBe(401);
    }
    expect((await signIn(world, { code: await codeOf(world) })).status).toBe(429);
    world.clock.time += 15 * 60_000;
    expect((await signIn(world, { code: await codeOf(world) })).status).toBe(200);
  });

  it('is switched off, and gets new recovery codes, by password and code', async () => {
    const world = await worldWithPassword();
    const { client, recoveryCodes } = await switchedOn(world);
    for (const path of ['user.twoFactorDisable', 'user.twoFactorNewRecoveryCodes']) {
      expect(await client.mutate(path, { password, code: '000000' })).toMatchObject({ fields: ['code'] });
      expect(await client.mutate(path, { password: 'wrong', code: await codeOf(world) })).toMatchObject({
        fields: ['password'],
      });
    }
    const renewed = await client.mutate('user.twoFactorNewRecoveryCodes', {
      password,
      code: recoveryCodes[0],
    });
    expect(renewed).toMatchObject({ recoveryCodes: expect.arrayContaining([expect.any(String)]) });
    expect((await signIn(world, { code: recoveryCodes[1] })).status).toBe(401);
    expect(await client.mutate('user.twoFactorDisable', { password, code: await codeOf(world) })).toEqual({
      enabled: false,
      recoveryCodesLeft: 0,
      required: false,
    });
    expect((await signIn(world)).status).toBe(200);
    expect(await client.mutate('user.twoFactorDisable', { password, code: '000000' })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
  });

  it('may be required by an organization: sessions without it can only set it up, keys go on', async () => {
    const world = await worldWithPassword();
    const { admin, database, member, people, session } = world;
    const organizationId = 'organization-first';
    const require = (client: InterfaceClient): Promise<unknown> =>
      client.mutate('organization.update', { organizationId, requireTwoFactor: true });
    expect(await require(member)).toMatchObject({ code: 'FORBIDDEN' });
    // Whoever requires it has it.
    expect(await require(admin)).toMatchObject({ code: 'PRECONDITION_FAILED' });
    const stores = createStores(database);
    await stores.users.twoFactors.insert({
      userId: 'user-admin',
      secret: 'secret',
      createdAt: '2026-01-01T00:00:00.000Z',
      confirmedAt: '2026-01-01T00:00:00.000Z',
      lastStep: 0,
    });
    expect(await require(admin)).toMatchObject({ requireTwoFactor: true });
    const client = await signedIn(world);
    for (const [path, allowed] of [
      ['user.sessions', false],
      ['user.get', true],
      ['user.twoFactor', true],
      ['organization.all', true],
    ] as const)
      expect([path, 'code' in Object(await client.query(path))]).toEqual([path, !allowed]);
    expect(await client.query('user.sessions')).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('twoFactorSetUp'),
    });
    expect(
      await client.mutate('user.createApiKey', { name: 'x', metadata: { organizationId } }),
    ).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await member.query('user.sessions')).toEqual(expect.any(Array));
    expect(await (await session(people.admin)).query('user.sessions')).toEqual(expect.any(Array));
    // From an organization that does not require it no door leads around.
    await stores.members.insert({
      memberId: 'm',
      organizationId: 'organization-other',
      userId: 'user-member',
      role: 'owner',
      grants: { ...noGrants },
      createdAt: '2027-01-01T00:00:00.000Z',
    });
    const elsewhere = await session({ ...people.member, organizationId: 'organization-other' });
    expect(await elsewhere.query('user.sessions')).toEqual(expect.any(Array));
    expect(await elsewhere.query('organization.one', { organizationId })).toMatchObject({
      code: 'FORBIDDEN',
    });
    await client.mutate('user.twoFactorSetUp', { password });
    await client.mutate('user.twoFactorConfirm', { code: await codeOf(world) });
    expect(await client.query('user.sessions')).toEqual(expect.any(Array));
    expect(await client.query('user.twoFactor')).toMatchObject({ required: true });
  });
});
