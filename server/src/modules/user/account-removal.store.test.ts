import { expect, it } from 'vitest';
import { accountWorlds } from '../../../../test/http/worlds/account-world.ts';
import type { InterfaceClient } from '../../../../test/http/interface-client.ts';
import type { World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { noGrants, type Role } from '../../domain/access/permissions.ts';
import { hashPassword } from './sign-in/password.ts';

const password = 'correct horse';
const other = 'organization-other';

eachDatabase('deleting an account', (test) => {
  const begin = accountWorlds(test);

  async function worldWithPasswords(): Promise<World> {
    const world = await begin();
    const passwordHash = await hashPassword(password);
    for (const name of ['owner', 'member', 'stranger'])
      await createStores(world.database).users.users.update({ userId: `user-${name}` }, { passwordHash });
    return world;
  }
  const remove = (client: InterfaceClient, input: object = {}): Promise<unknown> =>
    client.mutate('user.delete', { password, ...input });
  const join = ({ database }: World, userId: string, organizationId: string, role: Role): Promise<void> =>
    createStores(database).members.insert({
      memberId: `${userId} ${organizationId}`,
      organizationId,
      userId,
      role,
      grants: noGrants,
      createdAt: '2027-01-01T00:00:00.000Z',
    });

  it('takes sessions, keys, memberships and invitations with it; the audit log keeps the id', async () => {
    const world = await worldWithPasswords();
    const { database, member, nobody, people, session } = world;
    const stores = createStores(database);
    const client = await session(people.member);
    await join(world, 'user-member', other, 'admin');
    const invitation = { role: 'member', grants: noGrants, status: 'pending', expiresAt: 9e15 } as const;
    const createdAt = '2026-01-01T00:00:00.000Z';
    const first = { ...invitation, organizationId: 'organization-first', createdAt };
    await stores.invitations.insert({
      ...first,
      invitationId: 'made',
      email: 'new@example.com',
      tokenHash: 'a',
      invitedBy: 'user-member',
    });
    await stores.invitations.insert({
      ...first,
      invitationId: 'got',
      email: 'member@example.com',
      tokenHash: 'b',
      invitedBy: 'user-owner',
    });
    expect(await remove(nobody)).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await member.mutate('user.delete', {})).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['password'],
    });
    expect(await remove(member, { password: 'wrong' })).toMatchObject({ fields: ['password'] });
    expect(await remove(member, { userId: 'user-admin' })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await remove(client, { userId: 'user-member' })).toMatchObject({
      id: 'user-member',
      email: 'member@example.com',
    });
    for (const caller of [client, member])
      expect(await caller.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
    const { users, members, invitations, audit } = stores;
    const where = { userId: 'user-member' };
    expect(await users.users.find(where)).toBeUndefined();
    expect(await users.sessions.list(where)).toEqual([]);
    expect(await users.keys.list(where)).toEqual([]);
    expect(await members.list(where)).toEqual([]);
    expect((await invitations.list({ status: 'pending' })).map((one) => one.invitationId)).toEqual([]);
    expect((await audit.all('organization-first'))[0]).toMatchObject({
      procedure: 'user.delete',
      userId: 'user-member',
      resourceId: 'user-member',
      outcome: 'done',
    });
  });

  it('is refused to the last Owner of an organization, with the way out', async () => {
    const world = await worldWithPasswords();
    const { stranger, people, session, database } = world;
    expect(await remove(stranger)).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringMatching(/last Owner of Other\..*updateMember.*organization\.delete/),
    });
    await join(world, 'user-member', other, 'owner');
    // Of two Owners who go at once one stays.
    const clients = [stranger, await session({ ...people.member, organizationId: other })];
    const answers = await Promise.all(clients.map((client) => remove(client)));
    expect(answers.filter((answer) => 'id' in Object(answer))).toHaveLength(1);
    expect((await createStores(database).members.list({ organizationId: other, role: 'owner' })).length).toBe(
      1,
    );
  });

  it("of somebody without an organization is the installation Owner's", async () => {
    const world = await worldWithPasswords();
    const { admin, database, owner, stranger } = world;
    const stray = { userId: 'user-member' };
    expect(await owner.mutate('user.delete', stray)).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('First'),
    });
    await createStores(database).members.remove(stray);
    for (const client of [admin, stranger])
      expect(await client.mutate('user.delete', stray)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await owner.mutate('user.delete', { userId: 'user-nobody' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await owner.mutate('user.delete', { userId: 'user-stranger' })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await owner.mutate('user.delete', stray)).toMatchObject({ id: 'user-member' });
    expect(await owner.mutate('user.delete', stray)).toMatchObject({ code: 'NOT_FOUND' });
  });
});
