/** What the engine in memory says of its things, in the form of Docker's answers. */
import { imageLabel } from '../../../server/src/domain/names/labels.ts';
import { members } from '../networks.ts';
import {
  engineTime,
  type Config,
  type Container,
  type Image,
  type Network,
  type Service,
  type State,
  type Task,
} from '../state.ts';

export function serviceJson(state: State, service: Service, withStatus: boolean): Record<string, unknown> {
  const tasks = [...state.tasks.values()].filter(({ serviceId }) => serviceId === service.id);
  const wanted = tasks.filter(({ desired }) => desired === 'running');
  const ports = service.spec.EndpointSpec?.Ports ?? [];
  return {
    ID: service.id,
    Version: { Index: service.version },
    CreatedAt: engineTime(service.createdAt),
    Spec: service.spec,
    ...(service.previous === undefined ? {} : { PreviousSpec: service.previous }),
    Endpoint: { Ports: ports },
    ...(service.update === undefined
      ? {}
      : {
          UpdateStatus: {
            State: service.update.state,
            Message: service.update.message,
            StartedAt: engineTime(service.update.startedAt),
          },
        }),
    ...(withStatus
      ? {
          ServiceStatus: {
            RunningTasks: wanted.filter(({ state: name }) => name === 'running').length,
            DesiredTasks: service.spec.Mode.Replicated?.Replicas ?? 1,
          },
        }
      : {}),
  };
}

export function taskJson(task: Task): Record<string, unknown> {
  return {
    ID: task.id,
    CreatedAt: engineTime(task.createdAt, task.order),
    ServiceID: task.serviceId,
    NodeID: task.nodeId,
    Slot: task.slot,
    DesiredState: task.desired,
    Spec: task.template,
    Status: {
      State: task.state,
      Timestamp: engineTime(task.stateAt),
      Message: task.state,
      Err: task.error,
      ...(task.container === undefined
        ? {}
        : { ContainerStatus: { ContainerID: task.container.id, ExitCode: task.exitCode ?? 0 } }),
    },
  };
}

export function networkJson(network: Network): Record<string, unknown> {
  return {
    Id: network.id,
    Name: network.name,
    Driver: network.driver,
    Labels: network.labels,
    Options: network.options,
    IPAM: {
      Config: network.subnets.map((subnet) => ({
        Subnet: subnet,
        ...(subnet === network.subnet ? { IPRange: network.range } : {}),
      })),
    },
  };
}

export function networkWithMembersJson(state: State, network: Network): Record<string, unknown> {
  const bits = network.subnet.split('/')[1] ?? '24';
  const own = members(state, network).map((container): [string, unknown] => [
    container.id,
    { Name: container.name, IPv4Address: `${container.networks.get(network.id)}/${bits}` },
  ]);
  const [base = ''] = network.subnet.split('/');
  // The node itself stands on the network too, for its load balancer.
  return {
    ...networkJson(network),
    Containers: own.length === 0 ? {} : Object.fromEntries([...own, ['lb-node', loadBalancer(base, bits)]]),
  };
}

function loadBalancer(base: string, bits: string): unknown {
  const [a, b, c, d = '0'] = base.split('.');
  return {
    Name: 'endpoint',
    IPv4Address: `${a}.${b}.${c}.${Number(d) + 2 ** (31 - Number(bits)) - 1}/${bits}`,
  };
}

const networkNames = (state: State, container: Container): Record<string, unknown> =>
  Object.fromEntries(
    [...container.networks].map(([id, address]) => [
      state.networks.get(id)?.name ?? id,
      { NetworkID: id, IPAddress: address },
    ]),
  );

export function containerJson(state: State, container: Container): Record<string, unknown> {
  return {
    Id: container.id,
    Names: [`/${container.name}`],
    Image: container.labels[imageLabel] ?? container.imageName,
    State: container.state,
    Status: statusOf(container),
    Labels: container.labels,
    Created: Math.floor(container.createdAt / 1000),
    Ports: [],
    NetworkSettings: { Networks: networkNames(state, container) },
  };
}

function statusOf({ state, startedAt, exitCode, health }: Container): string {
  if (state !== 'running') return state === 'exited' ? `Exited (${exitCode}) 1 second ago` : 'Created';
  const seconds = Math.max(1, Math.floor((Date.now() - startedAt) / 1000));
  return `Up ${seconds} seconds${health === 'none' ? '' : ` (${health})`}`;
}

export function inspectJson(state: State, container: Container): Record<string, unknown> {
  return {
    Id: container.id,
    Name: `/${container.name}`,
    Created: engineTime(container.createdAt),
    Image: container.image?.id ?? '',
    Config: {
      Image: container.imageName,
      Labels: container.labels,
      Env: Object.entries(container.env).map(([name, value]) => `${name}=${value}`),
      Cmd: container.argv,
    },
    HostConfig: { Memory: container.memoryBytes ?? 0, RestartPolicy: { Name: container.restart } },
    State: {
      Status: container.state,
      Running: container.state === 'running',
      ExitCode: container.exitCode,
      OOMKilled: container.outOfMemory,
      Error: '',
      StartedAt: engineTime(container.startedAt),
      FinishedAt: engineTime(container.finishedAt),
    },
    NetworkSettings: { Networks: networkNames(state, container) },
  };
}

export function listedImageJson(image: Image): Record<string, unknown> {
  return { Id: image.id, RepoTags: [...image.tags], Created: Math.floor(image.createdAt / 1000) };
}

export function imageJson(image: Image): Record<string, unknown> {
  const { content } = image;
  return {
    Id: image.id,
    RepoTags: [...image.tags],
    RepoDigests: [...image.digests],
    Created: engineTime(image.createdAt),
    Size: content.sizeBytes ?? 1_000_000,
    Config: {
      Labels: content.labels ?? {},
      ...(content.volumes === undefined
        ? {}
        : { Volumes: Object.fromEntries(content.volumes.map((path) => [path, {}])) }),
      ExposedPorts: Object.fromEntries((content.exposedPorts ?? []).map((port) => [port, {}])),
      ...(content.healthCheck === undefined ? {} : { Healthcheck: { Test: content.healthCheck } }),
      Env: Object.entries(content.env ?? {}).map(([name, value]) => `${name}=${value}`),
    },
  };
}

export function configJson(config: Config): Record<string, unknown> {
  return {
    ID: config.id,
    CreatedAt: engineTime(config.createdAt),
    Spec: { Name: config.name, Labels: config.labels },
  };
}

export function nodeJson(state: State, version: string): Record<string, unknown> {
  return {
    ID: state.nodeId,
    CreatedAt: engineTime(0),
    Spec: { Role: 'manager', Availability: 'active', Labels: {} },
    Description: {
      Hostname: state.hostname,
      Platform: { OS: 'linux', Architecture: 'x86_64' },
      Resources: { NanoCPUs: 2e9, MemoryBytes: 8 * 2 ** 30 },
      Engine: { EngineVersion: version, Labels: {}, Plugins: [{ Type: 'Network', Name: 'overlay' }] },
    },
    Status: { State: 'ready', Message: '', Addr: '192.0.2.1' },
    ManagerStatus: { Leader: true, Reachability: 'reachable', Addr: '192.0.2.1:2377' },
  };
}
