import { imageLabel } from '../../../domain/names/labels.ts';
import type { z } from 'zod';
import type {
  BridgedContainer,
  EngineView,
  InspectedContainer,
  ListedContainer,
  Resources,
  SwarmNode,
  SwarmService,
  SwarmTask,
  TaskConfiguration,
} from '../../../ports/engine/engine-view.ts';
import { clientAt, segment } from '../client/engine-client.ts';
import type { EngineAddress, EngineClient } from '../client/engine-client.ts';
import { isAbsent } from '../client/engine-error.ts';
import { containerLogs } from '../logs/container-logs.ts';
import {
  inspectedContainerAnswer,
  listedContainersAnswer,
  networkNamesAnswer,
  bridgesAnswer,
  networkMembersAnswer,
  nodesAnswer,
  shownServicesAnswer,
  shownTasksAnswer,
  type taskSpec,
} from './view-answers.ts';

const nanoCpus = 1e9;
/** Docker's manual, "Bridge network driver"; without it the interface is named by the network's id. */
const bridgeNameOption = 'com.docker.network.bridge.name';
const restartLimitMs = 60_000;

/** The engine as it is, at the same address as the port it is beside. */
export function createEngineView(address: EngineAddress): EngineView {
  const client = clientAt(address);
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
    containerLogs: (containerId, options) => containerLogs(client, containerId, options),
    async bridges() {
      const query = { filters: { driver: ['bridge'] } };
      const networks = await client.call(
        { method: 'GET', path: '/networks', query, doing: 'listing networks' },
        bridgesAnswer,
      );
      return networks.map(({ Id, Options }) => Options?.[bridgeNameOption] ?? `br-${Id.slice(0, 12)}`);
    },
    containersBehind: (bridge) => containersBehind(client, bridge),
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
      const [services, names] = await Promise.all([
        client.call(
          { method: 'GET', path: '/services', query: { status: true }, doing: 'listing services' },
          shownServicesAnswer,
        ),
        namesOfNetworks(client),
      ]);
      return services.sort(newestFirst).map((service) => swarmService(service, names));
    },
    async swarmTasks() {
      const [tasks, names] = await Promise.all([
        client.call({ method: 'GET', path: '/tasks', doing: 'listing tasks' }, shownTasksAnswer),
        namesOfNetworks(client),
      ]);
      return tasks.sort(newestFirst).map((task) => swarmTask(task, names));
    },
  };
}

/** The network first: a container that it shows is in the later list, unless it has ended. */
async function containersBehind(client: EngineClient, bridge: string): Promise<BridgedContainer[]> {
  const members = await membersOf(client, bridge);
  if (members.size === 0) return [];
  const containers = await client.call(
    { method: 'GET', path: '/containers/json', doing: 'listing running containers' },
    listedContainersAnswer,
  );
  // By labels of its image as well: what runs an organization's image is walled in as that organization is.
  return containers.flatMap(({ Id, AllLabels }) => {
    const addresses = members.get(Id);
    return addresses ? [{ addresses, labels: AllLabels }] : [];
  });
}

async function membersOf(client: EngineClient, bridge: string): Promise<Map<string, string[]>> {
  try {
    const { Containers } = await client.call(
      { method: 'GET', path: `/networks/${segment(bridge)}`, doing: `reading the network ${bridge}` },
      networkMembersAnswer,
    );
    return new Map(
      Object.entries(Containers ?? {}).map(([id, { IPv4Address, IPv6Address }]) => [
        id,
        [IPv4Address, IPv6Address].map((address) => address.split('/')[0] ?? '').filter((one) => one !== ''),
      ]),
    );
  } catch (error) {
    if (isAbsent(error)) return new Map();
    throw error;
  }
}

async function namesOfNetworks(client: EngineClient): Promise<ReadonlyMap<string, string>> {
  const networks = await client.call(
    { method: 'GET', path: '/networks', doing: 'listing networks' },
    networkNamesAnswer,
  );
  return new Map(networks.map(({ Id, Name }) => [Id, Name]));
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
  return {
    id: ID,
    name: spec.Name,
    labels: spec.Labels,
    ...configurationOf(
      { ...spec.TaskTemplate, Networks: [...spec.TaskTemplate.Networks, ...spec.Networks] },
      spec.Labels,
      networkNames,
    ),
    mode: modeOf(spec.Mode),
    running: status?.RunningTasks ?? 0,
    desired: status?.DesiredTasks ?? 0,
    ports: (endpoint?.Ports ?? []).map(({ PublishedPort, TargetPort, Protocol, PublishMode }) => ({
      published: PublishedPort,
      target: TargetPort,
      protocol: Protocol,
      mode: PublishMode,
    })),
    update: update?.State,
  };
}

/** `named` are the labels that tell an image by the name it was asked for. */
function configurationOf(
  { ContainerSpec: container, Placement, Resources: needs, Networks }: z.infer<typeof taskSpec>,
  named: Readonly<Record<string, string>>,
  networkNames: ReadonlyMap<string, string>,
): TaskConfiguration {
  return {
    image: named[imageLabel] ?? container?.Image ?? '',
    command: container?.Command ?? [],
    args: container?.Args ?? [],
    env: container?.Env ?? [],
    mounts: (container?.Mounts ?? []).map(({ Type, Source, Target, ReadOnly }) => ({
      type: Type,
      source: Source,
      target: Target,
      readOnly: ReadOnly,
    })),
    constraints: Placement?.Constraints ?? [],
    networks: Networks.map(({ Target }) => networkNames.get(Target) ?? Target),
    limits: resourcesOf(needs?.Limits),
    reservations: resourcesOf(needs?.Reservations),
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

function swarmTask(
  answer: z.infer<typeof shownTasksAnswer>[number],
  networkNames: ReadonlyMap<string, string>,
): SwarmTask {
  const { ContainerSpec: container } = answer.Spec;
  const configuration = configurationOf(answer.Spec, container?.Labels ?? {}, networkNames);
  return {
    id: answer.ID,
    serviceId: answer.ServiceID,
    nodeId: answer.NodeID,
    slot: answer.Slot,
    image: configuration.image,
    configuration,
    state: answer.Status.State,
    desiredState: answer.DesiredState,
    message: answer.Status.Err || answer.Status.Message,
    containerId: answer.Status.ContainerStatus?.ContainerID || undefined,
    labels: container?.Labels ?? {},
    stateAt: answer.Status.Timestamp,
  };
}
