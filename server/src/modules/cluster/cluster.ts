/**
 * Clusters of servers: which server is a node of which other one, and what its swarm is told (decisions 13).
 * A cluster belongs to the server whose swarm it is, its head: services name the head, never a node.
 */
import { managedLabel } from '../../domain/names/labels.ts';
import { AppError, badField, sentenceOf } from '../../domain/errors.ts';
import type { RunningService } from '../../ports/engine/engine.ts';
import type { EngineView, SwarmNode, SwarmService } from '../../ports/engine/engine-view.ts';
import type { NodeRole, ServerShell } from '../../ports/host/server-shell.ts';
import { waitUntilSo } from '../../ports/wait-until.ts';
import type { CallContext } from '../../procedure/context.ts';
import { isPlatform } from '../sight/sight.ts';
import { refuseUnfit } from './fit.ts';
import { enterSwarm, quitSwarm } from './membership.ts';
import { moveTasks } from './move-tasks.ts';
import type { ClusterParts, ClusterServer, ServerRecord } from './parts.ts';

export interface ClusterNode {
  nodeId: string;
  serverId: string | null;
  name: string;
  isHead: boolean;
  role: NodeRole;
  isLeader: boolean;
  availability: 'active' | 'pause' | 'drain';
  state: 'ready' | 'down' | 'disconnected' | 'unknown';
  message: string;
  address: string;
  tasks: number;
}

/** What changes something is asked by somebody; the swarm is told first, then the record, with the entry. */
export type Asking = Pick<CallContext, 'signal' | 'write'> & { organizationId: string };

export interface Clusters {
  join(
    input: { serverId: string; nodeServerId: string; role: NodeRole },
    asking: Asking,
  ): Promise<ClusterNode>;
  nodes(serverId: string, organizationId: string): Promise<ClusterNode[]>;
  drain(nodeServerId: string, asking: Asking): Promise<ClusterNode>;
  activate(nodeServerId: string, asking: Asking): Promise<ClusterNode>;
  setRole(nodeServerId: string, role: NodeRole, asking: Asking): Promise<ClusterNode>;
  leave(nodeServerId: string, asking: Asking): Promise<ServerRecord>;
  remove(nodeServerId: string, asking: Asking): Promise<ServerRecord>;
}

const outside = { clusterServerId: null, swarmNodeId: null } as const;

export function createClusters(parts: ClusterParts): Clusters {
  const look = createLook(parts);
  const { member, shownNode } = look;
  return {
    ...joiningOf(parts, look),
    async nodes(serverId, organizationId) {
      const named = await look.one(serverId, organizationId);
      const head =
        named.clusterServerId === null ? named : await look.one(named.clusterServerId, organizationId);
      return look.shown(head, await managerOf(parts, head));
    },
    async drain(nodeServerId, { organizationId, signal, write }) {
      const found = await member(nodeServerId, organizationId);
      await drain(found, signal);
      return write(() => shownNode(found));
    },
    async activate(nodeServerId, { organizationId, write }) {
      const found = await member(nodeServerId, organizationId);
      // Before it may take a task: what that needs must not depend on Berth then.
      await parts.bringImages(found.head.serverId, found.node);
      await found.manager.shell.engine.updateNode(found.nodeId, { availability: 'active' });
      return write(() => shownNode(found));
    },
    async setRole(nodeServerId, role, { organizationId, signal, write }) {
      const found = await member(nodeServerId, organizationId);
      await takeRole(found, role, signal);
      return write(() => shownNode(found));
    },
  };
}

