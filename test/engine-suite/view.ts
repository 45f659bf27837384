/** What people are shown of an engine: containers, nodes, services and tasks. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Actor } from '../../server/src/procedure/context.ts';
import { noGrants } from '../../server/src/domain/access/permissions.ts';
import { createContainers } from '../../server/src/modules/container/container.ts';
import { createSight } from '../../server/src/modules/sight/sight.ts';
import { createSwarm } from '../../server/src/modules/swarm/swarm.ts';
import { nodeImage, stepService, uniqueName, until, untilRunning, type EngineFixture } from './fixture.ts';
import { commandOf, type Step } from './steps.ts';

export function viewSuite({ engine, api, view }: EngineFixture): void {
  const organizationId = uniqueName('organization');
  const owned = {
    'berth.test': 'true',
    'berth.organization': organizationId,
    'berth.application': uniqueName('application'),
    'com.docker.stack.namespace': organizationId,
  };
  const name = uniqueName('shown');
  const network = uniqueName('shown');
  const byHand = uniqueName('by-hand');
  const speaking: Step[] = [
    { do: 'obeyStop' },
    { do: 'say', text: 'it begins' },
    { do: 'say', text: 'it stays', on: 'stderr' },
    { do: 'stay' },
  ];

  const actorOf = (change: Partial<Actor> = {}): Actor => ({
    userId: 'u',
    organizationId,
    role: 'owner',
    grants: noGrants,
    apiKeyId: undefined,
    sessionId: undefined,
    permissions: undefined,
    ...change,
  });
  const sight = createSight({ placements: async () => new Map() }, async (id) => id === 'first');
  const host = { key: 'local', engine, engineView: view };
  const containers = createContainers(host, sight);
  const swarm = createSwarm(host, sight);

  beforeAll(async () => {
    await engine.ensureNetwork({ name: network, subnet: '10.220.9.0/24', labels: {} });
    await engine.applyService(
      stepService(name, speaking, {
        labels: owned,
        env: ['TOKEN=very-secret-value'],
        networks: [network],
        replicas: 2,
        limits: { memoryBytes: 64 * 1024 * 1024, nanoCpus: 500_000_000 },
        ports: [{ published: 45_311, target: 3000, protocol: 'tcp', mode: 'host' }],
        updateOrder: 'stop-first',
        constraints: ['node.role==manager'],
      }),
    );
    const { Id } = await api.call(
      {
        method: 'POST',
        path: '/containers/create',
        query: { name: byHand },
        body: {
          Image: nodeImage,
          Cmd: commandOf([{ do: 'obeyStop' }, { do: 'say', text: 'made by hand' }, { do: 'stay' }]),
          Env: ['TOKEN=very-secret-value'],
          Labels: { 'com.docker.compose.project': byHand },
        },
        doing: 'making a container by hand',
      },
      z.looseObject({ Id: z.string() }),
    );
    await api.send({ method: 'POST', path: `/containers/${Id}/start`, doing: 'starting it' });
    // Both want one port of the one node, so that only one of them can run.
    await untilRunning(engine, name, 1);
  });

  afterAll(async () => {
    await engine.removeService(name);
    await engine.removeNetwork(network);
    await api.send({
      method: 'DELETE',
      path: `/containers/${byHand}`,
      query: { force: true },
      doing: 'removing the container',
    });
  });

  describe('containers', () => {
    test('are those of the organization, with their image, state and labels', async () => {
      const list = await containers.list(actorOf());
      expect(list).toEqual([
        {
          containerId: expect.stringMatching(/^[0-9a-f]{64}$/),
          name: expect.stringContaining(`${name}.`),
          image: nodeImage,
          ports: expect.any(String),
          state: 'running',
          status: expect.stringMatching(/^Up /),
          serverId: null,
          labels: expect.objectContaining(owned),
          isPlatform: false,
        },
      ]);
    });

    test("of nobody are the first organization's", async () => {
      const names = (await containers.list(actorOf({ organizationId: 'first' }))).map(
        (container) => container.name,
      );
      expect(names).toContain(byHand);
      expect(names.some((each) => each.startsWith(`${name}.`))).toBe(false);
    });

    test('tell their whole configuration to the owner, and members none of the values', async () => {
      const [{ containerId } = { containerId: '' }] = await containers.list(actorOf());
      const full = await containers.configuration(actorOf(), containerId);
      expect(full).toMatchObject({
        Id: containerId,
        Config: { Env: expect.arrayContaining(['TOKEN=very-secret-value']) },
        HostConfig: { Memory: 64 * 1024 * 1024 },
      });
      const member = createContainers(
        host,
        createSight(
          {
            placements: async () =>
              new Map([[owned['berth.application'], { projectId: 'p', environmentId: 'e' }]]),
          },
          async () => false,
        ),
      );
      const masked = await member.configuration(
        actorOf({ role: 'member', grants: { ...noGrants, accessedProjects: ['p'] } }),
        containerId,
      );
      expect(masked).toMatchObject({
        Id: containerId,
        Config: { Env: expect.arrayContaining(['TOKEN=••••']) },
      });
      expect(JSON.stringify(masked)).not.toContain('very-secret');
      await expect(
        containers.configuration(actorOf({ organizationId: 'first' }), containerId),
      ).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(containers.configuration(actorOf(), 'there-is-none')).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    test('several whose ids begin alike are a fault of the input, and none of them is named', async () => {
      // Of 17 ids at least two begin with the same of 16 letters.
      const made = await Promise.all(
        Array.from({ length: 17 }, () =>
          api.call(
            { method: 'POST', path: '/containers/create', body: { Image: nodeImage }, doing: 'making one' },
            z.looseObject({ Id: z.string() }),
          ),
        ),
      );
      try {
        const letters = made.map(({ Id }) => Id.slice(0, 1));
        const shared = letters.find((letter, index) => letters.indexOf(letter) !== index) ?? '';
        const refusal = containers.configuration(actorOf(), shared);
        await expect(refusal).rejects.toMatchObject({
          code: 'BAD_REQUEST',
          issues: [{ path: 'containerId', message: expect.stringContaining('several containers') }],
        });
      } finally {
        for (const { Id } of made)
          await api.send({ method: 'DELETE', path: `/containers/${Id}`, doing: 'removing one' });
      }
    });

    test("give their output, a task's with its task and node, to whom they belong", async () => {
      const [container] = await containers.list(actorOf());
      const containerId = container?.containerId ?? '';
      await until('it has spoken', async () => {
        const said = await containers.output(actorOf(), containerId, 10);
        return (await Array.fromAsync(await said.read({ since: undefined }))).length === 2;
      });
      const whole = await containers.output(actorOf(), containerId, 10);
      const lines = await Array.fromAsync(await whole.read({ since: undefined }));
      const told = {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        taskId: container?.labels['com.docker.swarm.task.id'],
        nodeId: (await engine.info()).nodeId,
      };
      // The engine takes two streams in whichever order it comes to them.
      expect(lines.toSorted((left, right) => (left.text < right.text ? -1 : 1))).toEqual([
        { ...told, stream: 'stdout', text: 'it begins' },
        { ...told, stream: 'stderr', text: 'it stays' },
      ]);
      const newest = await containers.output(actorOf(), containerId, 1);
      expect(await Array.fromAsync(await newest.read({ since: undefined }))).toEqual(lines.slice(-1));
      await expect(
        containers.output(actorOf({ organizationId: 'first' }), containerId, 1),
      ).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(containers.output(actorOf(), 'there-is-none', 1)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    test('give what comes, until they end', async () => {
      const seen: string[] = [];
      const output = await containers.output(actorOf({ organizationId: 'first' }), byHand, 10);
      const signal = AbortSignal.timeout(60_000);
      for await (const { text, taskId } of output.follow({ since: undefined, signal })) {
        seen.push(text);
        expect(taskId).toBe('');
        if (text === 'made by hand')
          await api.send({ method: 'POST', path: `/containers/${byHand}/stop`, doing: 'stopping it' });
      }
      expect(seen).toEqual(['made by hand']);
      expect(signal.aborted).toBe(false);
      await api.send({ method: 'POST', path: `/containers/${byHand}/start`, doing: 'starting it again' });
    });

    test('made by hand are restarted and go on under their id', async () => {
      const started = async (): Promise<unknown> =>
        Reflect.get(Object((await view.container(byHand))?.configuration['State']), 'StartedAt');
      const before = await started();
      expect(await containers.restart(actorOf({ organizationId: 'first' }), byHand)).toMatchObject({
        name: byHand,
        state: 'running',
      });
      expect(await started()).not.toBe(before);
    });

    test('of a service are restarted too, and the service runs on', async () => {
      const [before] = await containers.list(actorOf(), ({ state }) => state === 'running');
      expect(await containers.restart(actorOf(), before?.containerId ?? '')).toMatchObject({
        containerId: before?.containerId,
      });
      // The swarm takes its container's end for the task's, whenever it sees it, and makes another task.
      await until(
        'the container of another task',
        async () => {
          const running = await containers.list(actorOf(), ({ state }) => state === 'running');
          return running.length === 1 && running[0]?.containerId !== before?.containerId;
        },
        60_000,
      );
      await untilRunning(engine, name, 1);
    });
  });

  describe('the swarm', () => {
    test('has its node, whole', async () => {
      const [node, ...others] = await swarm.nodes();
      expect(others).toEqual([]);
      expect(node).toMatchObject({
        role: 'manager',
        availability: 'active',
        state: 'ready',
        version: (await engine.info()).version,
        platform: { os: 'linux' },
        leader: true,
      });
      expect(node?.resources.cpus).toBeGreaterThan(0);
      expect(node?.resources.memoryBytes).toBeGreaterThan(100 * 1024 * 1024);
      const details = await swarm.node(node?.id ?? '');
      expect(details).toMatchObject({
        managerStatus: { leader: true, reachability: 'reachable' },
        specification: { role: 'manager' },
        constraints: expect.arrayContaining([`node.id==${node?.id}`, 'node.role==manager']),
      });
      await expect(swarm.node('nobody')).rejects.toMatchObject({ reason: 'Node not found' });
    });

    test("shows the organization's services with their tasks, networks and ports", async () => {
      const [{ hostname } = { hostname: '' }] = await swarm.nodes();
      // A busy engine takes its time from the task to its container.
      await until(
        'one that runs',
        async () => (await swarm.apps(actorOf()))[0]?.replicas.running === 1,
        60_000,
      );
      expect(await swarm.apps(actorOf())).toEqual([
        {
          id: expect.any(String),
          name,
          stack: organizationId,
          mode: 'replicated',
          replicas: { running: 1, desired: 2 },
          image: nodeImage,
          nodes: [hostname],
          networks: [network],
          ports: [{ published: 45_311, target: 3000, protocol: 'tcp', mode: 'host' }],
          resources: {
            limits: { cpus: 0.5, memoryBytes: 64 * 1024 * 1024 },
            reservations: { cpus: null, memoryBytes: null },
          },
          status: 'degraded',
          isPlatform: false,
        },
      ]);
    });

    test("shows a service's and a stack's tasks, those without a container too", async () => {
      const [{ hostname } = { hostname: '' }] = await swarm.nodes();
      for (const test of [
        (service: { name: string }) => service.name === name,
        (service: { labels: Record<string, string> }) =>
          service.labels['com.docker.stack.namespace'] === organizationId,
      ]) {
        const tasks = await containers.ofServices(actorOf(), test);
        expect(tasks).toEqual(
          expect.arrayContaining([
            expect.objectContaining({
              containerId: expect.stringMatching(/^[0-9a-f]{64}$/),
              state: 'running',
              node: hostname,
              configuration: expect.objectContaining({
                constraints: ['node.role==manager'],
                networks: [network],
              }),
            }),
            expect.objectContaining({
              containerId: '',
              state: 'pending',
              status: expect.stringContaining('no suitable node'),
            }),
          ]),
        );
      }
    });
  });
}
