/** Servers with an engine each, every one in a swarm of its own, and the clusters that are made of them. */
import { AppError } from '../../server/src/domain/errors.ts';
import { Secret } from '../../server/src/domain/secrets/secret.ts';
import { createClusters, type Asking, type Clusters } from '../../server/src/modules/cluster/cluster.ts';
import type { ClusterServer, ServerRecord } from '../../server/src/modules/cluster/parts.ts';
import type { NodeRole, ServerEngine } from '../../server/src/ports/host/server-shell.ts';
import { plainServer } from '../world/plain-server.ts';
import { createSwarm, type Swarm } from './swarm.ts';

export interface Machine {
  address: string;
  swarm: Swarm | undefined;
  nodeId: string;
  isManager: boolean;
  /** Its engine does not answer. */
  isSilent: boolean;
  /** It reaches no manager of another swarm. */
  cannotReach: boolean;
}

/** What else depends on a server's own swarm. */
interface Held {
  services?: number;
  certificates?: number;
  nodes?: number;
}

export interface SwarmWorld<Name extends string> {
  clusters: Clusters;
  asking: Asking;
  machines: Record<Name, Machine>;
  record(name: Name): ServerRecord | undefined;
  change(name: Name, patch: Partial<ServerRecord>): void;
  hold(name: Name, held: Held): void;
  /** Nodes that the ports of a swarm are open to. */
  doors: Set<string>;
  /** Which images were brought, from a head to a node. */
  brought: string[];
  regrouped: string[];
  setUp: string[];
}

export function swarmWorld<Name extends string>(names: readonly Name[]): SwarmWorld<Name> {
  const machines = Object.fromEntries(names.map((name, at) => [name, machineAt(name, at)]));
  const records = new Map(names.map((name, at) => [String(name), recordOf(name, at)]));
  const held = new Map<string, Held>();
  const [doors, told] = [new Set<string>(), { brought: [], regrouped: [], setUp: [] } as Told];
  const change = (serverId: string, patch: Partial<ServerRecord>): void => {
    const record = records.get(serverId);
    if (record) records.set(serverId, { ...record, ...patch });
  };
  const all = (): ServerRecord[] => [...records.values()];
  return {
    ...told,
    doors,
    // One for each name: the type cannot follow that.
    machines: machines as Record<Name, Machine>,
    asking: { organizationId: 'o', signal: new AbortController().signal, write: (work) => work() },
    record: (name) => records.get(name),
    change,
    hold: (name, what) => void held.set(name, what),
    clusters: createClusters({
      servers: {
        find: async ({ serverId, organizationId }) =>
          organizationId === 'o' ? records.get(serverId) : undefined,
        list: async ({ clusterServerId }) => {
          const own = all().filter((one) => one.clusterServerId === clusterServerId);
          return [...own, ...all().slice(0, held.get(clusterServerId)?.nodes ?? 0)];
        },
        update: async ({ serverId }, patch) => change(serverId, patch),
        countServices: async () => new Map([...held].map(([name, { services = 0 }]) => [name, services])),
        countCertificates: async (serverId) => held.get(serverId)?.certificates ?? 0,
      },
      connected: async (serverId) => serverOf(serverId, machines),
      async admit(_head, node) {
        doors.add(node.serverId);
        return () => void doors.delete(node.serverId);
      },
      bringImages: async (head, node) => void told.brought.push(`${head} → ${node.swarmNodeId}`),
      regrouped: async (serverId) => void told.regrouped.push(serverId),
      async setUp(server) {
        told.setUp.push(server.serverId);
        return { ...server, setupStatus: 'running' };
      },
    }),
  };
}

type Told = Pick<SwarmWorld<string>, 'brought' | 'regrouped' | 'setUp'>;

function machineAt(name: string, at: number): Machine {
  const [swarm, address] = [createSwarm(), `203.0.113.${at + 1}`];
  const nodeId = swarm.enter(name, 'manager', address);
  return { address, swarm, nodeId, isManager: true, isSilent: false, cannotReach: false };
}

const recordOf = (name: string, at: number): ServerRecord => ({
  ...plainServer,
  serverId: name,
  organizationId: 'o',
  name,
  ipAddress: `203.0.113.${at + 1}`,
  createdAt: '2026-01-01T00:00:00.000Z',
});

function serverOf(name: string, machines: Readonly<Record<string, Machine>>): ClusterServer {
  const machine = machines[name];
  if (!machine) throw new Error(`There is no machine ${name}.`);
  const silent = (): never => {
    throw new AppError('SERVICE_UNAVAILABLE', `The engine of ${name} does not answer.`);
  };
  /** Its swarm, of which it is a manager. */
  const managed = (): Swarm => (machine.swarm && isManager(machine) ? machine.swarm : silent());
  // Whatever else there is of engines is asked by nobody here.
  return {
    engine: {
      servicesWithTasks: () => managed().engine.servicesWithTasks(),
      serviceWithTasks: (service: string) => managed().engine.serviceWithTasks(service),
      restartService: (service: string) => managed().engine.restartService(service),
    },
    engineView: {
      swarmNodes: async () => managed().view.swarmNodes(),
      swarmServices: async () => managed().view.swarmServices(),
      swarmTasks: async () => managed().view.swarmTasks(),
    },
    shell: { name, address: machine.address, engine: shellOf(name, machine, machines, managed) },
  } as unknown as ClusterServer;
}

const isManager = ({ isSilent, isManager: manages }: Machine): boolean => manages && !isSilent;

function shellOf(
  name: string,
  machine: Machine,
  machines: Readonly<Record<string, Machine>>,
  managed: () => Swarm,
): ServerEngine {
  return {
    async info() {
      if (machine.isSilent) return undefined;
      const { address, nodeId, swarm } = machine;
      const state = swarm === undefined ? 'inactive' : 'active';
      const own = { state, isManager: machine.isManager, nodeAddress: address, nodeId, problem: '' };
      return { version: '20.10.24', apiVersion: '1.41', swarm: own };
    },
    initSwarm: async () => undefined,
    joinToken: async (role) => new Secret(role),
    async joinSwarm({ managerAddresses, advertiseAddress, token }) {
      const head = Object.values(machines).find(({ address }) => managerAddresses.includes(address));
      if (machine.cannotReach || !head?.swarm)
        throw new AppError('SERVICE_UNAVAILABLE', 'No manager answers.');
      const role: NodeRole = token.reveal() === 'manager' ? 'manager' : 'worker';
      machine.nodeId = head.swarm.enter(name, role, advertiseAddress);
      Object.assign(machine, { swarm: head.swarm, isManager: role === 'manager' });
    },
    leaveSwarm: async () => void Object.assign(machine, { swarm: undefined, nodeId: '' }),
    updateNode: (nodeId, change) => managed().nodes.updateNode(nodeId, change),
    removeNode: (nodeId, options) => managed().nodes.removeNode(nodeId, options),
  };
}
