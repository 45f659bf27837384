import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { input, metricsConfig, serverRouters, shown } from '../../../../test/http/worlds/server-world.ts';
import { statementsOf } from '../../../../test/http/statements-of.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { createServers, type Servers } from './server.ts';
import { createServerStore, type ServerRecord } from './store.ts';

eachDatabase('servers', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> => createWorld(serverRouters);

  async function withKey(
    { database, people }: World,
    organizationId = people.owner.organizationId,
  ): Promise<string> {
    const sshKeyId = `key-of-${organizationId}`;
    await createStores(database).sshKeys.insert({
      sshKeyId,
      organizationId,
      name: 'k',
      description: '',
      publicKey: 'x',
      privateKey: 'x',
      fingerprint: 'x',
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    return sshKeyId;
  }

  it('are trusted by the installation’s Owner alone, as the machine that shows their host key', async () => {
    const { owner, admin, stranger } = await begin();
    const serverId = textOf(await stranger.mutate('server.create', input), 'serverId');
    const trust = (client: InterfaceClient, trusted = true): Promise<unknown> =>
      client.mutate('server.setTrusted', { serverId, trusted });
    const pin = (letter: string): Promise<unknown> =>
      stranger.mutate('server.trustHostKey', { serverId, fingerprint: `SHA256:${letter.repeat(43)}` });
    for (const client of [admin, stranger]) expect(await trust(client)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await trust(owner), 'no host key').toMatchObject({ code: 'PRECONDITION_FAILED' });
    await pin('a');
    expect(await trust(owner)).toMatchObject({ serverId, trusted: true });
    expect(await stranger.query('server.one', { serverId })).toMatchObject({ trusted: true });
    expect(await pin('a'), 'the same machine').toMatchObject({ trusted: true });
    expect(await pin('b'), 'another one').toMatchObject({ trusted: false });
    const moves: Record<string, unknown>[] = [{ ipAddress: '203.0.113.8' }, { port: 2222 }];
    for (const patch of moves) {
      await pin('b');
      await trust(owner);
      expect(await stranger.mutate('server.update', { serverId, name: 'Renamed' })).toMatchObject({
        trusted: true,
      });
      expect(await stranger.mutate('server.update', { serverId, ...patch })).toMatchObject({
        trusted: false,
      });
    }
    await pin('b');
    await trust(owner);
    expect(await trust(owner, false)).toMatchObject({ trusted: false });
  });

  it('keep a trust that is given or withdrawn while somebody else changes them', async () => {
    const { owner, stranger, database, people } = await begin();
    const store = createServerStore(database);
    const serverId = textOf(await stranger.mutate('server.create', input), 'serverId');
    const { organizationId } = people.stranger;
    /** The same servers, of which somebody changes the record after each look at it. */
    const meanwhile = (change: Partial<ServerRecord>): Servers =>
      createServers(
        {
          ...store,
          async find(where) {
            const found = await store.find(where);
            await store.update({ serverId }, change);
            return found;
          },
        },
        systemClock,
      );
    const trusted = async (): Promise<boolean | undefined> => (await store.find({ serverId }))?.trusted;
    const fingerprint = `SHA256:${'a'.repeat(43)}`;
    const others: Partial<ServerRecord>[] = [
      { ipAddress: '203.0.113.8' },
      { port: 2222 },
      { hostKeyFingerprint: `SHA256:${'b'.repeat(43)}` },
    ];
    for (const other of others) {
      await store.update(
        { serverId },
        { ipAddress: '203.0.113.7', port: 22, hostKeyFingerprint: fingerprint },
      );
      await expect(meanwhile(other).setTrusted(serverId, true)).rejects.toThrow('may be another machine');
      expect(await trusted()).toBe(false);
    }
    await stranger.mutate('server.trustHostKey', { serverId, fingerprint });
    const withdrawn = meanwhile({ trusted: false });
    const changes = [
      () => withdrawn.update(serverId, organizationId, { name: 'Renamed' }),
      () => withdrawn.trustHostKey(serverId, organizationId, fingerprint),
      () => withdrawn.configureMonitoring(serverId, organizationId, metricsConfig),
    ];
    for (const change of changes) {
      expect(await owner.mutate('server.setTrusted', { serverId, trusted: true })).toMatchObject({
        trusted: true,
      });
      await change();
      expect(await trusted()).toBe(false);
    }
  });

  it('are created, read, changed and removed as records', async () => {
    const world = await begin();
    const { owner } = world;
    const sshKeyId = await withKey(world);
    const created = await owner.mutate('server.create', input);
    expect(created).toEqual(shown);
    const serverId = textOf(created, 'serverId');
    expect(await owner.query('server.one', { serverId })).toEqual(created);
    const patch = {
      name: 'Core',
      description: 'in the cellar',
      username: 'deploy',
      sshKeyId,
      serverType: 'build',
      buildsConcurrency: 3,
    };
    expect(await owner.mutate('server.update', { serverId, ...patch })).toEqual({ ...shown, ...patch });
    expect(await owner.mutate('server.update', { serverId, description: null })).toEqual({
      ...shown,
      ...patch,
      description: null,
    });
    expect(await owner.mutate('server.remove', { serverId })).toMatchObject({ serverId, name: 'Core' });
    expect(await owner.query('server.one', { serverId })).toMatchObject({ code: 'NOT_FOUND' });
    expect(
      await owner.mutate('server.create', {
        ...input,
        ipAddress: 'Build.Example.COM',
        description: undefined,
        sshKeyId: undefined,
      }),
    ).toEqual({ ...shown, ipAddress: 'build.example.com' });
  });

  it('at another address are other machines: their host key is pinned anew', async () => {
    const { owner, database } = await begin();
    const serverId = textOf(await owner.mutate('server.create', input), 'serverId');
    const pinned = { hostKeyFingerprint: 'SHA256:abc', status: 'active' as const };
    const { servers } = createStores(database);
    await servers.update({ serverId }, pinned);
    expect(
      await owner.mutate('server.update', { serverId, name: 'Renamed', ipAddress: '203.0.113.7', port: 22 }),
    ).toMatchObject(pinned);
    for (const patch of [{ ipAddress: '203.0.113.8' }, { port: 2222 }]) {
      await servers.update({ serverId }, pinned);
      expect(await owner.mutate('server.update', { serverId, ...patch })).toMatchObject({
        ...patch,
        hostKeyFingerprint: null,
        status: 'inactive',
      });
    }
  });

  it(
    'are listed newest first with the number of services on each, in the same number of statements ' +
      'however many there are',
    async () => {
      const { owner, database, place, stranger } = await begin();
      const stores = createStores(database);
      const ids: string[] = [];
      const measured = (): Promise<number> => statementsOf(database, () => owner.query('server.all'));
      const atFirst = await measured();
      for (const name of ['one', 'two', 'three']) {
        ids.push(textOf(await owner.mutate('server.create', { ...input, name }), 'serverId'));
        // Two of the same millisecond have no order.
        await delay(2);
      }
      await stores.applications.update({ applicationId: place.applicationId }, { serverId: ids[1] ?? '' });
      expect(await owner.query('server.all')).toMatchObject([
        { name: 'three', totalServices: 0 },
        { name: 'two', totalServices: 1 },
        { name: 'one', totalServices: 0 },
      ]);
      expect(await measured()).toBe(atFirst);
      expect(await owner.query('server.all', { limit: 2 })).toMatchObject({
        items: [{ name: 'three' }, { name: 'two' }],
        nextCursor: ids[1],
      });
      expect(await stranger.query('server.all')).toEqual([]);
      expect(await owner.mutate('server.remove', { serverId: ids[1] })).toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringContaining('1 service '),
      });
      expect(await owner.mutate('server.update', { serverId: ids[1], serverType: 'build' })).toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringContaining('1 service '),
      });
      await stores.applications.update({ applicationId: place.applicationId }, { serverId: null });
      expect(await owner.mutate('server.remove', { serverId: ids[1] })).toMatchObject({ name: 'two' });
    },
  );

  it('that build applications stay build servers, and stay', async () => {
    const { owner, database, place } = await begin();
    const { applications } = createStores(database);
    const serverId = textOf(
      await owner.mutate('server.create', { ...input, serverType: 'build' }),
      'serverId',
    );
    const { applicationId } = place;
    await applications.update({ applicationId }, { buildServerId: serverId });
    const refused = {
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('still builds 1 application. Give it another buildServerId, or null'),
    };
    expect(await owner.mutate('server.remove', { serverId })).toMatchObject(refused);
    expect(await owner.mutate('server.update', { serverId, serverType: 'deploy' })).toMatchObject(refused);
    await applications.update({ applicationId }, { buildServerId: null });
    expect(await owner.mutate('server.remove', { serverId })).toMatchObject({ serverId });
  });

  it('are set up by one job at a time, and not without a key', async () => {
    const world = await begin();
    const { owner } = world;
    const serverId = textOf(await owner.mutate('server.create', input), 'serverId');
    expect(await owner.mutate('server.setup', { serverId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('no SSH key'),
    });
    await owner.mutate('server.update', { serverId, sshKeyId: await withKey(world) });
    expect(await owner.mutate('server.setup', { serverId })).toMatchObject({ setupStatus: 'running' });
    // While one is under way, no second one begins.
    expect(await owner.mutate('server.setup', { serverId })).toMatchObject({ setupStatus: 'running' });
    expect(await createStores(world.database).jobs.list({ serviceKey: `server:${serverId}` })).toHaveLength(
      1,
    );
    expect(await owner.query('server.one', { serverId })).toMatchObject({ status: 'inactive' });
  });

  it('are for Owner and Admin of their organization; bad input is named', async () => {
    const world = await begin();
    const { owner, admin, member, stranger, nobody, people } = world;
    const serverId = textOf(await admin.mutate('server.create', input), 'serverId');
    const calls = (client: InterfaceClient, id = serverId): Promise<unknown>[] => [
      ...['one', 'validate', 'security'].map((name) => client.query(`server.${name}`, { serverId: id })),
      ...['update', 'remove', 'setup'].map((name) => client.mutate(`server.${name}`, { serverId: id })),
      client.mutate('server.setupMonitoring', { serverId: id, metricsConfig }),
    ];
    const general = (client: InterfaceClient): Promise<unknown>[] => [
      client.query('server.all'),
      client.mutate('server.create', input),
      client.query('server.getServerMetrics', { url: 'http://203.0.113.7', token: '', dataPoints: 1 }),
    ];
    for (const answer of await Promise.all([...calls(nobody), ...general(nobody)]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all([...calls(member), ...general(member)]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(stranger)))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere')))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    const foreignKey = await withKey(world, people.stranger.organizationId);
    for (const [sshKeyId, code] of [
      [foreignKey, 'FORBIDDEN'],
      ['nowhere', 'NOT_FOUND'],
    ]) {
      expect(await owner.mutate('server.create', { ...input, sshKeyId })).toMatchObject({ code });
      expect(await owner.mutate('server.update', { serverId, sshKeyId })).toMatchObject({ code });
    }
    for (const [field, value] of [
      ['name', ''],
      ['ipAddress', '203.0.113.256'],
      ['ipAddress', 'http://x'],
      ['port', 0],
      ['port', 65_536],
      ['port', '22'],
      ['username', '-oProxyCommand=x'],
      ['username', ''],
      ['serverType', 'other'],
      ['buildsConcurrency', 0],
    ] as const) {
      expect(await owner.mutate('server.create', { ...input, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
      expect(await owner.mutate('server.update', { serverId, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
    for (const field of ['name', 'ipAddress', 'port', 'username', 'serverType'])
      expect(await owner.mutate('server.create', { ...input, [field]: undefined })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
  });

  it('keep the host key of a first contact only while nothing else was pinned or named', async () => {
    const { owner, database } = await begin();
    const serverId = textOf(await owner.mutate('server.create', input), 'serverId');
    const store = createServerStore(database);
    const { ipAddress, port } = input;
    const [first, chosen] = ['a', 'b'].map((letter) => `SHA256:${letter.repeat(43)}`);
    const pin = (at: string): Promise<boolean> =>
      store.pinFirst({ serverId, ipAddress: at, port }, first ?? '');
    expect(await pin('203.0.113.8')).toBe(false);
    await owner.mutate('server.trustHostKey', { serverId, fingerprint: chosen });
    expect(await pin(ipAddress)).toBe(false);
    expect(await owner.query('server.one', { serverId })).toMatchObject({ hostKeyFingerprint: chosen });
    await owner.mutate('server.update', { serverId, ipAddress: '203.0.113.9' });
    expect(await pin(ipAddress)).toBe(false);
    expect(await pin('203.0.113.9')).toBe(true);
    expect(await owner.query('server.one', { serverId })).toMatchObject({ hostKeyFingerprint: first });
  });
});

/** Accepts; nothing is reached. */
