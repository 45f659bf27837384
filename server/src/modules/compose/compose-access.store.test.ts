import { expect, it } from 'vitest';
import { composeWorlds, harmless } from '../../../../test/http/worlds/compose-world.ts';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { plainServer } from '../../../../test/world/plain-server.ts';

const risky = 'services:\n  web:\n    image: nginx\n    volumes: ["/etc:/x"]\n';
const byVariable = 'services:\n  web:\n    image: nginx\n    volumes: ["${DIR}:/x"]\n';

eachDatabase('access to compose services', (test) => {
  const { begin, create } = composeWorlds(test);

  it('are saved whatever they ask for; only people with host reach approve it by that', async () => {
    const world = await begin();
    const { owner, admin, member, stranger, people, place, foreign } = world;
    await people.grant({ accessedEnvironments: [place.environmentId], canCreateServices: true });
    const approved = async (client: InterfaceClient, composeId: string): Promise<unknown> => {
      const compose = await client.query('compose.one', { composeId });
      return typeof compose === 'object' && compose !== null && 'approval' in compose
        ? compose.approval
        : undefined;
    };
    const start: unknown = expect.stringMatching(/^[0-9a-f]{64}$/);
    const dangers = [
      { service: 'web', what: 'bind', value: '/etc', access: 'writable', image: 'nginx', start },
    ];
    for (const [client, environmentId, expected] of [
      [owner, place.environmentId, expect.objectContaining({ dangers, approvedBy: people.owner.userId })],
      [admin, place.environmentId, expect.objectContaining({ dangers, approvedBy: people.admin.userId })],
      [member, place.environmentId, null],
      [stranger, foreign.environmentId, null],
    ] as const) {
      const composeId = textOf(
        await client.mutate('compose.create', { name: 'Mine', environmentId, composeFile: risky }),
        'composeId',
      );
      expect(await approved(client, composeId)).toEqual(expected);
      await client.mutate('compose.update', { composeId, composeFile: harmless });
      expect(await approved(client, composeId)).toEqual(null);
      await client.mutate('compose.update', { composeId, composeFile: risky });
      expect(await approved(client, composeId)).toEqual(expected);
      expect(
        await client.mutate('compose.update', {
          composeId,
          composeFile: 'services:\n  web: {image: nginx, privileged: true}\n',
        }),
      ).toMatchObject({ code: 'BAD_REQUEST', fields: ['composeFile'] });
    }
    // A member's other image or command ends it, also when the former file comes back; another tag does not.
    const shared = await create(world, { composeFile: risky });
    for (const [from, to, expected] of [
      ['nginx', 'nginx:2', expect.objectContaining({ dangers })],
      ['nginx', 'evil.example.com/x', null],
      ['nginx', 'nginx', null],
    ] as const) {
      await member.mutate('compose.update', {
        composeId: shared,
        composeFile: risky.replace(from, to),
      });
      expect(await approved(owner, shared)).toEqual(expected);
    }
    // What a variable decides somebody else may have set: it waits until it has been looked at.
    const composeId = await create(world, { composeFile: byVariable });
    await member.mutate('compose.saveEnvironment', { composeId, env: 'DIR=/etc' });
    for (const client of [owner, admin]) {
      await client.mutate('compose.update', { composeId, composeFile: byVariable });
      expect(await approved(owner, composeId)).toBe(null);
    }
    // Nobody is given Berth's own data.
    expect(
      await owner.mutate('compose.update', {
        composeId,
        composeFile: risky.replace('/etc', '/var/lib/berth'),
      }),
    ).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('controls this server') });
  });

  it('are closed to other organizations and to members without access; bad input is named', async () => {
    const world = await begin(true);
    const { owner, member, stranger, nobody, people, place, foreign, database } = world;
    await createStores(database).servers.insert({
      ...plainServer,
      serverId: 's',
      organizationId: people.owner.organizationId,
      name: 's',
      ipAddress: '203.0.113.9',
      createdAt: '',
    });
    const input = { name: 'x', environmentId: place.environmentId, serverId: 's' };
    const composeId = await create(world, { serverId: 's' });
    const calls = (client: InterfaceClient, id = composeId): Promise<unknown>[] => [
      ...['one', 'loadServices', 'readLogs'].map((name) =>
        client.query(`compose.${name}`, { composeId: id }),
      ),
      client.mutate('compose.move', { composeId: id, targetEnvironmentId: place.environmentId }),
      ...[
        'update',
        'saveEnvironment',
        'refreshToken',
        'deploy',
        'redeploy',
        'start',
        'stop',
        'killBuild',
        'cleanQueues',
        'delete',
      ].map((name) => client.mutate(`compose.${name}`, { composeId: id })),
    ];
    for (const answer of await Promise.all([...calls(nobody), nobody.mutate('compose.create', input)]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all([...calls(member), member.mutate('compose.create', input)]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all([...calls(stranger), stranger.mutate('compose.create', input)]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere')))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    expect(
      await owner.mutate('compose.move', { composeId, targetEnvironmentId: foreign.environmentId }),
    ).toMatchObject({ code: 'FORBIDDEN' });
    expect(await owner.mutate('compose.create', { ...input, serverId: null })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['serverId'],
    });
    for (const [field, value] of [
      ['name', ''],
      ['appName', 'a.b'],
      ['composeType', 'other'],
      ['sourceType', 'drop'],
      ['composeFile', 'a: ['],
      ['composeFile', '- a'],
      ['composeFile', 'x'.repeat(65_537)],
    ] as const) {
      expect(await owner.mutate('compose.create', { ...input, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
      expect(await owner.mutate('compose.update', { composeId, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
    for (const [field, value] of [
      ['composePath', '../x'],
      ['suffix', 'A B'],
      ['env', '1 = x'],
      ['composeStatus', 'asleep'],
      ['branch', '--upload-pack=x'],
    ] as const) {
      expect(await owner.mutate('compose.update', { composeId, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
    for (const [sshKeyId, code] of [['nowhere', 'NOT_FOUND']] as const)
      expect(await owner.mutate('compose.update', { composeId, customGitSSHKeyId: sshKeyId })).toMatchObject({
        code,
      });
    await people.grant({ accessedServices: [composeId] });
    expect(await member.mutate('compose.delete', { composeId })).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('canDeleteServices'),
    });
  });
});
