import { expect, it } from 'vitest';
import { accountWorlds } from '../../../../test/http/worlds/account-world.ts';
import type { InterfaceClient } from '../../../../test/http/interface-client.ts';
import { statementsOf } from '../../../../test/http/statements-of.ts';
import type { World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { tableStore } from '../../db/table-store.ts';
import { noGrants, type Role } from '../../domain/access/permissions.ts';
import { createMembers } from './member.ts';
import { noPreviews } from '../../../../test/world/plain-compose.ts';
import { neverRan } from '../database/database.ts';

eachDatabase('members', (test) => {
  const begin = accountWorlds(test);
  const shown = (name: string, role: Role, grants: object = noGrants): object => ({
    userId: `user-${name}`,
    name,
    email: `${name}@example.com`,
    role,
    grants: { ...noGrants, ...grants },
    createdAt: expect.any(String),
  });
  const update = (client: InterfaceClient, name: string, change: object): Promise<unknown> =>
    client.mutate('organization.updateMember', { userId: `user-${name}`, ...change });
  const remove = (client: InterfaceClient, name: string): Promise<unknown> =>
    client.mutate('organization.removeMember', { userId: `user-${name}` });

  it('are listed for Owner and Admin with role and grants, in a fixed number of statements', async () => {
    const { owner, admin, member, stranger, nobody, people, place, database } = await begin();
    await people.grant({
      accessedProjects: [place.projectId, 'removed since'],
      accessedServices: [place.applicationId],
      canCreateServices: true,
    });
    expect(await nobody.query('organization.members')).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await member.query('organization.members')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await stranger.query('organization.members')).toEqual([shown('stranger', 'owner')]);
    const all = [
      shown('member', 'member', {
        accessedProjects: [place.projectId],
        accessedServices: [place.applicationId],
        canCreateServices: true,
      }),
      shown('admin', 'admin'),
      shown('owner', 'owner'),
    ];
    expect(await admin.query('organization.members')).toEqual(expect.arrayContaining(all));
    expect(await admin.query('organization.members')).toHaveLength(3);
    expect(await owner.query('organization.members', { limit: 2 })).toEqual({
      items: [expect.anything(), expect.anything()],
      nextCursor: expect.stringMatching(/^user-/),
    });
    expect(await owner.query('organization.members', { limit: 0 })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['limit'],
    });
    const count = (): Promise<number> => statementsOf(database, () => owner.query('organization.members'));
    const few = await count();
    const { users, members } = createStores(database);
    for (let number = 0; number < 40; number += 1) {
      await users.users.insert({
        userId: `u${number}`,
        email: `u${number}@example.com`,
        name: 'U',
        passwordHash: 'x',
        createdAt: '2026-01-01T00:00:00.000Z',
      });
      await members.insert({
        memberId: `m${number}`,
        organizationId: 'organization-first',
        userId: `u${number}`,
        role: 'member',
        grants: { ...noGrants, accessedServices: [place.applicationId] },
        createdAt: '2026-01-01T00:00:00.000Z',
      });
    }
    expect(await count()).toBe(few);
  });

  it('get grants piece by piece, and only to what stands in the organization', async () => {
    const { admin, member, stranger, nobody, place, foreign } = await begin();
    expect(await update(nobody, 'member', {})).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await update(member, 'member', { grants: { canCreateProjects: true } })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await update(stranger, 'member', {})).toMatchObject({ code: 'FORBIDDEN' });
    expect(await update(admin, 'nobody', {})).toMatchObject({ code: 'NOT_FOUND' });
    for (const [grants, fields] of [
      [{ accessedProjects: 'all' }, ['grants.accessedProjects']],
      [{ canCreateProjects: 'yes' }, ['grants.canCreateProjects']],
      [{ accessedServices: [''] }, ['grants.accessedServices.0']],
    ] as const) {
      expect(await update(admin, 'member', { grants })).toMatchObject({ code: 'BAD_REQUEST', fields });
    }
    for (const [list, own, theirs] of [
      ['accessedProjects', place.projectId, foreign.projectId],
      ['accessedEnvironments', place.environmentId, foreign.environmentId],
      ['accessedServices', place.applicationId, foreign.applicationId],
    ] as const) {
      expect(await update(admin, 'member', { grants: { [list]: [own, theirs] } })).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining(`grants.${list}`),
      });
      expect(await update(admin, 'member', { grants: { [list]: ['nowhere'] } })).toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining(`grants.${list}`),
      });
    }
    expect(
      await update(admin, 'member', {
        grants: { accessedServices: [place.applicationId, place.applicationId], canCreateServices: true },
      }),
    ).toEqual(
      shown('member', 'member', { accessedServices: [place.applicationId], canCreateServices: true }),
    );
    expect(
      await update(admin, 'member', { grants: { canCreateServices: false, canAccessToAPI: true } }),
    ).toEqual(shown('member', 'member', { accessedServices: [place.applicationId], canAccessToAPI: true }));
    expect(await update(admin, 'member', { grants: { accessedServices: [] } })).toEqual(
      shown('member', 'member', { canAccessToAPI: true }),
    );
  });

  it('get grants to services of every kind', async () => {
    const { owner, place, database } = await begin();
    const createdAt = '2026-01-01T00:00:00.000Z';
    const base = {
      organizationId: 'organization-first',
      environmentId: place.environmentId,
      name: 'x',
      description: '',
      serverId: null,
      createdAt,
    };
    const { kinds, ids } = {
      kinds: ['mariadb', 'redis'] as const,
      ids: ['database-mariadb', 'database-redis', 'compose-1'],
    };
    for (const kind of kinds) {
      await tableStore(database, 'database').insert({
        ...base,
        databaseId: `database-${kind}`,
        kind,
        appName: kind,
        databaseName: null,
        databaseUser: null,
        databasePassword: 'x',
        databaseRootPassword: null,
        containerImage: 'x',
        replicaSets: false,
        applicationStatus: 'idle',
        memoryLimit: null,
        memoryReservation: null,
        pidsLimit: null,
        cpuLimit: null,
        cpuReservation: null,
        command: null,
        args: [],
        env: '',
        externalPort: null,
        ...neverRan(`database-${kind}`),
      });
    }
    await tableStore(database, 'compose').insert({
      ...base,
      composeId: 'compose-1',
      appName: 'compose',
      composeType: 'compose',
      sourceType: 'raw',
      secretEnv: '',
      composeFile: '',
      composePath: '',
      env: '',
      createEnvFile: false,
      composeStatus: 'idle',
      refreshToken: 't',
      autoDeploy: false,
      randomize: false,
      suffix: '',
      repository: null,
      owner: null,
      branch: null,
      gitHost: null,
      githubId: null,
      customGitUrl: null,
      customGitBranch: null,
      customGitSSHKeyId: null,
      customGitUsername: null,
      customGitPassword: null,
      enableSubmodules: false,
      watchPaths: [],
      triggerType: 'push',
      webhookSecret: null,
      releasedAppName: null,
      isStopped: false,
      liveDeploymentId: null,
      releasedSuffix: '',
      releasedServices: null,
      restoredVolumes: {},
      networkIndex: null,
      approval: null,
      awaitsApproval: null,
      ...noPreviews,
    });
    expect(await update(owner, 'member', { grants: { accessedServices: ids } })).toEqual(
      shown('member', 'member', { accessedServices: ids }),
    );
    expect(await owner.query('organization.members')).toEqual(
      expect.arrayContaining([shown('member', 'member', { accessedServices: ids })]),
    );
  });

  it("are never given or taken a role above one's own", async () => {
    const { owner, admin } = await begin();
    expect(await update(admin, 'member', { role: 'owner' })).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('above your own'),
    });
    expect(await update(admin, 'owner', { role: 'member' })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await update(admin, 'owner', { grants: { canAccessToAPI: false } })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await remove(admin, 'owner')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await update(admin, 'member', { role: 'chief' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['role'],
    });
    expect(await update(admin, 'member', { role: 'admin' })).toEqual(shown('member', 'admin'));
    expect(await update(owner, 'member', { role: 'owner' })).toEqual(shown('member', 'owner'));
    expect(await update(admin, 'admin', { role: 'member' })).toEqual(shown('admin', 'member'));
    expect(await update(admin, 'admin', { role: 'admin' })).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('are given canReadSecrets by whoever holds it, and by nobody else', async () => {
    const { owner, admin } = await begin();
    const secrets = (canReadSecrets: boolean): object => ({ grants: { canReadSecrets } });
    const refused = { code: 'FORBIDDEN', message: expect.stringContaining('grants.canReadSecrets') };
    const invite = (client: InterfaceClient, email: string, more: object = {}): Promise<unknown> =>
      client.mutate('organization.invite', { email, role: 'admin', ...more });
    await invite(admin, 'before@example.com');
    expect(await update(owner, 'admin', secrets(false))).toMatchObject(secrets(false));
    // A token handed out before would give it back.
    expect(await list(owner)).toEqual([{ email: 'before@example.com', status: 'revoked' }]);
    expect(await update(admin, 'admin', secrets(true))).toMatchObject(refused);
    expect(await invite(admin, 'a@example.com', secrets(true))).toMatchObject(refused);
    expect(await invite(admin, 'b@example.com')).toMatchObject(secrets(false));
    // Said again it gives nothing.
    expect(await update(admin, 'member', secrets(true))).toMatchObject(secrets(true));
    await update(owner, 'member', secrets(false));
    expect(await update(admin, 'member', secrets(true))).toMatchObject(refused);
    expect(await update(admin, 'member', { grants: { canCreateServices: true } })).toMatchObject(
      secrets(false),
    );
    expect(await update(owner, 'admin', secrets(true))).toMatchObject(secrets(true));
    expect(await update(admin, 'member', secrets(true))).toMatchObject(secrets(true));
    expect(await invite(admin, 'c@example.com')).toMatchObject(secrets(true));
  });

  it('keep an Owner who reads secrets', async () => {
    const { owner, member } = await begin();
    const take = { grants: { canReadSecrets: false } };
    expect(await update(owner, 'owner', take)).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('last Owner who may read secrets'),
    });
    await update(owner, 'member', { role: 'owner' });
    expect(await update(owner, 'owner', take)).toMatchObject(take);
    expect(await update(member, 'member', take)).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await update(member, 'owner', { grants: { canReadSecrets: true } })).toMatchObject({
      grants: { canReadSecrets: true },
    });
  });

  it('keep the last Owner, also when two Owners take the role from each other at once', async () => {
    const { owner, member, stranger } = await begin();
    expect(await update(owner, 'owner', { role: 'admin' })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('last Owner'),
    });
    expect(await remove(owner, 'owner')).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await remove(stranger, 'stranger')).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await update(owner, 'owner', { role: 'owner', grants: { canAccessToAPI: true } })).toEqual(
      shown('owner', 'owner', { canAccessToAPI: true }),
    );
    await update(owner, 'member', { role: 'owner' });
    const answers = await Promise.all([
      update(owner, 'member', { role: 'admin' }),
      update(member, 'owner', { role: 'admin' }),
    ]);
    const codes = answers.map((answer) =>
      typeof answer === 'object' && answer !== null && 'code' in answer ? answer.code : 'done',
    );
    expect(codes.filter((code) => code === 'done')).toHaveLength(1);
    expect(['PRECONDITION_FAILED', 'FORBIDDEN']).toContain(codes.find((code) => code !== 'done'));
  });

  it(
    'lose their sessions in the organization with a change of their role, not with other changes, and ' +
      'keep their keys',
    async () => {
      const { owner, member, people, session, database } = await begin();
      await createStores(database).members.insert({
        memberId: 'm',
        organizationId: 'organization-other',
        userId: 'user-member',
        role: 'member',
        grants: noGrants,
        createdAt: '2026-01-01T00:00:00.000Z',
      });
      const [here, there] = [
        await session(people.member),
        await session({ ...people.member, organizationId: 'organization-other' }),
      ];
      await update(owner, 'member', { grants: { canCreateProjects: true }, role: 'member' });
      expect(await here.query('user.get')).toMatchObject({ role: 'member' });
      await update(owner, 'member', { role: 'admin' });
      expect(await here.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
      expect(await there.query('user.get')).toMatchObject({ organizationId: 'organization-other' });
      expect(await member.query('user.get')).toMatchObject({ role: 'admin' });
    },
  );

  it('that are removed lose sessions and keys at once, also for when they return', async () => {
    const { owner, admin, member, stranger, nobody, people, session, database } = await begin();
    const here = await session(people.member);
    expect(await remove(nobody, 'member')).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await remove(member, 'admin')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await remove(stranger, 'member')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await remove(owner, 'nobody')).toMatchObject({ code: 'NOT_FOUND' });
    expect(await owner.mutate('organization.removeMember', {})).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['userId'],
    });
    expect(await remove(admin, 'member')).toEqual(shown('member', 'member'));
    expect(await remove(admin, 'member')).toMatchObject({ code: 'NOT_FOUND' });
    for (const client of [here, member])
      expect(await client.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
    await createStores(database).members.insert({
      memberId: 'again',
      organizationId: 'organization-first',
      userId: 'user-member',
      role: 'member',
      grants: noGrants,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    for (const client of [here, member])
      expect(await client.query('user.get')).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('who are removed or lose their role take their open invitations with them', async () => {
    const { owner, admin } = await begin();
    await admin.mutate('organization.invite', { email: 'a@example.com', role: 'admin' });
    await owner.mutate('organization.invite', { email: 'b@example.com', role: 'admin' });
    await update(owner, 'admin', { role: 'member' });
    const statuses = async (): Promise<unknown> =>
      Object.fromEntries((await list(owner)).map(({ email, status }) => [email, status]));
    expect(await statuses()).toEqual({ 'a@example.com': 'revoked', 'b@example.com': 'pending' });
  });

  it('creating many things at once are granted every one of them', async () => {
    const { database, people } = await begin();
    const members = createMembers(createStores(database).members);
    const actor = {
      ...people.member,
      role: 'member',
      grants: noGrants,
      apiKeyId: undefined,
      sessionId: 's',
      permissions: undefined,
    } as const;
    await Promise.all(
      Array.from({ length: 12 }, (_, number) =>
        database.transaction(() => members.grantCreated(actor, 'accessedServices', `s${number}`)),
      ),
    );
    const record = await createStores(database).members.find({ userId: 'user-member' });
    expect(record?.grants.accessedServices.toSorted()).toEqual(
      Array.from({ length: 12 }, (_, number) => `s${number}`).toSorted(),
    );
  });
});

async function list(client: World['owner']): Promise<{ email: unknown; status: unknown }[]> {
  const answer = await client.query('organization.invitations');
  if (!Array.isArray(answer)) throw new Error('This is no list.');
  return answer.map((one: unknown) => ({
    email: Reflect.get(Object(one), 'email'),
    status: Reflect.get(Object(one), 'status'),
  }));
}
