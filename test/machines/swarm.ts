/** A swarm of several nodes, as far as clusters ask for it. The engine in memory has one node. */
import { AppError } from '../../server/src/domain/errors.ts';
import type { RunningService } from '../../server/src/ports/engine/engine.ts';
import type { EngineView, SwarmNode } from '../../server/src/ports/engine/engine-view.ts';
import type { NodeRole, ServerEngine } from '../../server/src/ports/host/server-shell.ts';

export interface Running {
  labels: Readonly<Record<string, string>>;
  /** No other node takes it. */
  staysOn?: boolean;
}

export interface Swarm {
  /** Gives the id of the new node; its tasks are placed by its name. */
  enter(name: string, role: NodeRole, address: string): string;
  /** Nothing answers on it any more. */
  lose(nodeId: string): void;
  /** Runs a service with a task on each of the nodes named. */
  add(service: string, running: Running, nodes?: readonly string[]): void;
  /** Names of the nodes with a task of the service. */
  placesOf(service: string): string[];
  /** From now on so many looks find a new manager still on its way. */
  promoteAfter(looks: number): void;
  view: Pick<EngineView, 'swarmNodes' | 'swarmServices' | 'swarmTasks'>;
  engine: {
    servicesWithTasks(): Promise<RunningService[]>;
    serviceWithTasks(name: string): Promise<RunningService>;
    restartService(name: string): Promise<void>;
  };
  /** Of a manager. */
  nodes: Pick<ServerEngine, 'updateNode' | 'removeNode'>;
}

interface Service extends Running {
  tasks: { id: string; nodeId: string; state: string; desiredState: string; serviceId: string }[];
}

export function createSwarm(): Swarm {
  const services = new Map<string, Service>();
  const present = createNodes();
  const { all, found } = present;
  const idOf = (name: string): string => [...all.values()].find((one) => one.hostname === name)?.id ?? '';
  const running = (name: string): RunningService =>
    // Whatever else there is of a running service is asked by nobody here.
    ({
      service: { name, labels: services.get(name)?.labels ?? {}, update: undefined },
      tasks: services.get(name)?.tasks ?? [],
    }) as unknown as RunningService;
  return {
    ...present,
    add(name, { labels, staysOn = false }, places = []) {
      const tasks = places.map((place, at) => taskOn(name, idOf(place), at));
      services.set(name, { labels, staysOn, tasks });
    },
    placesOf: (name) => (services.get(name)?.tasks ?? []).map(({ nodeId }) => found(nodeId).hostname),
    view: {
      swarmNodes: async () => present.shown(),
      swarmServices: async () =>
        [...services].map(([name, { labels }]) => ({ id: name, name, labels })) as never,
      swarmTasks: async () => [...services.values()].flatMap(({ tasks }) => tasks) as never,
    },
    engine: {
      servicesWithTasks: async () => [...services.keys()].map(running),
      serviceWithTasks: async (name) => running(name),
      async restartService(name) {
        const service = services.get(name);
        const free = [...all.values()].find(({ availability }) => availability === 'active');
        if (!service || service.staysOn || !free) return;
        for (const task of service.tasks)
          if (found(task.nodeId).availability !== 'active') task.nodeId = free.id;
      },
    },
  };
}

interface Nodes extends Pick<Swarm, 'enter' | 'lose' | 'nodes' | 'promoteAfter'> {
  all: Map<string, SwarmNode>;
  found(nodeId: string): SwarmNode;
  /** As a manager shows them: one that is on its way is none yet. */
  shown(): SwarmNode[];
}

function createNodes(): Nodes {
  const all = new Map<string, SwarmNode>();
  const waits = new Map<string, number>();
  let looks = 0;
  const found = (nodeId: string): SwarmNode => {
    const node = all.get(nodeId);
    if (!node) throw new AppError('NOT_FOUND', 'There is no such node.');
    return node;
  };
  const shown = (node: SwarmNode): SwarmNode => {
    const left = waits.get(node.id) ?? 0;
    waits.set(node.id, left - 1);
    return left > 0 ? { ...node, manager: undefined } : { ...node };
  };
  return {
    all,
    found,
    shown: () => [...all.values()].map(shown),
    promoteAfter: (count) => void (looks = count),
    enter(name, role, address) {
      const id = `node-${all.size + 1}-${name}`;
      all.set(id, { ...plainNode(id, name, address), role, manager: managerOf(role, address) });
      return id;
    },
    lose: (nodeId) => void (found(nodeId).state = 'down'),
    nodes: {
      async updateNode(nodeId, { role, availability }) {
        const node = found(nodeId);
        if (availability) node.availability = availability;
        if (role === undefined || role === node.role) return;
        if (role === 'worker' && (waits.get(nodeId) ?? 0) > 0)
          throw new AppError('PRECONDITION_FAILED', 'It is no manager yet.');
        Object.assign(node, { role, manager: managerOf(role, node.address) });
        if (role === 'manager') waits.set(nodeId, looks);
      },
      async removeNode(nodeId) {
        if (all.get(nodeId)?.role === 'manager')
          throw new AppError('PRECONDITION_FAILED', 'It is a manager.');
        all.delete(nodeId);
      },
    },
  };
}

const managerOf = (role: NodeRole, address: string): SwarmNode['manager'] =>
  role === 'manager' ? { leader: false, reachability: 'reachable', address: `${address}:2377` } : undefined;

const taskOn = (serviceId: string, nodeId: string, at: number): Service['tasks'][number] => ({
  id: `${serviceId}-${at}`,
  nodeId,
  state: 'running',
  desiredState: 'running',
  serviceId,
});

const plainNode = (id: string, hostname: string, address: string): SwarmNode => ({
  id,
  hostname,
  address,
  role: 'worker',
  availability: 'active',
  state: 'ready',
  message: '',
  engineVersion: '20.10.24',
  engineLabels: {},
  plugins: [],
  cpus: 2,
  memoryBytes: 4e9,
  labels: {},
  os: 'linux',
  architecture: 'x86_64',
  manager: undefined,
  createdAt: id,
});
