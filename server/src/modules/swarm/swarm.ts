/** The swarm of this server, read from its engine. */
import { flatError } from '../../domain/errors.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { EngineView, SwarmNode, SwarmService } from '../../ports/engine/engine-view.ts';
import type { Actor } from '../../procedure/context.ts';
import { isPlatform, type Sight } from '../sight/sight.ts';

export interface ShownNode
  extends Pick<SwarmNode, 'id' | 'hostname' | 'role' | 'availability' | 'state' | 'labels'> {
  version: string;
  resources: { cpus: number; memoryBytes: number };
  platform: { os: string; architecture: string };
  leader: boolean;
}

export interface ShownNodeDetails extends ShownNode {
  specification: Pick<SwarmNode, 'role' | 'availability' | 'labels'>;
  status: Pick<SwarmNode, 'state' | 'message' | 'address'>;
  managerStatus: NonNullable<SwarmNode['manager']> | null;
  engine: { version: string; labels: Record<string, string>; plugins: SwarmNode['plugins'] };
  constraints: string[];
  createdAt: string;
}

export interface ShownApp extends Pick<SwarmService, 'id' | 'name' | 'mode' | 'image' | 'networks'> {
  stack: string | null;
  replicas: { running: number; desired: number };
  nodes: string[];
  ports: { published: number | null; target: number; protocol: string; mode: string }[];
  resources: Pick<SwarmService, 'limits' | 'reservations'>;
  status: 'running' | 'updating' | 'degraded' | 'stopped';
  isPlatform: boolean;
}

export interface Swarm {
  /** Newest first. This and the others refuse with "Swarm not available" where the engine manages none. */
  nodes(): Promise<ShownNode[]>;
  /** "Node not found" for an id that the swarm does not have. */
  node(nodeId: string): Promise<ShownNodeDetails>;
  /** What the caller sees, newest first. */
  apps(actor: Actor): Promise<ShownApp[]>;
}

/** The swarm of one server. */
export function createSwarm(
  { engine, engineView: view }: { engine: Pick<Engine, 'info'>; engineView: EngineView },
  sight: Sight,
): Swarm {
  async function requireSwarm(): Promise<void> {
    if (!(await engine.info()).isManager)
      throw flatError(
        'Swarm not available',
        'This server is not a swarm manager. Run Berth\'s set-up again, or "docker swarm init" on it.',
      );
  }
  return {
    async nodes() {
      await requireSwarm();
      return (await view.swarmNodes()).map(shown);
    },
    async node(nodeId) {
      await requireSwarm();
      const node = (await view.swarmNodes()).find(({ id }) => id === nodeId);
      if (!node)
        throw flatError(
          'Node not found',
          'There is no node with this id in the swarm. swarm.getNodes lists the nodes.',
        );
      return details(node);
    },
    async apps(actor) {
      await requireSwarm();
      const [services, tasks, nodes, sees] = await Promise.all([
        view.swarmServices(),
        view.swarmTasks(),
        view.swarmNodes(),
        sight(actor),
      ]);
      const hostnames = new Map(nodes.map(({ id, hostname }) => [id, hostname]));
      const running = Map.groupBy(
        tasks.filter(({ state }) => state === 'running'),
        ({ serviceId }) => serviceId,
      );
      return services
        .filter(({ labels }) => sees(labels))
        .map((service) =>
          app(
            service,
            [
              ...new Set(
                (running.get(service.id) ?? []).map(({ nodeId }) => hostnames.get(nodeId) ?? nodeId),
              ),
            ].toSorted(),
          ),
        );
    },
  };
}

function shown({
  id,
  hostname,
  role,
  availability,
  state,
  engineVersion,
  cpus,
  memoryBytes,
  labels,
  os,
  architecture,
  manager,
}: SwarmNode): ShownNode {
  return {
    id,
    hostname,
    role,
    availability,
    state,
    version: engineVersion,
    resources: { cpus, memoryBytes },
    labels,
    platform: { os, architecture },
    leader: manager?.leader ?? false,
  };
}

function details(node: SwarmNode): ShownNodeDetails {
  const {
    role,
    availability,
    labels,
    state,
    message,
    address,
    manager,
    engineVersion,
    engineLabels,
    plugins,
    createdAt,
  } = node;
  return {
    ...shown(node),
    specification: { role, availability, labels },
    status: { state, message, address },
    managerStatus: manager ?? null,
    engine: { version: engineVersion, labels: engineLabels, plugins },
    constraints: constraintsOf(node),
    createdAt,
  };
}

/** Docker's manual, "docker service create", placement constraints. */
function constraintsOf({ id, hostname, role, os, architecture, labels, engineLabels }: SwarmNode): string[] {
  const named = (prefix: string, values: Record<string, string>): string[] =>
    Object.entries(values).map(([name, value]) => `${prefix}.${name}==${value}`);
  return [
    `node.id==${id}`,
    `node.hostname==${hostname}`,
    `node.role==${role}`,
    `node.platform.os==${os}`,
    `node.platform.arch==${architecture}`,
    ...named('node.labels', labels),
    ...named('engine.labels', engineLabels),
  ];
}

function app(service: SwarmService, nodes: string[]): ShownApp {
  const { id, name, mode, image, networks, running, desired, ports, limits, reservations, labels } = service;
  return {
    id,
    name,
    stack: labels['com.docker.stack.namespace'] ?? null,
    mode,
    replicas: { running, desired },
    image,
    nodes,
    networks,
    ports: ports.map((port) => ({ ...port, published: port.published ?? null })),
    resources: { limits, reservations },
    status: statusOf(service),
    isPlatform: isPlatform(labels),
  };
}

function statusOf({ update, running, desired }: SwarmService): ShownApp['status'] {
  if (update === 'updating' || update === 'rollback_started') return 'updating';
  if (desired === 0) return 'stopped';
  return running < desired ? 'degraded' : 'running';
}