/** What makes a server a node, and a node a server. */
function joiningOf(parts: ClusterParts, look: Look): Pick<Clusters, 'join' | 'leave' | 'remove'> {
  const { servers } = parts;
  return {
    async join({ serverId, nodeServerId, role }, { organizationId, write }) {
      const head = await look.one(serverId, organizationId);
      const node = await look.one(nodeServerId, organizationId);
      await refuseUnfit(parts, head, node);
      const joined = { head, node, manager: await managerOf(parts, head) };
      const close = await parts.admit(head.serverId, node);
      let nodeId = '';
      try {
        nodeId = await joinSwarm(parts, joined, role);
        // Nothing else of the record: it may have been changed, and its trust withdrawn, in the meantime.
        const inside = { clusterServerId: head.serverId, swarmNodeId: nodeId };
        await write(() => servers.update({ serverId: nodeServerId }, inside));
      } finally {
        close();
      }
      await parts.regrouped(nodeServerId);
      await parts.bringImages(head.serverId, { ...node, swarmNodeId: nodeId });
      return look.shownNode({ ...joined, nodeId });
    },
    async leave(nodeServerId, { organizationId, signal, write }) {
      const found = await look.member(nodeServerId, organizationId);
      await drain(found, signal);
      await leaveSwarm(parts, found);
      const record = await write(async () => {
        await servers.update({ serverId: nodeServerId }, outside);
        return parts.setUp({ ...found.node, ...outside });
      });
      await parts.regrouped(nodeServerId);
      return record;
    },
    async remove(nodeServerId, { organizationId, write }) {
      const found = await look.member(nodeServerId, organizationId);
      await removeLost(found);
      const patch = { ...outside, status: 'inactive' as const };
      await write(() => servers.update({ serverId: nodeServerId }, patch));
      await parts.regrouped(nodeServerId);
      return { ...found.node, ...patch };
    },
  };
}

interface Look {
  one(serverId: string, organizationId: string): Promise<ServerRecord>;
  /** BAD_REQUEST for a server that is no node. */
  member(nodeServerId: string, organizationId: string): Promise<Member>;
  shown(head: ServerRecord, manager: ClusterServer): Promise<ClusterNode[]>;
  shownNode(member: Pick<Member, 'head' | 'manager' | 'nodeId'>): Promise<ClusterNode>;
}

function createLook(parts: ClusterParts): Look {
  const { servers } = parts;
  const look: Look = {
    async one(serverId, organizationId) {
      const found = await servers.find({ serverId, organizationId });
      if (!found) throw new AppError('NOT_FOUND', 'There is no such server. It may have been removed.');
      return found;
    },
    async member(nodeServerId, organizationId) {
      const node = await look.one(nodeServerId, organizationId);
      const { clusterServerId, swarmNodeId, name } = node;
      if (clusterServerId === null || swarmNodeId === null)
        throw badField('nodeServerId', `names ${name}, which is not a node of a cluster; see cluster.join`);
      const head = await look.one(clusterServerId, organizationId);
      return { node, nodeId: swarmNodeId, head, manager: await managerOf(parts, head) };
    },
    shown: async (head, manager) =>
      nodesOf(manager, head, await servers.list({ clusterServerId: head.serverId })),
    async shownNode({ head, manager, nodeId }) {
      const found = (await look.shown(head, manager)).find((node) => node.nodeId === nodeId);
      if (!found) throw new AppError('NOT_FOUND', 'The cluster no longer has this node. See cluster.nodes.');
      return found;
    },
  };
  return look;
}

async function drain({ manager, nodeId, node }: Member, signal: AbortSignal): Promise<void> {
  await manager.shell.engine.updateNode(nodeId, { availability: 'pause' });
  const left = await moveTasks(manager.engine, nodeId, signal);
  if (left.length > 0) throw stayed(node, left);
  await manager.shell.engine.updateNode(nodeId, { availability: 'drain' });
}

const roleLimitMs = 30_000;
const lookMs = 250;

/** A promoted node becomes a manager a moment later, and until then its engine lets nobody demote it. */
async function takeRole({ manager, nodeId }: Member, role: NodeRole, signal: AbortSignal): Promise<void> {
  const until = async (isSo: (node: SwarmNode) => boolean): Promise<void> => {
    const look = async (): Promise<boolean> => {
      const node = (await manager.engineView.swarmNodes()).find(({ id }) => id === nodeId);
      return node === undefined || isSo(node);
    };
    await waitUntilSo(look, { everyMs: lookMs, limitMs: roleLimitMs, signal });
  };
  await until((node) => node.role === 'worker' || node.manager !== undefined);
  await manager.shell.engine.updateNode(nodeId, { role });
  await until((node) => (node.manager?.reachability === 'reachable') === (role === 'manager'));
}

