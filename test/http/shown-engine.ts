/** An engine view as its port says, holding what a test puts into it. */
import { AppError } from '../../server/src/domain/errors.ts';
import type {
  EngineView,
  ListedContainer,
  SwarmNode,
  SwarmService,
  SwarmTask,
} from '../../server/src/ports/engine/engine-view.ts';
import type { LogLine } from '../../server/src/ports/engine/engine.ts';

export interface ShownEngine extends EngineView {
  containers: (ListedContainer & { env: string[] })[];
  nodes: SwarmNode[];
  services: SwarmService[];
  tasks: SwarmTask[];
  /** Ids of containers that were restarted. */
  restarted: string[];
  /** What containers said, by their ids. */
  output: Map<string, LogLine[]>;
  isDown: boolean;
  isManager: boolean;
  info(): Promise<{
    version: string;
    nodeId: string;
    isManager: boolean;
    rootDirectory: string;
    cgroupVersion: string;
  }>;
}

export function shownEngine(): ShownEngine {
  const answer = async <T>(value: () => T): Promise<T> => {
    if (engine.isDown) throw new AppError('SERVICE_UNAVAILABLE', 'The container engine cannot be reached.');
    return value();
  };
  const engine: ShownEngine = {
    containers: [],
    nodes: [],
    services: [],
    tasks: [],
    restarted: [],
    output: new Map(),
    isDown: false,
    isManager: true,
    info: () =>
      answer(() => ({
        version: '20.10',
        nodeId: 'n1',
        isManager: engine.isManager,
        rootDirectory: '/var/lib/docker',
        cgroupVersion: '2',
      })),
    allContainers: () => answer(() => engine.containers.map(({ env: _env, ...listed }) => listed)),
    container: (idOrName) =>
      answer(() => {
        const found = engine.containers.find(({ id, name }) => id === idOrName || name === idOrName);
        return (
          found && {
            id: found.id,
            labels: found.labels,
            env: found.env,
            configuration: { Id: found.id, Config: { Env: found.env, Labels: found.labels } },
          }
        );
      }),
    restartContainer: (containerId) => answer(() => void engine.restarted.push(containerId)),
    async *containerLogs(containerId, { tail = Number.POSITIVE_INFINITY }) {
      const lines = await answer(() => engine.output.get(containerId) ?? []);
      yield* lines.slice(Math.max(0, lines.length - tail));
    },
    bridges: async () => [],
    containersBehind: async () => [],
    swarmNodes: () => answer(() => engine.nodes),
    swarmServices: () => answer(() => engine.services),
    swarmTasks: () => answer(() => engine.tasks),
  };
  return engine;
}

export function listedContainer(
  id: string,
  labels: Record<string, string>,
  change: Partial<ShownEngine['containers'][number]> = {},
): ShownEngine['containers'][number] {
  return {
    id,
    name: `${id}-name`,
    image: 'nginx:1',
    state: 'running',
    status: 'Up 3 hours',
    labels,
    ports: [],
    env: ['TOKEN=very-secret-value'],
    ...change,
  };
}

export function swarmNode(id: string, change: Partial<SwarmNode> = {}): SwarmNode {
  return {
    id,
    hostname: `host-${id}`,
    role: 'manager',
    availability: 'active',
    state: 'ready',
    message: '',
    address: '203.0.113.7',
    engineVersion: '20.10.24',
    engineLabels: { disk: 'ssd' },
    plugins: [{ type: 'Network', name: 'overlay' }],
    cpus: 2,
    memoryBytes: 4_000_000_000,
    labels: { zone: 'a' },
    os: 'linux',
    architecture: 'x86_64',
    manager: { leader: true, reachability: 'reachable', address: '203.0.113.7:2377' },
    createdAt: '2026-01-01T00:00:00Z',
    ...change,
  };
}

export function swarmService(
  id: string,
  labels: Record<string, string>,
  change: Partial<SwarmService> = {},
): SwarmService {
  const none = { cpus: null, memoryBytes: null };
  return {
    id,
    name: `${id}-name`,
    labels,
    image: 'nginx:1',
    command: [],
    args: ['--token=very-secret-value'],
    env: ['TOKEN=very-secret-value'],
    mounts: [],
    constraints: ['node.role==worker'],
    mode: 'replicated',
    running: 1,
    desired: 1,
    networks: ['berth-e1'],
    ports: [{ published: 8080, target: 80, protocol: 'tcp', mode: 'ingress' }],
    limits: { cpus: 0.5, memoryBytes: 1_000_000 },
    reservations: none,
    update: undefined,
    ...change,
  };
}

export function swarmTask(id: string, serviceId: string, change: Partial<SwarmTask> = {}): SwarmTask {
  return {
    id,
    serviceId,
    nodeId: 'n1',
    slot: 1,
    image: 'nginx:1',
    configuration: swarmService(serviceId, {}),
    state: 'running',
    desiredState: 'running',
    message: 'started',
    containerId: `container-${id}`,
    labels: {},
    stateAt: '2026-01-01T00:00:00Z',
    ...change,
  };
}
