import type { z } from 'zod';
import type {
  EngineView,
  InspectedContainer,
  ListedContainer,
  Resources,
  SwarmNode,
  SwarmService,
  SwarmTask,
} from '../../ports/engine-view.ts';
import { createEngineClient, segment } from './engine-client.ts';
import type { EngineClient } from './engine-client.ts';
import { isAbsent } from './engine-error.ts';
import { imageLabel } from './service-spec.ts';
import {
  inspectedContainerAnswer,
  listedContainersAnswer,
  networkNamesAnswer,
  nodesAnswer,
  shownServicesAnswer,
  shownTasksAnswer,
} from './view-answers.ts';

const nanoCpus = 1e9;
const restartLimitMs = 60_000;

/** The engine as it is, over the same socket as the port it is beside. */
export function createEngineView({ socketPath }: { socketPath: string }): EngineView {
  const client = createEngineClient(socketPath);
  return {
    async allContainers() {
      const containers = await client.call(
        { method: 'GET', path: '/containers/json', query: { all: true }, doing: 'listing containers' },
        listedContainersAnswer,
      );
      return containers.sort((left, right) => right.Created - left.Created).map(listedContainer);
    },
    container: (idOrName) => inspect(client, idOrName),
    restartContainer: (containerId) =>
      client.send({
        method: 'POST',
        path: `/containers/${segment(containerId)}/restart`,
        doing: 'restarting a container',
        limitMs: restartLimitMs,
      }),
    async swarmNodes() {
      return (
        await client.call(
          { method: 'GET', path: '/nodes', doing: 'listing the nodes of the swarm' },
          nodesAnswer,
        )
      )
        .sort(newestFirst)
        .map(swarmNode);
    },
    async swarmServices() {
      const [services, networks] = await Promise.all([
        client.call(
          { method: 'GET', path: '/services', query: { status: true }, doing: 'listing services' },
          shownServicesAnswer,
        ),
        client.call({ method: 'GET', path: '/networks', doing: 'listing networks' }, networkNamesAnswer),
      ]);
      const names = new Map(networks.map(({ Id, Name }) => [Id, Name]));
      return services.sort(newestFirst).map((service) => swarmService(service, names));
    },
    async swarmTasks() {
      return (await client.call({ method: 'GET', path: '/tasks', doing: 'listing tasks' }, shownTasksAnswer))
        .sort(newestFirst)
        .map(swarmTask);
    },
  };
}

async function inspect(client: EngineClient, idOrName: string): Promise<InspectedContainer | undefined> {
  try {
    const answer = await client.call(
      { method: 'GET', path: `/containers/${segment(idOrName)}/json`, doing: 'reading a container' },
      inspectedContainerAnswer,
    );
    return { id: answer.Id, labels: answer.Config.Labels, env: answer.Config.Env, configuration: answer };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function newestFirst(
  left: { CreatedAt: string; ID: string },
  right: { CreatedAt: string; ID: string },
): number {
  const [mine, other] = [`${left.CreatedAt} ${left.ID}`, `${right.CreatedAt} ${right.ID}`];
  return mine < other ? 1 : mine > other ? -1 : 0;
}

function listedContainer(answer: z.infer<typeof listedContainersAnswer>[number]): ListedContainer {
  return {
    id: answer.Id,
    name: (answer.Names[0] ?? '').replace(/^\//, ''),
    image: answer.Labels[imageLabel] ?? answer.Image,
    state: answer.State,
    status: answer.Status,
    labels: answer.Labels,
    ports: answer.Ports.map(({ IP, PublicPort, PrivatePort, Type }) => ({
      address: IP || undefined,
      published: PublicPort,
      target: PrivatePort,
      protocol: Type,
    })),
  };
}

function swarmNode({
  ID,
  CreatedAt,
  Spec: spec,
  Description: description,
  Status: status,
  ManagerStatus: manager,
}: z.infer<typeof nodesAnswer>[number]): SwarmNode {
  return {
    id: ID,
    hostname: description.Hostname,
    role: spec.Role,
    availability: spec.Availability,
    state: status.State,
    message: status.Message,
    address: status.Addr,
    engineVersion: description.Engine.EngineVersion,
    engineLabels: description.Engine.Labels,
    plugins: description.Engine.Plugins.map(({ Type, Name }) => ({ type: Type, name: Name })),
    cpus: description.Resources.NanoCPUs / nanoCpus,
    memoryBytes: description.Resources.MemoryBytes,
    labels: spec.Labels,
    os: description.Platform.OS,
    architecture: description.Platform.Architecture,
    manager: manager
      ? { leader: manager.Leader, reachability: manager.Reachability, address: manager.Addr }
      : undefined,
    createdAt: CreatedAt,
  };
}

function swarmService(
  {
    ID,
    Spec: spec,
    Endpoint: endpoint,
    ServiceStatus: status,
    UpdateStatus: update,
  }: z.infer<typeof shownServicesAnswer>[number],
  networkNames: ReadonlyMap<string, string>,
): SwarmService {
  const {
    ContainerSpec: container,
    Placement: placement,
    Resources: needs,
    Networks: own,
  } = spec.TaskTemplate;
  return {
    id: ID,
    name: spec.Name,
    labels: spec.Labels,
    image: spec.Labels[imageLabel] ?? container?.Image ?? '',
    command: container?.Command ?? [],
    args: container?.Args ?? [],
    env: container?.Env ?? [],
    mounts: (container?.Mounts ?? []).map(({ Type, Source, Target, ReadOnly }) => ({
      type: Type,
      source: Source,
      target: Target,
      readOnly: ReadOnly,
    })),
    constraints: placement?.Constraints ?? [],
    mode: modeOf(spec.Mode),
    running: status?.RunningTasks ?? 0,
    desired: status?.DesiredTasks ?? 0,
    networks: [...own, ...spec.Networks].map(({ Target }) => networkNames.get(Target) ?? Target),
    ports: (endpoint?.Ports ?? []).map(({ PublishedPort, TargetPort, Protocol, PublishMode }) => ({
      published: PublishedPort,
      target: TargetPort,
      protocol: Protocol,
      mode: PublishMode,
    })),
    limits: resourcesOf(needs?.Limits),
    reservations: resourcesOf(needs?.Reservations),
    update: update?.State,
  };
}

function modeOf(mode: {
  Global?: unknown;
  ReplicatedJob?: unknown;
  GlobalJob?: unknown;
}): SwarmService['mode'] {
  if (mode.Global !== undefined) return 'global';
  if (mode.ReplicatedJob !== undefined) return 'replicated-job';
  return mode.GlobalJob === undefined ? 'replicated' : 'global-job';
}

function resourcesOf(
  answer:
    | { NanoCPUs?: number | null | undefined; MemoryBytes?: number | null | undefined }
    | null
    | undefined,
): Resources {
  return {
    cpus: answer?.NanoCPUs ? answer.NanoCPUs / nanoCpus : null,
    memoryBytes: answer?.MemoryBytes || null,
  };
}

function swarmTask(answer: z.infer<typeof shownTasksAnswer>[number]): SwarmTask {
  const { ContainerSpec: container } = answer.Spec;
  return {
    id: answer.ID,
    serviceId: answer.ServiceID,
    nodeId: answer.NodeID,
    slot: answer.Slot,
    image: container?.Labels[imageLabel] ?? container?.Image ?? '',
    state: answer.Status.State,
    desiredState: answer.DesiredState,
    message: answer.Status.Err || answer.Status.Message,
    containerId: answer.Status.ContainerStatus?.ContainerID || undefined,
    labels: container?.Labels ?? {},
    stateAt: answer.Status.Timestamp,
  };
}
