import { ownHost } from '../../../../test/hosts.ts';
import { beforeEach, expect, it } from 'vitest';
import { clientOf } from '../../../../test/http/interface-client.ts';
import {
  shownEngine,
  swarmNode,
  swarmService,
  swarmTask,
  type ShownEngine,
} from '../../../../test/http/shown-engine.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { router } from '../../procedure/registry.ts';
import { createSight } from '../sight/sight.ts';
import { createSightStore } from '../sight/store.ts';
import { swarmContract } from './contract.ts';
import { swarmHandlers } from './handlers.ts';
import { createSwarm } from './swarm.ts';
import { plainServer } from '../../../../test/world/plain-server.ts';

const calls = [
  ['getNodes', {}],
  ['getNodeInfo', { nodeId: 'n1' }],
  ['getNodeApps', {}],
] as const;
const flat = (code: string): object => ({ code, message: expect.any(String), fields: [] });

eachDatabase('the swarm', (test) => {
  const createWorld = worlds(test);
  let engine: ShownEngine;
  beforeEach(() => {
    engine = shownEngine();
    engine.nodes = [
      swarmNode('n2', {
        role: 'worker',
        manager: undefined,
        availability: 'drain',
        state: 'down',
        message: 'heartbeat failure',
      }),
      swarmNode('n1'),
    ];
  });
  const begin = (): Promise<World> =>
    createWorld((database) => {
      const sight = createSight(
        createSightStore(database),
        async (organizationId) => organizationId === 'organization-first',
      );
      const hosts = ownHost({ engineView: engine });
      return [
        router(
          'swarm',
          swarmContract,
          swarmHandlers(async (serverKey) => {
            const { engineView } = await hosts.of(serverKey);
            return createSwarm({ engine, engineView }, sight);
          }),
        ),
      ];
    });
  const [worker, leader] = [
    {
      id: 'n2',
      hostname: 'host-n2',
      role: 'worker',
      availability: 'drain',
      state: 'down',
      version: '20.10.24',
      resources: { cpus: 2, memoryBytes: 4_000_000_000 },
      labels: { zone: 'a' },
      platform: { os: 'linux', architecture: 'x86_64' },
      leader: false,
    },
    {
      id: 'n1',
      hostname: 'host-n1',
      role: 'manager',
      availability: 'active',
      state: 'ready',
      version: '20.10.24',
      resources: { cpus: 2, memoryBytes: 4_000_000_000 },
      labels: { zone: 'a' },
      platform: { os: 'linux', architecture: 'x86_64' },
      leader: true,
    },
  ];

  it('shows its nodes, and each with everything', async () => {
    const { owner, admin } = await begin();
    expect(await owner.query('swarm.getNodes')).toEqual([worker, leader]);
    expect(await admin.query('swarm.getNodes', { limit: 1 })).toEqual({ items: [worker], nextCursor: 'n2' });
    expect(await owner.query('swarm.getNodeInfo', { nodeId: 'n1' })).toEqual({
      ...leader,
      specification: { role: 'manager', availability: 'active', labels: { zone: 'a' } },
      status: { state: 'ready', message: '', address: '203.0.113.7' },
      managerStatus: { leader: true, reachability: 'reachable', address: '203.0.113.7:2377' },
      engine: {
        version: '20.10.24',
        labels: { disk: 'ssd' },
        plugins: [{ type: 'Network', name: 'overlay' }],
      },
      constraints: [
        'node.id==n1',
        'node.hostname==host-n1',
        'node.role==manager',
        'node.platform.os==linux',
        'node.platform.arch==x86_64',
        'node.labels.zone==a',
        'engine.labels.disk==ssd',
      ],
      createdAt: '2026-01-01T00:00:00Z',
    });
    expect(await owner.query('swarm.getNodeInfo', { nodeId: 'n2' })).toMatchObject({
      managerStatus: null,
      status: { state: 'down', message: 'heartbeat failure' },
    });
    for (const nodeId of ['n', 'nowhere', 'host-n1', '../nodes', '.'])
      expect(await owner.query('swarm.getNodeInfo', { nodeId })).toEqual(flat('Node not found'));
  });

  it("shows the caller's organization its services; the first one the platform's and nobody's", async () => {
    const { owner, stranger, people } = await begin();
    const mine = {
      'berth.managed': 'true',
      'berth.organization': people.owner.organizationId,
      'com.docker.stack.namespace': 'shop',
    };
    engine.services = [
      swarmService('mine', mine, { desired: 2 }),
      swarmService(
        'theirs',
        { 'berth.managed': 'true', 'berth.organization': people.stranger.organizationId },
        { update: 'updating', ports: [] },
      ),
      swarmService('proxy', { 'berth.managed': 'true', 'berth.role': 'proxy' }, { mode: 'global' }),
      swarmService('by-hand', {}, { desired: 0, running: 0 }),
    ];
    engine.tasks = [
      swarmTask('t1', 'mine'),
      swarmTask('t2', 'mine', { nodeId: 'n2' }),
      swarmTask('t3', 'mine', { state: 'failed', nodeId: 'n3' }),
      swarmTask('t4', 'proxy'),
    ];
    expect(await owner.query('swarm.getNodeApps')).toMatchObject([
      {
        id: 'mine',
        name: 'mine-name',
        stack: 'shop',
        mode: 'replicated',
        replicas: { running: 1, desired: 2 },
        image: 'nginx:1',
        nodes: ['host-n1', 'host-n2'],
        networks: ['berth-e1'],
        ports: [{ published: 8080, target: 80, protocol: 'tcp', mode: 'ingress' }],
        resources: {
          limits: { cpus: 0.5, memoryBytes: 1_000_000 },
          reservations: { cpus: null, memoryBytes: null },
        },
        status: 'degraded',
        isPlatform: false,
      },
      { id: 'proxy', mode: 'global', nodes: ['host-n1'], status: 'running', isPlatform: true },
      { id: 'by-hand', nodes: [], status: 'stopped', isPlatform: false, stack: null },
    ]);
    const others = await stranger.query('swarm.getNodeApps');
    expect(others).toMatchObject([{ id: 'theirs', status: 'updating' }]);
    expect(others).toHaveLength(1);
    expect(JSON.stringify(await owner.query('swarm.getNodeApps'))).not.toContain('very-secret');
    expect(await owner.query('swarm.getNodeApps', { limit: 1 })).toMatchObject({
      items: [{ id: 'mine' }],
      nextCursor: 'mine',
    });
  });

  it("is refused flatly to those signed in who may not read it; the rest is the envelope's", async () => {
    const { owner, member, nobody, people, server, database } = await begin();
    const { servers } = createStores(database);
    for (const [serverId, organizationId] of [
      ['own', people.owner.organizationId],
      ['foreign', people.stranger.organizationId],
    ] as const) {
      await servers.insert({
        ...plainServer,
        serverId,
        organizationId,
        name: 's',
        createdAt: '2026',
      });
    }
    const narrow = clientOf(
      server,
      await people.newKey(people.owner, { permissions: { container: ['read'] } }),
    );
    for (const [name, input] of calls) {
      for (const client of [member, narrow])
        expect(await client.query(`swarm.${name}`, input)).toEqual(flat('Unauthorized'));
      expect(await owner.query(`swarm.${name}`, { ...input, serverId: 'foreign' })).toEqual(
        flat('Unauthorized'),
      );
      expect(await owner.query(`swarm.${name}`, { ...input, serverId: 'unknown' })).toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await owner.query(`swarm.${name}`, { ...input, serverId: 'own' })).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
      });
      expect(await nobody.query(`swarm.${name}`, input)).toMatchObject({ code: 'UNAUTHORIZED' });
    }
    for (const nodeId of [undefined, ''])
      expect(await owner.query('swarm.getNodeInfo', { nodeId })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['nodeId'],
      });
  });

  it('that is not there is refused flatly; an engine that is down, in the envelope', async () => {
    const { owner } = await begin();
    engine.isManager = false;
    for (const [name, input] of calls)
      expect(await owner.query(`swarm.${name}`, input)).toEqual(flat('Swarm not available'));
    engine.isDown = true;
    for (const [name, input] of calls)
      expect(await owner.query(`swarm.${name}`, input)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
