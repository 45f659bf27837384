import { beforeEach, expect, it } from 'vitest';
import { ownHost } from '../../../../test/hosts.ts';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import {
  listedContainer,
  shownEngine,
  swarmNode,
  swarmService,
  swarmTask,
  type ShownEngine,
} from '../../../../test/http/shown-engine.ts';
import { statementsOf } from '../../../../test/http/statements-of.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { router } from '../../procedure/registry.ts';
import { createSight } from '../sight/sight.ts';
import { createSightStore } from '../sight/store.ts';
import { createContainers, type Containers } from './container.ts';
import { containerContract } from './contract.ts';
import { containerHandlers } from './handlers.ts';

const unset = { setupStage: null, setupError: null, description: null, sshKeyId: null, metricsToken: null };
const alone = { clusterServerId: null, swarmNodeId: null, machineSince: null, port: 22, createdAt: '' };
const platform = { 'berth.managed': 'true', 'berth.role': 'proxy' };
const ids = (list: unknown): string[] =>
  Array.isArray(list)
    ? list.map((container: unknown) => textOf(container, 'containerId'))
    : [`no list: ${JSON.stringify(list)}`];
const reads = [
  ['getContainers', {}],
  ['getContainersByAppNameMatch', { appName: 'shop' }],
  ['getContainersByAppLabel', { appName: 'shop', type: 'swarm' }],
  ['getStackContainersByAppName', { appName: 'shop' }],
  ['getServiceContainersByAppName', { appName: 'shop' }],
] as const;

