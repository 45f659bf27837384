import { expect, it } from 'vitest';
import { accountWorlds, heldClock } from '../../../../test/http/worlds/account-world.ts';
import { send, type Answer } from '../../../../test/http/call.ts';
import { clientOf, textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import type { World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { noGrants } from '../../domain/access/permissions.ts';
import { hashPassword } from '../user/sign-in/password.ts';

eachDatabase('invitations', (test) => {
  const begin = accountWorlds(test);
  const day = 24 * 3_600_000;
  const shown = {
    invitationId: expect.any(String),
    email: 'new@example.com',
    role: 'member',
    grants: noGrants,
    status: 'pending',
    invitedBy: 'user-admin',
    expiresAt: expect.any(String),
    createdAt: expect.any(String),
  };
  const invite = (client: InterfaceClient, more: object = {}): Promise<unknown> =>
    client.mutate('organization.invite', { email: 'New@Example.com', ...more });
  const tokenOf = async (client: InterfaceClient, more: object = {}): Promise<string> =>
    textOf(await invite(client, more), 'token');
  const signUp = ({ server }: World, more: object): Promise<Answer> =>
    send(`${server.url}/api/auth/sign-up/email`, {
      body: { name: 'New', email: 'new@example.com', password: 'a long password', ...more },
    });
  const signIn = ({ server }: World, more: object): Promise<Answer> =>
    send(`${server.url}/api/auth/sign-in/email`, {
      body: { email: 'new@example.com', password: 'a long password', ...more },
    });
  const doorAfter = ({ server, people }: World, { headers }: Answer): InterfaceClient =>
    clientOf(server, {
      ...people.member,
      headers: { cookie: headers.get('set-cookie')?.split(';')[0] ?? '', origin: server.url },
    });

  it('are shown to whoever holds the token, as long as it can be used', async () => {
    const world = await begin();
    const { owner, server } = world;
    const cardOf = async (token: string): Promise<unknown> =>
      (await send(`${server.url}/api/auth/invitation`, { body: { token } })).body;
    const token = await tokenOf(owner, { role: 'admin' });
    const { organizationId } = Object(await owner.query('user.get', {}));
    const { name } = (await createStores(world.database).organizations.find({ organizationId })) ?? {};
    expect(await cardOf(token)).toEqual({
      organization: name,
      invitedBy: expect.stringMatching(/./),
      email: 'new@example.com',
      role: 'admin',
      expiresAt: expect.any(String),
    });
    expect(await cardOf(`${token}x`)).toBeNull();
    const next = await tokenOf(owner);
    expect(await cardOf(token)).toBeNull();
    expect(await cardOf(next)).toMatchObject({ role: 'member' });
    expect((await signUp(world, { token: next })).status).toBe(200);
    expect(await cardOf(next)).toBeNull();
  });

  it('are made by Owner and Admin, their token shown once and stored as a hash only', async () => {
    const { owner, admin, member, stranger, nobody, place, foreign, database } = await begin();
    expect(await invite(nobody)).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await invite(member)).toMatchObject({ code: 'FORBIDDEN' });
    for (const [more, fields] of [
      [{ email: 'nobody' }, ['email']],
      [{ role: 'chief' }, ['role']],
      [{ grants: { accessedProjects: 1 } }, ['grants.accessedProjects']],
    ] as const)
      expect(await invite(admin, more)).toMatchObject({ code: 'BAD_REQUEST', fields });
    expect(await invite(admin, { grants: { accessedProjects: [foreign.projectId] } })).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('grants.accessedProjects'),
    });
    expect(await invite(admin, { grants: { accessedServices: ['nowhere'] } })).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await invite(admin, { email: 'member@example.com' })).toMatchObject({ code: 'CONFLICT' });
    expect(await invite(admin, { role: 'owner' })).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('above your own'),
    });
    const invited = await invite(admin, {
      grants: { accessedProjects: [place.projectId], canAccessToAPI: true },
    });
    const grants = { ...noGrants, accessedProjects: [place.projectId], canAccessToAPI: true };
    expect(invited).toEqual({ ...shown, grants, token: expect.stringMatching(/^[\w-]{43}$/) });
    expect(await owner.query('organization.invitations')).toEqual([{ ...shown, grants }]);
    expect(await owner.query('organization.invitations', { limit: 1 })).toEqual({
      items: [{ ...shown, grants }],
      nextCursor: null,
    });
    expect(await member.query('organization.invitations')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await nobody.query('organization.invitations')).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await stranger.query('organization.invitations')).toEqual([]);
    const stores = createStores(database);
    const token = textOf(invited, 'token');
    for (const kept of [await stores.invitations.list({}), await stores.audit.all('organization-first')])
      expect(JSON.stringify(kept)).not.toContain(token);
    expect(
      (await stores.audit.all('organization-first')).find(({ outcome }) => outcome === 'done'),
    ).toMatchObject({ procedure: 'organization.invite', resourceId: textOf(invited, 'invitationId') });
    expect(await invite(owner, { role: 'owner', email: 'boss@example.com' })).toMatchObject({
      role: 'owner',
    });
  });

  it('open sign-up once, for the invited address, with the invited role and grants', async () => {
    const world = await begin();
    const { admin, place } = world;
    expect(await signUp(world, {})).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('invitation') },
    });
    const token = await tokenOf(admin, {
      grants: { accessedServices: [place.applicationId], canAccessToAPI: true },
    });
    expect(await signUp(world, { token: 'wrong' })).toMatchObject({ status: 403 });
    expect(await signUp(world, { token, email: 'else@example.com' })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('No account can be made') },
    });
    expect(await signUp(world, { token: '' })).toMatchObject({
      status: 400,
      body: { error: { data: { issues: [{ path: 'token' }] } } },
    });
    const answer = await signUp(world, { token });
    expect(answer).toMatchObject({
      status: 200,
      body: { user: { email: 'new@example.com' }, organizationId: 'organization-first' },
    });
    expect(await doorAfter(world, answer).query('user.get')).toMatchObject({
      role: 'member',
      organizationId: 'organization-first',
    });
    expect(await admin.query('organization.members')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          email: 'new@example.com',
          role: 'member',
          grants: { ...noGrants, accessedServices: [place.applicationId], canAccessToAPI: true },
        }),
      ]),
    );
    expect(await admin.query('organization.invitations')).toEqual([
      expect.objectContaining({ status: 'accepted' }),
    ]);
    expect(await signUp(world, { token })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('No account can be made') },
    });
  });

  it('are used once, also by many requests at once, and leave nothing half-made', async () => {
    const world = await begin();
    const token = await tokenOf(world.admin);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => signUp(world, { token, name: `N${index}` })),
    );
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 403),
    ]);
    const { users } = createStores(world.database);
    const [user, ...more] = await users.users.list({ email: 'new@example.com' });
    expect(more).toEqual([]);
    expect(await users.members.list({ userId: user?.userId ?? '' })).toHaveLength(1);
    expect(await users.sessions.list({ userId: user?.userId ?? '' })).toHaveLength(1);
  });

  it('are for 7 days', async () => {
    const clock = heldClock();
    const world = await begin(clock);
    const token = await tokenOf(world.admin);
    clock.time += 7 * day - 1;
    expect(await world.admin.query('organization.invitations')).toEqual([
      expect.objectContaining({ status: 'pending', expiresAt: new Date(clock.time + 1).toISOString() }),
    ]);
    clock.time += 1;
    expect(await signUp(world, { token })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('No account can be made') },
    });
    expect(await world.admin.query('organization.invitations')).toEqual([
      expect.objectContaining({ status: 'expired' }),
    ]);
    const { invitations } = createStores(world.database);
    await invitations.prune(clock.time);
    expect(await invitations.list({})).toHaveLength(1);
    await invitations.prune(clock.time + 1);
    expect(await invitations.list({})).toHaveLength(0);
  });

  it('are revoked before use by Owner and Admin, or by the next one for the same address', async () => {
    const world = await begin();
    const { admin, member, stranger, nobody } = world;
    const invited = await invite(admin);
    const [token, invitationId] = [textOf(invited, 'token'), textOf(invited, 'invitationId')];
    const revoke = (client: InterfaceClient, id = invitationId): Promise<unknown> =>
      client.mutate('organization.revoke', { invitationId: id });
    expect(await revoke(nobody)).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const client of [member, stranger])
      expect(await revoke(client)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await revoke(admin, 'nowhere')).toMatchObject({ code: 'NOT_FOUND' });
    expect(await admin.mutate('organization.revoke', {})).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['invitationId'],
    });
    expect(await revoke(admin)).toEqual({ ...shown, status: 'revoked' });
    expect(await revoke(admin)).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await signUp(world, { token })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('No account can be made') },
    });
    const [second, third] = [await tokenOf(admin), await tokenOf(admin)];
    expect((await signUp(world, { token: second })).status).toBe(403);
    expect((await signUp(world, { token: third })).status).toBe(200);
  });

  it('are accepted in a session of the invited person only', async () => {
    const world = await begin();
    const { stranger, owner, nobody, people, session } = world;
    const token = textOf(
      await stranger.mutate('organization.invite', { email: 'member@example.com', role: 'admin' }),
      'token',
    );
    const accept = (client: InterfaceClient, input: object = { token }): Promise<unknown> =>
      client.mutate('organization.accept', input);
    expect(await accept(nobody)).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await accept(owner)).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('session'),
    });
    expect(await accept(await session(people.admin))).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('another e-mail address'),
    });
    const client = await session(people.member);
    expect(await accept(client, {})).toMatchObject({ code: 'BAD_REQUEST', fields: ['token'] });
    expect(await accept(client, { token: 'wrong' })).toMatchObject({ code: 'NOT_FOUND' });
    const answers = await Promise.all(Array.from({ length: 4 }, () => accept(client)));
    expect(answers.filter((answer) => 'role' in Object(answer))).toEqual([
      {
        organizationId: 'organization-other',
        name: 'Other',
        trusted: false,
        role: 'admin',
        createdAt: expect.any(String),
        requireTwoFactor: false,
        parentOrganizationId: null,
      },
    ]);
    expect(await accept(client)).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('already been used'),
    });
    expect(await client.query('user.get')).toMatchObject({ organizationId: 'organization-first' });
    expect(
      await client.mutate('organization.setActive', { organizationId: 'organization-other' }),
    ).toMatchObject({ role: 'admin' });
    const log = await createStores(world.database).audit.all('organization-other');
    expect(
      log.filter(({ procedure, outcome }) => procedure === 'organization.accept' && outcome === 'done'),
    ).toEqual([expect.objectContaining({ userId: 'user-member', resourceId: 'organization-other' })]);
  });

  it('bring a person back whose account belongs to no organization: at sign-in, with the token', async () => {
    const world = await begin();
    const { owner, database } = world;
    await signUp(world, { token: await tokenOf(owner) });
    const { users } = createStores(database);
    const userId = (await users.users.find({ email: 'new@example.com' }))?.userId ?? '';
    await owner.mutate('organization.removeMember', { userId });
    expect(await signIn(world, {})).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('no longer belongs to an organization') },
    });
    const token = await tokenOf(owner, { role: 'admin' });
    // As with a wrong token: an inviter, who has the token, does not learn who has an account.
    const [known, wrong] = [await signUp(world, { token }), await signUp(world, { token: 'wrong' })];
    expect([known.status, known.body]).toEqual([403, wrong.body]);
    expect(await signIn(world, { token, password: 'another password' })).toMatchObject({ status: 401 });
    expect(await signIn(world, { token: 'wrong' })).toMatchObject({ status: 404 });
    const answer = await signIn(world, { token });
    expect(answer).toMatchObject({ status: 200, body: { organizationId: 'organization-first' } });
    expect(await doorAfter(world, answer).query('user.get')).toMatchObject({ role: 'admin', apiKeys: [] });
    expect(await signIn(world, { token })).toMatchObject({ status: 412 });
  });

  it('of a person with an account are taken at sign-in too, and the session acts there', async () => {
    const world = await begin();
    const { stranger, database } = world;
    await createStores(database).users.users.update(
      { userId: 'user-member' },
      { passwordHash: await hashPassword('a long password') },
    );
    const token = textOf(
      await stranger.mutate('organization.invite', { email: 'member@example.com' }),
      'token',
    );
    expect(await signIn(world, { email: 'Member@example.com', token })).toMatchObject({
      status: 200,
      body: { organizationId: 'organization-other' },
    });
    expect(await signIn(world, { email: 'member@example.com' })).toMatchObject({
      status: 200,
      body: { organizationId: 'organization-first' },
    });
  });
});
