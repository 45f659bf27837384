import { describe, expect, it } from 'vitest';
import { accountWorlds } from '../../../../test/http/worlds/account-world.ts';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import type { World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { noGrants } from '../../domain/access/permissions.ts';

eachDatabase('organizations', (test) => {
  const begin = accountWorlds(test);
  const [first, other] = ['organization-first', 'organization-other'];
  const shown = (name: string): object => ({
    organizationId: expect.any(String),
    name,
    trusted: false,
    createdAt: expect.any(String),
    requireTwoFactor: false,
    parentOrganizationId: null,
  });

  async function create(
    { session, people }: World,
    name = 'Third',
  ): Promise<{ client: InterfaceClient; organizationId: string }> {
    const client = await session(people.owner);
    return {
      client,
      organizationId: textOf(await client.mutate('organization.create', { name }), 'organizationId'),
    };
  }

  it('are created by Owner and Admin in a session, which stays in its own until it is moved', async () => {
    const world = await begin();
    const { owner, nobody, people, session, database } = world;
    expect(await nobody.mutate('organization.create', { name: 'Third' })).toMatchObject({
      code: 'UNAUTHORIZED',
    });
    expect(await owner.mutate('organization.create', { name: 'Third' })).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('session'),
    });
    expect(
      await (await session(people.member)).mutate('organization.create', { name: 'Third' }),
    ).toMatchObject({ code: 'FORBIDDEN' });
    const admin = await session(people.admin);
    expect(await admin.mutate('organization.create', { name: '' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['name'],
    });
    const created = await admin.mutate('organization.create', { name: 'Third' });
    expect(created).toEqual(shown('Third'));
    const organizationId = textOf(created, 'organizationId');
    expect(await admin.query('user.get')).toMatchObject({ organizationId: first, role: 'admin' });
    expect(await admin.query('organization.all')).toEqual([
      { ...shown('Third'), role: 'owner' },
      { ...shown('First'), role: 'admin' },
    ]);
    expect(await admin.query('organization.all', { limit: 1 })).toEqual({
      items: [{ ...shown('Third'), role: 'owner' }],
      nextCursor: organizationId,
    });
    expect(await admin.mutate('organization.setActive', { organizationId })).toEqual({
      ...shown('Third'),
      role: 'owner',
    });
    expect(await admin.query('user.get')).toMatchObject({ organizationId, role: 'owner', apiKeys: [] });
    expect(await createStores(database).audit.all(organizationId)).toEqual([
      expect.objectContaining({ procedure: 'organization.setActive', resourceId: organizationId }),
      expect.objectContaining({
        procedure: 'organization.create',
        resourceId: organizationId,
        userId: 'user-admin',
      }),
    ]);
    expect((await createStores(database).audit.all(first)).map(({ outcome }) => outcome)).not.toContain(
      'done',
    );
  });

  describe('of people who do not run the installation', () => {
    const forbidden = {
      code: 'FORBIDDEN',
      message: expect.stringMatching(/Ask them to create one.*tenantsMayCreateOrganizations/),
    };

    it('are not created unless the installation allows it; the ones that exist stay', async () => {
      const { people, session, database } = await begin();
      const stranger = await session(people.stranger);
      expect(await stranger.mutate('organization.create', { name: 'Third' })).toMatchObject(forbidden);
      // A Member of the first organization is no exception, whatever they are elsewhere.
      const stores = createStores(database);
      await stores.members.insert({
        memberId: 'm',
        organizationId: other,
        userId: 'user-member',
        role: 'owner',
        grants: noGrants,
        createdAt: '2026-01-01T00:00:00.000Z',
      });
      const member = await session({ ...people.member, organizationId: other });
      expect(await member.mutate('organization.create', { name: 'Third' })).toMatchObject(forbidden);
      expect(await stores.organizations.list({})).toHaveLength(2);
      expect(await stranger.query('organization.one', { organizationId: other })).toEqual(shown('Other'));
      // Who runs the installation does so in whichever organization the session acts.
      await stores.members.insert({
        memberId: 'a',
        organizationId: other,
        userId: 'user-admin',
        role: 'admin',
        grants: noGrants,
        createdAt: '2026-01-01T00:00:00.000Z',
      });
      const admin = await session({ ...people.admin, organizationId: other });
      expect(await admin.mutate('organization.create', { name: 'Third' })).toEqual(shown('Third'));
    });

    it('share the quota of the first of their line, which is deleted last', async () => {
      const { people, session, database } = await begin();
      const stores = createStores(database);
      await stores.settings.put('tenantsMayCreateOrganizations', true);
      const ownerSession = await session(people.owner);
      await ownerSession.mutate('organization.setQuota', { organizationId: other, services: 0 });
      const stranger = await session(people.stranger);
      const second = await stranger.mutate('organization.create', { name: 'Second' });
      expect(second).toEqual({ ...shown('Second'), parentOrganizationId: other });
      const secondId = textOf(second, 'organizationId');
      await stranger.mutate('organization.setActive', { organizationId: secondId });
      const third = await stranger.mutate('organization.create', { name: 'Third' });
      expect(third).toEqual({ ...shown('Third'), parentOrganizationId: other });
      const thirdId = textOf(third, 'organizationId');
      expect(await stranger.query('organization.usage', { organizationId: secondId })).toMatchObject({
        sharedBy: 3,
        quota: { services: 0 },
      });
      expect(
        await ownerSession.mutate('organization.setQuota', { organizationId: thirdId, services: 9 }),
      ).toMatchObject({ code: 'PRECONDITION_FAILED', message: expect.stringContaining(other) });
      const remove = (organizationId: string): Promise<unknown> =>
        stranger.mutate('organization.delete', { organizationId });
      expect(await remove(other)).toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringContaining('2 organizations share the quota of Other'),
      });
      await stranger.mutate('organization.setActive', { organizationId: other });
      expect(await remove(thirdId)).toMatchObject({ name: 'Third' });
      expect(await remove(secondId)).toMatchObject({ name: 'Second' });
      // Nothing but its contents keeps it then.
      expect(await remove(other)).toMatchObject({
        message: expect.stringMatching(/^Other still has 1 proj/),
      });
    });
  });

  it("are read and listed by those who belong to them, by a key only the key's own", async () => {
    const world = await begin();
    const { owner, member, stranger, nobody } = world;
    const { client, organizationId } = await create(world);
    for (const path of ['organization.one', 'organization.all'])
      expect(await nobody.query(path, { organizationId: first })).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await member.query('organization.one', { organizationId: first })).toEqual(shown('First'));
    expect(await member.query('organization.all')).toEqual([{ ...shown('First'), role: 'member' }]);
    expect(await stranger.query('organization.one', { organizationId: first })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await owner.query('organization.one', { organizationId: 'nowhere' })).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await owner.query('organization.one', {})).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['organizationId'],
    });
    expect(await owner.query('organization.all')).toEqual([{ ...shown('First'), role: 'owner' }]);
    expect(await owner.query('organization.one', { organizationId })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await client.query('organization.one', { organizationId })).toEqual(shown('Third'));
  });

  it('are renamed by Owner and Admin of the organization named, wherever their session is', async () => {
    const world = await begin();
    const { admin, member, stranger, nobody, people, session, database } = world;
    const rename = (
      client: InterfaceClient,
      organizationId: string,
      name: unknown = 'Renamed',
    ): Promise<unknown> => client.mutate('organization.update', { organizationId, name });
    expect(await rename(nobody, first)).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await rename(member, first)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await rename(stranger, first)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await rename(admin, first, '')).toMatchObject({ code: 'BAD_REQUEST', fields: ['name'] });
    expect(await rename(admin, 'nowhere')).toMatchObject({ code: 'NOT_FOUND' });
    expect(await rename(admin, first)).toEqual(shown('Renamed'));
    expect(await admin.mutate('organization.update', { organizationId: first })).toEqual(shown('Renamed'));
    // Admin here, member there: the place there counts.
    await createStores(database).members.insert({
      memberId: 'm',
      organizationId: other,
      userId: 'user-admin',
      role: 'member',
      grants: noGrants,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect(await rename(await session(people.admin), other)).toMatchObject({ code: 'FORBIDDEN' });
    await createStores(database).members.update({ memberId: 'm' }, { role: 'admin' });
    expect(await rename(await session(people.admin), other)).toEqual(shown('Renamed'));
  });

  it('become active for a session of a member only, never for a key', async () => {
    const { owner, people, session } = await begin();
    const client = await session(people.owner);
    expect(await owner.mutate('organization.setActive', { organizationId: first })).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('session'),
    });
    expect(await client.mutate('organization.setActive', { organizationId: other })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await client.mutate('organization.setActive', { organizationId: 'nowhere' })).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await client.mutate('organization.setActive', {})).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['organizationId'],
    });
    expect(await client.mutate('organization.setActive', { organizationId: first })).toEqual({
      ...shown('First'),
      role: 'owner',
    });
  });

  it('are deleted by their Owner, empty, and never the first; sessions and keys in them end', async () => {
    const gone: string[] = [];
    const world = await begin(undefined, (organizationId) => void gone.push(organizationId));
    const { owner, admin, member, stranger, nobody, people, database, session } = world;
    const remove = (client: InterfaceClient, organizationId: string): Promise<unknown> =>
      client.mutate('organization.delete', { organizationId });
    expect(await remove(nobody, first)).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const client of [member, admin, stranger])
      expect(await remove(client, first)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await remove(owner, first)).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('first organization'),
    });
    expect(await remove(owner, 'nowhere')).toMatchObject({ code: 'NOT_FOUND' });
    expect(await remove(stranger, other)).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('1 project.'),
    });

    const { client, organizationId } = await create(world);
    const stores = createStores(database);
    const key = textOf(
      await client.mutate('user.createApiKey', { name: 'there', metadata: { organizationId } }),
      'key',
    );
    const inside = { ...people.owner, organizationId };
    const there = await session(inside);
    expect(await there.query('user.get')).toMatchObject({
      organizationId,
      apiKeys: [expect.objectContaining({ name: 'there' })],
    });
    await stores.sshKeys.insert({
      sshKeyId: 'k',
      organizationId,
      name: 'k',
      description: '',
      publicKey: '',
      privateKey: '',
      fingerprint: '',
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    await stores.projects.insert({
      projectId: 'p1',
      organizationId,
      name: 'p',
      description: '',
      env: '',
      baseDomain: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    await stores.projects.insert({
      projectId: 'p2',
      organizationId,
      name: 'p',
      description: '',
      env: '',
      baseDomain: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect(await remove(client, organizationId)).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: 'Third still has 2 projects, 1 SSH key. Remove them first.',
    });
    await stores.projects.remove({ organizationId });
    await stores.sshKeys.remove({ organizationId });
    expect(gone).toEqual([]);
    expect(await remove(client, organizationId)).toEqual(shown('Third'));
    // What servers keep for it alone, such as its builders.
    expect(gone).toEqual([organizationId]);
    expect(await there.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await stores.users.keys.list({ organizationId })).toEqual([]);
    expect(key).toMatch(/^berth_/);
    expect(await client.query('organization.all')).toEqual([{ ...shown('First'), role: 'owner' }]);
    expect((await stores.audit.all(first))[0]).toMatchObject({
      procedure: 'organization.delete',
      resourceId: organizationId,
      outcome: 'done',
    });
  });
});
