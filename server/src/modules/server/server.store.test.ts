import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { textOf, type Door } from '../../../../test/http/door.ts';
import { statementsOf } from '../../../../test/http/statements-of.ts';
import { worlds, type World } from '../../../../test/http/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { serverContract } from './contract.ts';
import { serverHandlers } from './handlers.ts';
import { createServers } from './server.ts';
import { createServerStore } from './store.ts';

const input = {
  name: 'Edge',
  description: null,
  ipAddress: '203.0.113.7',
  port: 22,
  username: 'root',
  sshKeyId: null,
  serverType: 'deploy',
};
const shown = {
  serverId: expect.any(String),
  ...input,
  status: 'inactive',
  hostKeyFingerprint: null,
  buildsConcurrency: 1,
  metricsConfig: null,
  createdAt: expect.any(String),
};
const metricsConfig = {
  server: {
    refreshRate: 2,
    port: 4500,
    token: 'hidden-token',
    urlCallback: 'https://berth.example.com/api/metrics',
    retentionDays: 1,
    cronJob: '0 0 * * *',
    thresholds: { cpu: 0, memory: 100 },
  },
  containers: { refreshRate: 2.5, services: { include: ['shop*'], exclude: [] } },
};

eachDatabase('servers', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database) => [
      router(
        'server',
        serverContract,
        serverHandlers(createServers(createServerStore(database), systemClock)),
      ),
    ]);

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
      await stores.applications.update({ applicationId: place.applicationId }, { serverId: null });
      expect(await owner.mutate('server.remove', { serverId: ids[1] })).toMatchObject({ name: 'two' });
    },
  );

  it('are prepared and looked at in a later version, and say so after every refusal', async () => {
    const world = await begin();
    const { owner } = world;
    const serverId = textOf(await owner.mutate('server.create', input), 'serverId');
    expect(await owner.mutate('server.setup', { serverId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('no SSH key'),
    });
    await owner.mutate('server.update', { serverId, sshKeyId: await withKey(world) });
    for (const answer of await Promise.all([
      owner.mutate('server.setup', { serverId }),
      owner.query('server.validate', { serverId }),
      owner.query('server.security', { serverId }),
      owner.mutate('server.setupMonitoring', { serverId, metricsConfig }),
    ]))
      expect(answer).toMatchObject({ code: 'NOT_IMPLEMENTED' });
    expect(await owner.query('server.one', { serverId })).toMatchObject({ status: 'inactive' });
  });

  it('are measured only at their own metrics endpoints', async () => {
    const { owner, stranger } = await begin();
    const serverId = textOf(await owner.mutate('server.create', input), 'serverId');
    await owner.mutate('server.create', { ...input, ipAddress: '2001:db8::7' });
    const ask = (url: string, door: Door = owner, change: object = {}): Promise<unknown> =>
      door.query('server.getServerMetrics', { url, token: 't', dataPoints: 10, ...change });
    for (const url of [
      'http://203.0.113.7:4500/metrics',
      'https://203.0.113.7/',
      'http://[2001:db8:0::7]:4500/metrics',
    ])
      expect(await ask(url)).toMatchObject({ code: 'NOT_IMPLEMENTED' });
    for (const url of [
      'http://169.254.169.254/latest/meta-data',
      'http://127.0.0.1:4500/',
      'http://203.0.113.70:4500/',
      'http://203.0.113.7.example.com/',
      'http://localhost/',
    ])
      expect(await ask(url)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await ask('http://203.0.113.7:4500/metrics', stranger)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await owner.mutate('server.setupMonitoring', { serverId, metricsConfig })).toMatchObject({
      code: 'NOT_IMPLEMENTED',
    });
    expect(await ask('http://203.0.113.7:4500/')).toMatchObject({ code: 'NOT_IMPLEMENTED' });
    expect(await ask('http://203.0.113.7:5432/')).toMatchObject({ code: 'FORBIDDEN' });
    for (const url of [
      'file:///etc/passwd',
      'gopher://203.0.113.7',
      'x',
      'http://user:pass@203.0.113.7:4500/',
    ])
      expect(await ask(url)).toMatchObject({ code: 'BAD_REQUEST', fields: ['url'] });
    for (const dataPoints of [0, 'all', 1.5, 10_001])
      expect(await ask('http://203.0.113.7:4500/', owner, { dataPoints })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['dataPoints'],
      });
    expect(await ask('http://203.0.113.7:4500/', owner, { dataPoints: '50' })).toMatchObject({
      code: 'NOT_IMPLEMENTED',
    });
  });

  it('keep the configuration of their monitoring, and its token unseen and encrypted', async () => {
    const { owner, database } = await begin();
    const serverId = textOf(await owner.mutate('server.create', input), 'serverId');
    expect(await owner.mutate('server.setupMonitoring', { serverId, metricsConfig })).toMatchObject({
      code: 'NOT_IMPLEMENTED',
      message: expect.stringContaining('is kept'),
    });
    const { token, ...server } = metricsConfig.server;
    expect(await owner.query('server.one', { serverId })).toEqual({
      ...shown,
      metricsConfig: { ...metricsConfig, server },
    });
    expect(await createStores(database).servers.find({ serverId })).toMatchObject({ metricsToken: token });
    const stored = await database.run(
      database.builder.selectFrom('server').selectAll().where('serverId', '=', serverId).compile(),
    );
    expect(JSON.stringify(stored)).not.toContain(token);
    await owner.mutate('server.setupMonitoring', {
      serverId,
      metricsConfig: { ...metricsConfig, server: { ...metricsConfig.server, port: 4600 } },
    });
    expect(await owner.mutate('server.update', { serverId, name: 'Renamed' })).toMatchObject({
      metricsConfig: { server: { port: 4600 } },
    });
  });

  it('take exactly the documented metricsConfig', async () => {
    const { owner } = await begin();
    const serverId = textOf(await owner.mutate('server.create', input), 'serverId');
    const { server, containers } = metricsConfig;
    const faults: [string, object][] = [
      ['server.refreshRate', { server: { ...server, refreshRate: 1 } }],
      ['server.port', { server: { ...server, port: 0 } }],
      ['server.urlCallback', { server: { ...server, urlCallback: 'somewhere' } }],
      ['server.retentionDays', { server: { ...server, retentionDays: 0 } }],
      ['server.cronJob', { server: { ...server, cronJob: 'nightly' } }],
      ['server.token', { server: { ...server, token: null } }],
      ['server.thresholds.cpu', { server: { ...server, thresholds: { cpu: -1, memory: 0 } } }],
      ['server.thresholds.memory', { server: { ...server, thresholds: { cpu: 0, memory: 101 } } }],
      ['containers.refreshRate', { containers: { ...containers, refreshRate: 1.9 } }],
      [
        'containers.services.include',
        { containers: { ...containers, services: { include: 'all', exclude: [] } } },
      ],
      ['containers.services.exclude', { containers: { ...containers, services: { include: [] } } }],
      ['containers', { containers: undefined }],
    ];
    for (const [path, change] of faults) {
      expect(
        await owner.mutate('server.setupMonitoring', {
          serverId,
          metricsConfig: { ...metricsConfig, ...change },
        }),
      ).toMatchObject({ code: 'BAD_REQUEST', fields: [`metricsConfig.${path}`] });
    }
  });

  it('are for Owner and Admin of their organization; bad input is named', async () => {
    const world = await begin();
    const { owner, admin, member, stranger, nobody, people } = world;
    const serverId = textOf(await admin.mutate('server.create', input), 'serverId');
    const calls = (door: Door, id = serverId): Promise<unknown>[] => [
      ...['one', 'validate', 'security'].map((name) => door.query(`server.${name}`, { serverId: id })),
      ...['update', 'remove', 'setup'].map((name) => door.mutate(`server.${name}`, { serverId: id })),
      door.mutate('server.setupMonitoring', { serverId: id, metricsConfig }),
    ];
    const general = (door: Door): Promise<unknown>[] => [
      door.query('server.all'),
      door.mutate('server.create', input),
      door.query('server.getServerMetrics', { url: 'http://203.0.113.7', token: '', dataPoints: 1 }),
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
});
