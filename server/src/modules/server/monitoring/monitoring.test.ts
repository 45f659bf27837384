import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentProgram, monitoredServer } from '../../../../../test/machines/monitored-server.ts';
import { installVirtualTime } from '../../../../../test/virtual-time/virtual-time.ts';

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

const passing = (number: number, at = Date.now()) => ({
  passing: number,
  at,
  kind: 'memory' as const,
  value: 95,
  threshold: 90,
});
/** Longer than a look that renews an agent takes to come out. */
const lookMs = 2 * 60_000;
const hourMs = 3_600_000;

it('lays the agent out on the server and runs it there, and leaves nothing of a former one', async () => {
  const world = monitoredServer();
  world.server.files.set('/data/agent/program-old/agent.js', 'x').set('/data/agent/node-22', 'x');
  await world.monitoring.setUp(world.record);
  expect(await world.answering()).toBe('one');
  expect([...world.server.files.keys()].toSorted()).toEqual([
    expect.stringMatching(/^\/data\/agent\/config-[0-9a-f]{16}\.json$/),
    '/data/agent/node-24',
    '/data/agent/program-one/agent.js',
  ]);
  const config = [...world.server.files].find(([path]) => path.includes('config'))?.[1] ?? '';
  expect(JSON.parse(config).settings).toMatchObject({ refreshMs: 60_000, retentionDays: 7 });
  expect(config).not.toContain('of the monitoring');
});

it('runs it beside all services on a node of a cluster', async () => {
  const world = monitoredServer({ clusterServerId: 'head' });
  await world.monitoring.setUp(world.record);
  expect(await world.answering()).toBe('one');
  expect([world.memory.state.services.size, world.standing.now?.name]).toEqual([0, 'berth-monitoring']);
});

it('installs none on a server of another processor', async () => {
  const world = monitoredServer();
  world.program.node.architecture = 'aarch64';
  await expect(world.monitoring.setUp(world.record)).rejects.toThrow(
    "The processor of the server edge is x86_64 and that of Berth's own machine is aarch64",
  );
  expect(world.memory.state.services.size).toBe(0);
});

it('says that it has no image, that it does not answer, and that there is no monitoring', async () => {
  const bare = monitoredServer();
  bare.images.clear();
  await expect(bare.monitoring.setUp(bare.record)).rejects.toThrow(
    'has the image builder:1, which the agent runs in',
  );
  const broken = monitoredServer();
  broken.broken.add('one');
  await expect(broken.monitoring.setUp(broken.record)).rejects.toThrow(
    'was started and does not answer within 60 s',
  );
  const none = monitoredServer({ metricsConfig: null });
  await expect(none.monitoring.agentOf(none.record)).rejects.toThrow('The server edge has no monitoring.');
  await none.monitoring.setUpAgain('edge');
  expect(none.memory.state.services.size).toBe(0);
});

it('sets up again only once the server’s own set-up is over', async () => {
  const world = monitoredServer({ setupStatus: 'running' });
  const again = world.monitoring.setUpAgain('edge');
  await pause(5000);
  expect(world.memory.state.services.size).toBe(0);
  world.record = { ...world.record, setupStatus: 'done' };
  await again;
  expect(await world.answering()).toBe('one');
});

it('renews the agent of another version, and lets one alone that is as it should be', async () => {
  const world = monitoredServer();
  await world.monitoring.setUp(world.record);
  const [before] = await world.memory.engine.tasks('berth-monitoring');
  await world.monitoring.look();
  await pause(lookMs);
  expect((await world.memory.engine.tasks('berth-monitoring'))[0]?.id).toBe(before?.id);
  world.program = agentProgram('two');
  await world.monitoring.look();
  await pause(lookMs);
  expect(await world.answering()).toBe('two');
  expect(world.server.files.has('/data/agent/program-one/agent.js')).toBe(false);
  expect(world.faults).toEqual([]);
});

it.each([{ clusterServerId: null }, { clusterServerId: 'head' }])(
  'gives one that does not answer no place, and tries it again an hour later (%j)',
  async (change) => {
    const world = monitoredServer(change);
    await world.monitoring.setUp(world.record);
    world.program = agentProgram('two');
    world.broken.add('two');
    await world.monitoring.look();
    await pause(lookMs);
    expect(await world.answering()).toBe('one');
    expect(world.faults).toMatchObject([{ message: expect.stringContaining('the former one runs again') }]);
    world.broken.clear();
    await world.monitoring.look();
    await pause(lookMs);
    expect(await world.answering()).toBe('one');
    await pause(hourMs);
    await world.monitoring.look();
    await pause(lookMs);
    expect(await world.answering()).toBe('two');
  },
);

it('concludes nothing of a server that cannot be reached', async () => {
  const world = monitoredServer();
  await world.monitoring.setUp(world.record);
  world.program = agentProgram('two');
  world.passings.push(passing(1));
  world.whySilent = 'It is away.';
  await world.monitoring.look();
  await pause(lookMs);
  expect([await world.answering(), world.facts, world.faults]).toEqual(['one', [], []]);
});

it('leaves one that is silent to the engine', async () => {
  const world = monitoredServer();
  await world.monitoring.setUp(world.record);
  world.broken.add('one');
  await world.monitoring.look();
  await pause(lookMs);
  expect(world.faults).toEqual([]);
});

it('goes on with the renewal of a node that a crash left half done', async () => {
  const world = monitoredServer({ clusterServerId: 'head' });
  await world.monitoring.setUp(world.record);
  const { now } = world.standing;
  world.standing = { now: undefined, former: now };
  await world.monitoring.look();
  await pause(lookMs);
  expect([await world.answering(), world.standing.former]).toEqual(['one', undefined]);
});

it('tells what passed its threshold, once, signed for the callback', async () => {
  const world = monitoredServer();
  await world.monitoring.setUp(world.record);
  world.passings.push(passing(7));
  await world.monitoring.look();
  await pause(1000);
  await world.monitoring.look();
  await pause(1000);
  const sentence = 'Memory of the server edge is at 95 %, over its threshold of 90 %.';
  expect(world.facts).toMatchObject([{ event: 'thresholdPassed', sentence, subject: { id: 'edge' } }]);
  const [body] = world.callback.bodies;
  expect(body).toMatchObject({
    type: 'memory',
    value: 95,
    threshold: 90,
    message: sentence,
    serverName: 'edge',
  });
  const headers = world.callback.headers[0] ?? {};
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${JSON.stringify(body)}`;
  const signature = createHmac('sha256', 'of the monitoring').update(signed).digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${signature}`);
  expect(world.callback.bodies).toHaveLength(1);
});

it('tells again what the callback did not take, but not the callback after an hour', async () => {
  const world = monitoredServer();
  await world.monitoring.setUp(world.record);
  world.callback.status = 500;
  world.passings.push(passing(1));
  await world.monitoring.look();
  await pause(1000);
  expect(world.faults).toMatchObject([{ message: expect.stringContaining('answered with status 500') }]);
  expect([world.facts.length, world.passings.length]).toEqual([0, 1]);
  await pause(hourMs);
  await world.monitoring.look();
  await pause(1000);
  expect([world.facts.length, world.passings.length, world.callback.bodies.length]).toEqual([1, 0, 1]);
});