interface Member {
  node: ServerRecord;
  nodeId: string;
  head: ServerRecord;
  /** A server of the cluster that manages it at this moment. */
  manager: ClusterServer;
}

/** The head, or while it does not answer another manager of its cluster. Throws why the head does not. */
async function managerOf(
  { servers, connected }: Pick<ClusterParts, 'servers' | 'connected'>,
  head: ServerRecord,
): Promise<ClusterServer> {
  const managing = async (serverId: string): Promise<ClusterServer> => {
    const server = await connected(serverId);
    await server.engineView.swarmNodes();
    return server;
  };
  try {
    return await managing(head.serverId);
  } catch (fault) {
    for (const { serverId } of await servers.list({ clusterServerId: head.serverId })) {
      const other = await managing(serverId).catch(() => undefined);
      if (other) return other;
    }
    throw fault;
  }
}

/** Gives its node id. What was done already is not done again. */
async function joinSwarm(
  { connected }: Pick<ClusterParts, 'connected'>,
  { head, node, manager }: Pick<Member, 'head' | 'node' | 'manager'>,
  role: NodeRole,
): Promise<string> {
  const { engineView, shell } = await connected(node.serverId);
  const present = await swarmOf(shell);
  if (present.state !== 'inactive' && (await isIn(manager, present.nodeId))) return present.nodeId;
  if (present.state === 'active' && present.isManager) await refuseForeign(engineView, node);
  if (present.state === 'active' && !present.isManager)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The engine of ${node.name} is a worker of a swarm that Berth does not know. Make it leave that ` +
        'swarm ("docker swarm leave"), then join again.',
    );
  // Asked before the node gives up what it has.
  const token = await manager.shell.engine.joinToken(role);
  const addresses = (await engineManagers(manager)).map((address) => address.replace(/:\d+$/, ''));
  if (present.state !== 'inactive') await quitSwarm(shell.engine);
  try {
    const advertiseAddress = present.nodeAddress === '' ? shell.address : present.nodeAddress;
    await enterSwarm(shell.engine, { managerAddresses: addresses, advertiseAddress, token });
  } catch (error) {
    throw new AppError(
      'PRECONDITION_FAILED',
      `${node.name} could not join the cluster of ${head.name}: ${sentenceOf(error)} The nodes must reach ` +
        `each other at the ports 2377/tcp, 7946/tcp and udp, and 4789/udp; the managers are at ` +
        `${addresses.join(', ')}. Join again then, or set ${node.name} up again for a swarm of its own.`,
      { cause: error },
    );
  }
  return (await swarmOf(shell)).nodeId;
}

async function swarmOf({ engine, name }: ServerShell) {
  const info = await engine.info();
  if (!info) throw new AppError('SERVICE_UNAVAILABLE', `The engine of ${name} does not answer.`);
  return info.swarm;
}

const isIn = async ({ engineView }: ClusterServer, nodeId: string): Promise<boolean> =>
  (await engineView.swarmNodes()).some(({ id }) => id === nodeId);

const engineManagers = async ({ engineView }: ClusterServer): Promise<string[]> =>
  (await engineView.swarmNodes()).flatMap(({ manager }) =>
    manager?.reachability === 'reachable' ? [manager.address] : [],
  );

/** What others run in its swarm would be lost with it. */
async function refuseForeign(view: EngineView, { name }: ServerRecord): Promise<void> {
  const [nodes, services] = await Promise.all([view.swarmNodes(), view.swarmServices()]);
  const foreign = services.filter(({ labels }) => labels[managedLabel] !== 'true');
  if (nodes.length > 1)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The swarm of ${name} has ${nodes.length} nodes; Berth does not dissolve it. Make them leave first.`,
    );
  if (foreign.length > 0)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The swarm of ${name} runs services that are not Berth's (${namesOf(foreign)}), which would end with ` +
        'it. Move or remove them first.',
    );
}

