import { expect, it } from 'vitest';
import { textOf, type InterfaceClient } from '../../../../../test/http/interface-client.ts';
import {
  input,
  metricsConfig,
  point,
  serverRouters,
  shown,
} from '../../../../../test/http/worlds/server-world.ts';
import { worlds, type World } from '../../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { createStores } from '../../../composition/stores.ts';

eachDatabase('servers with monitoring', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> => createWorld(serverRouters);

  it('show what was measured of them, and of the machine of Berth to its own people', async () => {
    const { owner, stranger } = await begin();
    const serverId = textOf(await owner.mutate('server.create', input), 'serverId');
    expect(await owner.query('server.metrics', { serverId })).toMatchObject({ code: 'PRECONDITION_FAILED' });
    await owner.mutate('server.setupMonitoring', { serverId, metricsConfig });
    const since = '2026-01-01T00:00:00Z';
    expect(await owner.query('server.metrics', { serverId, since, points: 5 })).toEqual([point]);
    expect(await owner.query('server.metrics')).toEqual([point]);
    expect(await stranger.query('server.metrics')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await stranger.query('server.metrics', { serverId })).toMatchObject({ code: 'FORBIDDEN' });
    for (const [field, value] of [
      ['since', 'yesterday'],
      ['points', 0],
      ['points', 1001],
    ] as const)
      expect(await owner.query('server.metrics', { serverId, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
  });

  it('are measured only at their own metrics endpoints', async () => {
    const { owner, stranger } = await begin();
    const serverId = textOf(await owner.mutate('server.create', input), 'serverId');
    await owner.mutate('server.create', { ...input, ipAddress: '2001:db8::7' });
    const ask = (url: string, client: InterfaceClient = owner, change: object = {}): Promise<unknown> =>
      client.query('server.getServerMetrics', { url, token: 't', dataPoints: 10, ...change });
    for (const url of [
      'http://203.0.113.7:4500/metrics',
      'https://203.0.113.7/',
      'http://[2001:db8:0::7]:4500/metrics',
    ])
      expect(await ask(url)).toMatchObject({ code: 'PRECONDITION_FAILED' });
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
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await ask('http://203.0.113.7:4500/')).toMatchObject({ code: 'PRECONDITION_FAILED' });
    const token = 'hidden-token';
    expect(await ask('http://203.0.113.7:4500/', owner, { token })).toEqual([point]);
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
    expect(await ask('http://203.0.113.7:4500/', owner, { dataPoints: '50', token })).toEqual([point]);
  });

  it('keep the configuration of their monitoring, and its token unseen and encrypted', async () => {
    const { owner, database } = await begin();
    const serverId = textOf(await owner.mutate('server.create', input), 'serverId');
    expect(await owner.mutate('server.setupMonitoring', { serverId, metricsConfig })).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
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
});
