import { afterAll, beforeAll, expect, it } from 'vitest';
import { swarmWorld } from '../../../../test/machines/swarm-world.ts';
import { installVirtualTime } from '../../../../test/virtual-time/virtual-time.ts';
import { managedLabel, organizationLabel } from '../../domain/names/labels.ts';

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

const web = { name: 'web', labels: { [managedLabel]: 'true', [organizationLabel]: 'o' } };
const proxy = { name: 'proxy', labels: { [managedLabel]: 'true' } };

it('make a server a node of the head’s swarm, with its images, and shut the ports again', async () => {
  const { clusters, asking, machines, record, doors, brought, regrouped } = swarmWorld(['head', 'edge']);
  const node = await clusters.join({ serverId: 'head', nodeServerId: 'edge', role: 'worker' }, asking);
  expect(node).toMatchObject({ serverId: 'edge', name: 'edge', role: 'worker', isHead: false, tasks: 0 });
  expect(machines.edge.swarm).toBe(machines.head.swarm);
  expect(record('edge')).toMatchObject({ clusterServerId: 'head', swarmNodeId: node.nodeId });
  expect(doors).toEqual(new Set());
  expect(brought).toEqual([`head → ${node.nodeId}`]);
  expect(regrouped).toEqual(['edge']);
});

it('that could not be joined leave the server in no swarm, and say which ports to open', async () => {
  const { clusters, asking, machines, record, doors } = swarmWorld(['head', 'edge']);
  machines.edge.cannotReach = true;
  const joining = clusters.join({ serverId: 'head', nodeServerId: 'edge', role: 'worker' }, asking);
  await expect(joining).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringMatching(
      /edge could not join the cluster of head: .*2377\/tcp.*at 203\.0\.113\.1\./,
    ),
  });
  expect(machines.edge.swarm).toBeUndefined();
  expect(record('edge')).toMatchObject({ clusterServerId: null, swarmNodeId: null });
  expect(doors).toEqual(new Set());
});

it('take a server that is a node already as it is, without joining it anew', async () => {
  const { clusters, asking, machines, record } = swarmWorld(['head', 'edge']);
  const input = { serverId: 'head', nodeServerId: 'edge', role: 'manager' } as const;
  const { nodeId } = await clusters.join(input, asking);
  machines.edge.cannotReach = true;
  expect(await clusters.join(input, asking)).toMatchObject({ nodeId, role: 'manager' });
  expect(record('edge')).toMatchObject({ swarmNodeId: nodeId });
});

it.each([
  ['itself', { nodeServerId: 'head' }, 'nodeServerId', 'names the server of the cluster itself'],
  ['to a node', { serverId: 'node' }, 'serverId', 'names node, which is a node of another server'],
  ['of builds', { nodeServerId: 'builder' }, 'nodeServerId', 'builder, a build server'],
  ['to one of builds', { serverId: 'builder' }, 'serverId', 'builder, a build server'],
  ['bare', { nodeServerId: 'bare' }, 'nodeServerId', 'bare, which is not set up yet'],
  ['of another cluster', { nodeServerId: 'other' }, 'nodeServerId', 'other, a node of another cluster'],
])('are not joined by a server: %s', async (_, input, field, sentence) => {
  const { clusters, asking, change } = swarmWorld(['head', 'edge', 'node', 'builder', 'bare', 'other']);
  change('node', { clusterServerId: 'edge', swarmNodeId: 'n' });
  change('other', { clusterServerId: 'edge', swarmNodeId: 'm' });
  change('builder', { serverType: 'build' });
  change('bare', { status: 'inactive' });
  const asked = { serverId: 'head', nodeServerId: 'edge', role: 'worker' as const, ...input };
  await expect(clusters.join(asked, asking)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    issues: [{ path: field, message: expect.stringContaining(sentence) }],
  });
});