eachDatabase('containers', (test) => {
  const createWorld = worlds(test);
  let engine: ShownEngine;
  beforeEach(() => {
    engine = shownEngine();
  });
  async function begin(): Promise<World & { mine: Record<string, string>; theirs: Record<string, string> }> {
    const world = await createWorld((database) => {
      const sight = createSight(
        createSightStore(database),
        async (organizationId) => organizationId === 'organization-first',
      );
      const hosts = ownHost({ engineView: engine });
      const containersOf = async (serverKey: string): Promise<Containers> =>
        createContainers(await hosts.of(serverKey), sight);
      return [router('container', containerContract, containerHandlers(containersOf))];
    });
    const { people, place, foreign } = world;
    const labelsOf = (organizationId: string, applicationId: string): Record<string, string> => ({
      'berth.managed': 'true',
      'berth.organization': organizationId,
      'berth.application': applicationId,
    });
    const [mine, theirs] = [
      labelsOf(people.owner.organizationId, place.applicationId),
      labelsOf(people.stranger.organizationId, foreign.applicationId),
    ];
    engine.containers = [
      listedContainer('mine', mine),
      listedContainer('theirs', theirs),
      listedContainer('proxy', platform),
      listedContainer('by-hand', {}),
    ];
    return { ...world, mine, theirs };
  }

  it("are shown to whom they belong; the platform's and nobody's to those who run the server", async () => {
    const { owner, admin, member, stranger, people, place } = await begin();
    for (const client of [owner, admin])
      expect(ids(await client.query('container.getContainers'))).toEqual(['mine', 'proxy', 'by-hand']);
    expect(ids(await stranger.query('container.getContainers'))).toEqual(['theirs']);
    await people.grant({ canAccessToContainers: true });
    expect(await member.query('container.getContainers')).toEqual([]);
    for (const grants of [
      { accessedServices: [place.applicationId] },
      { accessedEnvironments: [place.environmentId] },
      { accessedProjects: [place.projectId] },
    ]) {
      await people.grant({ canAccessToContainers: true, ...grants });
      expect(ids(await member.query('container.getContainers'))).toEqual(['mine']);
    }
  });

  it('stand where their service stands now, whatever their labels say', async () => {
    const { member, people, place, mine, database } = await begin();
    const { environments, applications } = createStores(database);
    await environments.insert({
      environmentId: 'later',
      organizationId: people.owner.organizationId,
      projectId: place.projectId,
      name: 'later',
      description: '',
      env: '',
      isDefault: false,
      networkIndex: null,
      createdAt: '2026',
    });
    engine.containers = [
      listedContainer('mine', { ...mine, 'berth.environment': place.environmentId }),
      listedContainer('gone', {
        ...mine,
        'berth.application': 'gone',
        'berth.environment': place.environmentId,
      }),
    ];
    await people.grant({ canAccessToContainers: true, accessedEnvironments: [place.environmentId] });
    expect(ids(await member.query('container.getContainers'))).toEqual(['mine']);
    await applications.update({ applicationId: place.applicationId }, { environmentId: 'later' });
    expect(await member.query('container.getContainers')).toEqual([]);
  });

  it("have the documented shape, and the platform's are marked", async () => {
    const { owner } = await begin();
    engine.containers = [
      listedContainer('proxy', platform, {
        name: 'berth-proxy.1',
        ports: [
          { address: '0.0.0.0', published: 8080, target: 80, protocol: 'tcp' },
          { address: '::', published: 8080, target: 80, protocol: 'tcp' },
          { address: undefined, published: undefined, target: 443, protocol: 'udp' },
        ],
      }),
      listedContainer('by-hand', {}),
    ];
    const list = await owner.query('container.getContainers');
    expect(list).toEqual([
      {
        containerId: 'proxy',
        name: 'berth-proxy.1',
        image: 'nginx:1',
        ports: '0.0.0.0:8080->80/tcp, [::]:8080->80/tcp, 443/udp',
        state: 'running',
        status: 'Up 3 hours',
        serverId: null,
        labels: platform,
        isPlatform: true,
      },
      {
        containerId: 'by-hand',
        name: 'by-hand-name',
        image: 'nginx:1',
        ports: '',
        state: 'running',
        status: 'Up 3 hours',
        serverId: null,
        labels: {},
        isPlatform: false,
      },
    ]);
    expect(await owner.query('container.getContainers', { limit: 1 })).toMatchObject({
      items: [{ containerId: 'proxy' }],
      nextCursor: 'berth-proxy.1',
    });
    expect(await owner.query('container.getContainers', { limit: 1, cursor: 'berth-proxy.1' })).toMatchObject(
      { items: [{ containerId: 'by-hand' }], nextCursor: null },
    );
  });

  it('are found by name, by stack, by compose project and by service', async () => {
    const { owner, stranger, mine, theirs } = await begin();
    engine.containers = [
      listedContainer('a', { ...mine, 'com.docker.stack.namespace': 'shop' }, { name: 'shop_web.1' }),
      listedContainer('b', { ...mine, 'com.docker.compose.project': 'shop' }, { name: 'other' }),
      listedContainer('c', { ...mine, 'com.docker.swarm.service.name': 'shop' }, { name: 'shop.1.x' }),
      listedContainer('d', { ...theirs, 'com.docker.swarm.service.name': 'shop' }, { name: 'shop.2.x' }),
      listedContainer('e', { ...mine, 'com.docker.swarm.service.name': 'shop-b' }, { name: 'my-shop' }),
    ];
    const match = async (input: object): Promise<string[]> =>
      ids(await owner.query('container.getContainersByAppNameMatch', { appName: 'shop', ...input }));
    expect([await match({}), await match({ appType: 'stack' }), await match({ appType: 'compose' })]).toEqual(
      [['a', 'c'], ['a'], ['b']],
    );
    const label = async (type: string): Promise<string[]> =>
      ids(await owner.query('container.getContainersByAppLabel', { appName: 'shop', type }));
    expect([await label('swarm'), await label('standalone')]).toEqual([['c'], ['b']]);
    expect(
      ids(await stranger.query('container.getContainersByAppLabel', { appName: 'shop', type: 'swarm' })),
    ).toEqual(['d']);
  });

  it("of a service and of a stack are its tasks' on every node, with status and configuration", async () => {
    const { owner, member, stranger, people, place, mine } = await begin();
    engine.nodes = [swarmNode('n1'), swarmNode('n2')];
    engine.services = [
      swarmService('shop', { ...mine, 'com.docker.stack.namespace': 'stack' }, { name: 'shop' }),
      swarmService('other', mine, { name: 'shop-b' }),
    ];
    engine.tasks = [
      swarmTask('t2', 'shop', {
        nodeId: 'n2',
        slot: 2,
        state: 'pending',
        message: 'no suitable node',
        containerId: undefined,
      }),
      swarmTask('t1', 'shop', { labels: mine }),
      swarmTask('t3', 'other'),
    ];
    const [pending, running] = [
      {
        containerId: '',
        name: 'shop.2.t2',
        node: 'host-n2',
        state: 'pending',
        status: 'no suitable node since 2026-01-01T00:00:00Z',
      },
      {
        containerId: 'container-t1',
        name: 'shop.1.t1',
        node: 'host-n1',
        state: 'running',
        ports: ':8080->80/tcp',
        labels: mine,
      },
    ];
    const list = await owner.query('container.getServiceContainersByAppName', { appName: 'shop' });
    expect(list).toMatchObject([
      pending,
      {
        ...running,
        configuration: {
          image: 'nginx:1',
          env: ['TOKEN=very-secret-value'],
          constraints: ['node.role==worker'],
          limits: { cpus: 0.5, memoryBytes: 1_000_000 },
        },
      },
    ]);
    expect(list).toHaveLength(2);
    const stack = await owner.query('container.getStackContainersByAppName', { appName: 'stack', limit: 1 });
    expect(stack).toMatchObject({ items: [pending], nextCursor: 'shop.2.t2' });
    expect(JSON.stringify(stack)).not.toContain('configuration');
    expect(await stranger.query('container.getServiceContainersByAppName', { appName: 'shop' })).toEqual([]);
    await people.grant({ canAccessToContainers: true, accessedServices: [place.applicationId] });
    const shown = await member.query('container.getServiceContainersByAppName', { appName: 'shop' });
    expect(shown).toMatchObject([
      pending,
      { ...running, configuration: { env: ['TOKEN=••••'], args: ['--token=••••'] } },
    ]);
    expect(JSON.stringify(shown)).not.toContain('very-secret');
  });

  it('show their configuration; to members without secrets', async () => {
    const { owner, member, stranger, people, place, mine } = await begin();
    const configuration = { Id: 'mine', Config: { Env: ['TOKEN=very-secret-value'], Labels: mine } };
    expect(await owner.query('container.getConfig', { containerId: 'mine' })).toEqual(configuration);
    expect(await owner.query('container.getConfig', { containerId: 'mine-name' })).toEqual(configuration);
    expect(await owner.query('container.getConfig', { containerId: 'proxy' })).toMatchObject({ Id: 'proxy' });
    await people.grant({ canAccessToContainers: true });
    for (const containerId of ['mine', 'theirs', 'proxy', 'by-hand'])
      expect(await member.query('container.getConfig', { containerId })).toMatchObject({ code: 'FORBIDDEN' });
    await people.grant({ canAccessToContainers: true, accessedServices: [place.applicationId] });
    expect(await member.query('container.getConfig', { containerId: 'mine' })).toEqual({
      Id: 'mine',
      Config: { Env: ['TOKEN=••••'], Labels: mine },
    });
    for (const containerId of ['mine', 'proxy', 'by-hand'])
      expect(await stranger.query('container.getConfig', { containerId })).toMatchObject({
        code: 'FORBIDDEN',
      });
    expect(await owner.query('container.getConfig', { containerId: 'nowhere' })).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it("are restarted for whom they belong to, never the platform's, with an entry in the audit", async () => {
    const { owner, member, stranger, people, place, database } = await begin();
    expect(await owner.mutate('container.restartContainer', { containerId: 'mine-name' })).toMatchObject({
      containerId: 'mine',
      state: 'running',
    });
    expect(await owner.mutate('container.restartContainer', { containerId: 'by-hand' })).toMatchObject({
      containerId: 'by-hand',
    });
    expect(await owner.mutate('container.restartContainer', { containerId: 'proxy' })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining("Berth's own"),
    });
    await people.grant({ canAccessToContainers: true });
    for (const client of [member, stranger])
      expect(await client.mutate('container.restartContainer', { containerId: 'mine' })).toMatchObject({
        code: 'FORBIDDEN',
      });
    for (const containerId of ['proxy', 'by-hand'])
      expect(await stranger.mutate('container.restartContainer', { containerId })).toMatchObject({
        code: 'FORBIDDEN',
      });
    expect(await owner.mutate('container.restartContainer', { containerId: 'nowhere' })).toMatchObject({
      code: 'NOT_FOUND',
    });
    await people.grant({ canAccessToContainers: true, accessedServices: [place.applicationId] });
    expect(await member.mutate('container.restartContainer', { containerId: 'mine' })).toMatchObject({
      containerId: 'mine',
    });
    expect(engine.restarted).toEqual(['mine', 'by-hand', 'mine']);
    const entries = (await createStores(database).audit.all(people.owner.organizationId))
      .filter(({ outcome }) => outcome === 'done')
      .map(({ procedure, resourceId }) => `${procedure} ${resourceId}`);
    expect(entries.toSorted((left, right) => left.localeCompare(right))).toEqual([
      'container.restartContainer by-hand',
      'container.restartContainer mine',
      'container.restartContainer mine',
    ]);
  });

  it('are read in the same number of statements however many there are', async () => {
    const { member, people, place, mine, database } = await begin();
    await people.grant({ canAccessToContainers: true, accessedServices: [place.applicationId] });
    const measured = (): Promise<number> =>
      statementsOf(database, () => member.query('container.getContainers'));
    const few = await measured();
    engine.containers = Array.from({ length: 50 }, (_, index) => listedContainer(`c${index}`, mine));
    expect(await measured()).toBe(few);
  });

  it('of other servers come later; an engine that is down is said to be', async () => {
    const { owner, people, database } = await begin();
    const { servers } = createStores(database);
    const owners = { own: people.owner, foreign: people.stranger };
    for (const [serverId, { organizationId }] of Object.entries(owners)) {
      await servers.insert({
        serverId,
        organizationId,
        name: 's',
        ipAddress: '203.0.113.7',
        serverType: 'deploy',
        status: 'active',
        ...unset,
        ...alone,
        trusted: false,
        username: 'root',
        setupStatus: 'idle',
        hostKeyFingerprint: null,
        buildsConcurrency: 1,
        metricsConfig: null,
        baseDomain: null,
      });
    }
    for (const [serverId, code] of [
      ['own', 'SERVICE_UNAVAILABLE'],
      ['foreign', 'FORBIDDEN'],
      ['unknown', 'NOT_FOUND'],
    ]) {
      for (const [name, input] of [...reads, ['getConfig', { containerId: 'mine' }]] as const)
        expect(await owner.query(`container.${name}`, { ...input, serverId })).toMatchObject({ code });
    }
    engine.isDown = true;
    for (const [name, input] of [...reads, ['getConfig', { containerId: 'mine' }]] as const)
      expect(await owner.query(`container.${name}`, input)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await owner.mutate('container.restartContainer', { containerId: 'mine' })).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });

  it('need a login, and of members the grant; names follow the pattern', async () => {
    const { owner, member, nobody } = await begin();
    const calls = (client: InterfaceClient): Promise<unknown>[] => [
      ...reads.map(([name, input]) => client.query(`container.${name}`, input)),
      client.query('container.getConfig', { containerId: 'mine' }),
      client.mutate('container.restartContainer', { containerId: 'mine' }),
    ];
    for (const answer of await Promise.all(calls(nobody)))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all(calls(member)))
      expect(answer).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('canAccessToContainers'),
      });
    for (const name of ['a b', 'a/b', 'a;b', '$(a)', 'ä', 'a\n', '../a']) {
      expect(await owner.query('container.getConfig', { containerId: name })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['containerId'],
      });
      expect(await owner.mutate('container.restartContainer', { containerId: name })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['containerId'],
      });
      for (const [path, input] of reads.slice(1))
        expect(await owner.query(`container.${path}`, { ...input, appName: name })).toMatchObject({
          code: 'BAD_REQUEST',
          fields: ['appName'],
        });
    }
    expect(
      await owner.query('container.getContainersByAppNameMatch', { appName: 'a', appType: 'pod' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['appType'] });
    for (const type of ['pod', undefined])
      expect(await owner.query('container.getContainersByAppLabel', { appName: 'a', type })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['type'],
      });
  });
});