function namesOf(services: readonly Pick<SwarmService, 'name'>[]): string {
  const names = services.slice(0, 5).map(({ name }) => name);
  return services.length > names.length ? `${names.join(', ')} and others` : names.join(', ');
}

function stayed({ name }: ServerRecord, left: readonly RunningService[]): AppError {
  const names = namesOf(left.map(({ service }) => service));
  return new AppError(
    'PRECONDITION_FAILED',
    `The node ${name} gets no new tasks, but for some services the new task did not become healthy ` +
      `elsewhere or fits no other node: ${names}. See their logs and placement, then drain again; ` +
      'cluster.activate makes the node take tasks again.',
  );
}

async function leaveSwarm(
  { connected }: Pick<ClusterParts, 'connected'>,
  { node, nodeId, manager }: Member,
): Promise<void> {
  const { shell } = await connected(node.serverId);
  await manager.shell.engine.updateNode(nodeId, { role: 'worker' });
  await quitSwarm(shell.engine);
  await manager.shell.engine.removeNode(nodeId, { isForced: true });
}

async function removeLost({ node, nodeId, manager }: Member): Promise<void> {
  const found = (await manager.engineView.swarmNodes()).find(({ id }) => id === nodeId);
  if (found?.state === 'ready')
    throw new AppError(
      'PRECONDITION_FAILED',
      `The node ${node.name} answers. Use cluster.leave, which moves what runs there before it takes ` +
        'the node out.',
    );
  if (found?.manager) await manager.shell.engine.updateNode(nodeId, { role: 'worker' });
  await manager.shell.engine.removeNode(nodeId, { isForced: true });
}

async function nodesOf(
  { engineView }: ClusterServer,
  head: ServerRecord,
  members: readonly ServerRecord[],
): Promise<ClusterNode[]> {
  const [nodes, tasks, services] = await Promise.all([
    engineView.swarmNodes(),
    engineView.swarmTasks(),
    engineView.swarmServices(),
  ]);
  const platform = new Set(services.filter(({ labels }) => isPlatform(labels)).map(({ id }) => id));
  const known = new Map(members.map((member) => [member.swarmNodeId, member]));
  const own = nodes.filter(({ id }) => !known.has(id));
  // Of those that no record names, the head is the manager that has been there from the beginning.
  const headNode =
    own.find(({ address }) => address === head.ipAddress) ??
    own.filter(({ role }) => role === 'manager').toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))[0];
  const running = Map.groupBy(
    tasks.filter(({ state, serviceId }) => state === 'running' && !platform.has(serviceId)),
    ({ nodeId }) => nodeId,
  );
  return nodes
    .map((node) => {
      const isHead = node.id === headNode?.id;
      const record = isHead ? head : known.get(node.id);
      return shownNode(node, { isHead, record, tasks: running.get(node.id)?.length ?? 0 });
    })
    .toSorted(
      (left, right) => Number(right.isHead) - Number(left.isHead) || (left.name < right.name ? -1 : 1),
    );
}

function shownNode(
  { id, hostname, role, manager, availability, state, message, address }: SwarmNode,
  { isHead, record, tasks }: { isHead: boolean; record: ServerRecord | undefined; tasks: number },
): ClusterNode {
  return {
    nodeId: id,
    serverId: record?.serverId ?? null,
    name: record?.name ?? hostname,
    isHead,
    role,
    isLeader: manager?.leader ?? false,
    availability: availability === 'pause' || availability === 'drain' ? availability : 'active',
    state: state === 'ready' || state === 'down' || state === 'disconnected' ? state : 'unknown',
    message,
    address,
    tasks,
  };
}