it.each([
  ['3 services depend', { services: 3 }],
  ['1 certificates depend', { certificates: 1 }],
  ['1 nodes of its own cluster depend', { nodes: 1 }],
])('are not joined by a server while %s on its own swarm', async (sentence, held) => {
  const { clusters, asking, machines, hold } = swarmWorld(['head', 'edge', 'third']);
  hold('edge', held);
  const own = machines.edge.swarm;
  const joining = clusters.join({ serverId: 'head', nodeServerId: 'edge', role: 'worker' }, asking);
  await expect(joining).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringContaining(sentence),
  });
  expect(machines.edge.swarm).toBe(own);
});

it('do not dissolve a swarm that others use', async () => {
  const { clusters, asking, machines } = swarmWorld(['head', 'edge']);
  const own = machines.edge.swarm;
  const join = () => clusters.join({ serverId: 'head', nodeServerId: 'edge', role: 'worker' }, asking);
  own?.add('foreign', { labels: {} });
  for (const name of ['a', 'b', 'c', 'd', 'e']) own?.add(name, { labels: {} });
  await expect(join()).rejects.toThrow(
    "runs services that are not Berth's (foreign, a, b, c, d and others), which would end with it.",
  );
  own?.enter('their node', 'worker', '192.0.2.9');
  await expect(join()).rejects.toThrow('has 2 nodes; Berth does not dissolve it');
  machines.edge.isManager = false;
  await expect(join()).rejects.toThrow('is a worker of a swarm that Berth does not know');
  expect(machines.edge.swarm).toBe(own);
  machines.edge.isSilent = true;
  await expect(join()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

it('show the head first, and tasks of each node but the platform’s', async () => {
  const { clusters, asking, machines } = swarmWorld(['head', 'edge', 'alpha']);
  for (const nodeServerId of ['edge', 'alpha'])
    await clusters.join({ serverId: 'head', nodeServerId, role: 'worker' }, asking);
  const swarm = machines.head.swarm;
  swarm?.enter('someone', 'worker', '192.0.2.9');
  swarm?.add(proxy.name, proxy, ['head', 'edge']);
  swarm?.add(web.name, web, ['edge', 'edge']);
  const shown = (await clusters.nodes('edge', 'o')).map(({ name, isHead, serverId, tasks }) => [
    name,
    isHead,
    serverId,
    tasks,
  ]);
  expect(shown).toEqual([
    ['head', true, 'head', 0],
    ['alpha', false, 'alpha', 0],
    ['edge', false, 'edge', 2],
    ['someone', false, null, 0],
  ]);
});

it('are looked at through another manager while the head is away, and through no worker', async () => {
  const { clusters, asking, machines } = swarmWorld(['head', 'second', 'edge']);
  await clusters.join({ serverId: 'head', nodeServerId: 'edge', role: 'worker' }, asking);
  machines.head.isSilent = true;
  await expect(clusters.nodes('head', 'o')).rejects.toThrow('head does not answer');
  machines.head.isSilent = false;
  await clusters.join({ serverId: 'head', nodeServerId: 'second', role: 'manager' }, asking);
  machines.head.isSilent = true;
  expect((await clusters.nodes('head', 'o')).map(({ name }) => name)).toEqual(['head', 'edge', 'second']);
});

it('drain a node once its tasks run elsewhere, and activate it once it has the images', async () => {
  const { clusters, asking, machines, brought } = swarmWorld(['head', 'edge']);
  const { nodeId } = await clusters.join({ serverId: 'head', nodeServerId: 'edge', role: 'worker' }, asking);
  machines.head.swarm?.add(web.name, web, ['edge']);
  machines.head.swarm?.add(proxy.name, proxy, ['edge']);
  expect(await clusters.drain('edge', asking)).toMatchObject({ availability: 'drain', tasks: 0 });
  expect(machines.head.swarm?.placesOf('web')).toEqual(['head']);
  expect(machines.head.swarm?.placesOf('proxy')).toEqual(['edge']);
  brought.length = 0;
  expect(await clusters.activate('edge', asking)).toMatchObject({ availability: 'active' });
  expect(brought).toEqual([`head → ${nodeId}`]);
});

it('keep on a node what becomes healthy nowhere else, and say what it is', async () => {
  const { clusters, asking, machines } = swarmWorld(['head', 'edge']);
  await clusters.join({ serverId: 'head', nodeServerId: 'edge', role: 'worker' }, asking);
  machines.head.swarm?.add('bound', { ...web, staysOn: true }, ['edge']);
  machines.head.swarm?.add('web', web, ['edge']);
  await expect(clusters.drain('edge', asking)).rejects.toThrow(
    'The node edge gets no new tasks, but for some services the new task did not become healthy elsewhere ' +
      'or fits no other node: bound.',
  );
  expect(machines.head.swarm?.placesOf('bound')).toEqual(['edge']);
  expect(machines.head.swarm?.placesOf('web')).toEqual(['head']);
  const [, edge] = await clusters.nodes('head', 'o');
  expect(edge).toMatchObject({ name: 'edge', availability: 'pause' });
});

it('demote a node only once it has become the manager that it was made', async () => {
  const { clusters, asking, machines } = swarmWorld(['head', 'edge']);
  const { nodeId } = await clusters.join({ serverId: 'head', nodeServerId: 'edge', role: 'worker' }, asking);
  machines.head.swarm?.promoteAfter(3);
  expect(await clusters.setRole('edge', 'manager', asking)).toMatchObject({ role: 'manager' });
  await machines.head.swarm?.nodes.updateNode(nodeId, { role: 'worker' });
  // Somebody promotes it beside Berth, a moment before.
  await machines.head.swarm?.nodes.updateNode(nodeId, { role: 'manager' });
  expect(await clusters.setRole('edge', 'worker', asking)).toMatchObject({ role: 'worker' });
});

it('let a node go with its tasks moved, and set it up for a swarm of its own', async () => {
  const { clusters, asking, machines, record, setUp } = swarmWorld(['head', 'edge']);
  await clusters.join({ serverId: 'head', nodeServerId: 'edge', role: 'manager' }, asking);
  machines.head.swarm?.add(web.name, web, ['edge']);
  expect(await clusters.leave('edge', asking)).toMatchObject({ serverId: 'edge', setupStatus: 'running' });
  expect(machines.head.swarm?.placesOf('web')).toEqual(['head']);
  expect(record('edge')).toMatchObject({ clusterServerId: null, swarmNodeId: null });
  expect(machines.edge.swarm).toBeUndefined();
  expect((await clusters.nodes('head', 'o')).map(({ name }) => name)).toEqual(['head']);
  expect(setUp).toEqual(['edge']);
});

it('forget a node that is lost, and none that answers', async () => {
  const { clusters, asking, machines, record } = swarmWorld(['head', 'edge']);
  const { nodeId } = await clusters.join({ serverId: 'head', nodeServerId: 'edge', role: 'manager' }, asking);
  await expect(clusters.remove('edge', asking)).rejects.toThrow('The node edge answers. Use cluster.leave');
  machines.head.swarm?.lose(nodeId);
  expect(await clusters.remove('edge', asking)).toMatchObject({ status: 'inactive', swarmNodeId: null });
  expect(record('edge')).toMatchObject({ clusterServerId: null, status: 'inactive' });
  expect((await clusters.nodes('head', 'o')).map(({ name }) => name)).toEqual(['head']);
});

it('refuse a server that is no node, that is not there, and of another organization', async () => {
  const { clusters, asking } = swarmWorld(['head', 'edge']);
  await expect(clusters.drain('edge', asking)).rejects.toMatchObject({
    issues: [
      { path: 'nodeServerId', message: expect.stringContaining('edge, which is not a node of a cluster') },
    ],
  });
  await expect(clusters.leave('gone', asking)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(clusters.nodes('head', 'theirs')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
