import { imageLabel, releaseLabel, specLabel } from '../../../domain/names/labels.ts';
import { createHash } from 'node:crypto';
import type {
  ContainerOptions,
  HealthCheck,
  PublishedPort,
  ServiceSpec,
} from '../../../ports/engine/engine.ts';
import type { ServiceMount } from '../../../ports/engine/service-mount.ts';
import { managed, overriding } from './labels.ts';

export const nanosecondsPerMs = 1_000_000;

/** A crashed task is started again after this pause; Swarm knows no growing one. */
const restartDelayMs = 1_000;

/** How long the engine watches the former version when it goes back to it. */
const rollbackMonitorMs = 2_000;

/** What the engine knows and the specification does not. */
export interface SpecContext {
  /** What runs under `spec.image` (see pinned-image.ts). */
  image: string;
  /** Ids of the files' config objects, by name. */
  configIds: ReadonlyMap<string, string>;
  /** How many restarts were asked for so far. */
  restarts: number;
}

/** Docker's service specification (engine API, "Create a service"), as data. */
export type DockerServiceSpec = ReturnType<typeof toDockerSpec>;

export function toDockerSpec(spec: ServiceSpec, context: SpecContext) {
  const update = updateRule(spec);
  return {
    Name: spec.name,
    Labels: ownLabels(spec),
    TaskTemplate: { ...taskTemplate(spec, context, specDigest(spec)), ForceUpdate: context.restarts },
    Mode: { Replicated: { Replicas: spec.replicas } },
    UpdateConfig: update,
    RollbackConfig: { ...update, FailureAction: 'pause', Monitor: rollbackMonitorMs * nanosecondsPerMs },
    EndpointSpec: endpoint(spec.ports),
  };
}

/**
 * Digest (16 hexadecimal digits) of everything a task is made from; replicas, ports and update rules make no
 * new tasks and are not in it.
 */
export function specDigest(spec: ServiceSpec): string {
  return createHash('sha256')
    .update(JSON.stringify(taskTemplate(spec, { image: spec.image, configIds: new Map() }, '')))
    .digest('hex')
    .slice(0, 16);
}

/** Opaque name of the tasks made from a specification after so many restarts. */
export function generationOf(labels: Record<string, string>, restarts: number): string {
  return `${labels[specLabel] ?? ''}.${restarts}`;
}

/**
 * Name of the engine's config object for a file: by content, so that equal files share one and a changed file
 * is a new one.
 */
export function configName(content: string): string {
  return `berth-${createHash('sha256').update(content).digest('hex').slice(0, 24)}`;
}

function taskTemplate(spec: ServiceSpec, context: Pick<SpecContext, 'image' | 'configIds'>, digest: string) {
  return {
    ContainerSpec: containerSpec(spec, context, digest),
    Resources: {
      Limits: defined({
        MemoryBytes: spec.limits.memoryBytes,
        NanoCPUs: spec.limits.nanoCpus,
        Pids: spec.limits.pids,
      }),
      Reservations: defined({
        MemoryBytes: spec.reservations.memoryBytes,
        NanoCPUs: spec.reservations.nanoCpus,
      }),
    },
    RestartPolicy: {
      Condition: 'any',
      Delay: (spec.restartDelayMs ?? restartDelayMs) * nanosecondsPerMs,
      MaxAttempts: 0,
    },
    Placement: defined({
      Constraints: spec.constraints,
      Preferences: spec.spreadOver?.map((label) => ({ Spread: { SpreadDescriptor: label } })),
      MaxReplicas: spec.maxReplicasPerNode,
    }),
    Networks: spec.networks.map((name) => defined({ Target: name, Aliases: spec.aliases?.[name] })),
    LogDriver: {
      Name: spec.logging?.driver ?? 'json-file',
      Options: spec.logging?.options ?? { 'max-size': '10m', 'max-file': '3' },
    },
  };
}

function containerSpec(spec: ServiceSpec, context: Pick<SpecContext, 'image' | 'configIds'>, digest: string) {
  return defined({
    Image: context.image,
    Labels: containerLabels(spec, digest),
    Command: spec.command,
    Args: spec.args,
    Env: spec.env.map(literal),
    ...containerOptions(spec.container ?? {}),
    Init: spec.container?.init ?? true,
    StopGracePeriod: spec.stopGracePeriodMs * nanosecondsPerMs,
    Healthcheck: spec.healthCheck === undefined ? undefined : healthConfig(spec.healthCheck),
    Mounts: spec.mounts.map(mount),
    Configs: spec.files.map((file) => configReference(file, context.configIds)),
    // A container may stand in several networks (the proxy stands in all of them) and must pass nothing from
    // one to another; the kernel's default would (measured).
    Sysctls: { 'net.ipv4.ip_forward': '0', ...spec.sysctls },
  });
}

/** What overrides an image's labels is the same for all, so no part of the digest, which is made with ''. */
function containerLabels(spec: ServiceSpec, digest: string): Record<string, string> {
  const labels = { ...ownLabels(spec), [specLabel]: digest };
  return digest === '' ? labels : overriding(labels);
}

/** Docker's engine API, "Create a service", ContainerSpec. */
function containerOptions({
  hostname,
  user,
  groups,
  workingDirectory,
  readOnly,
  tty,
  stdinOpen,
  stopSignal,
  hosts,
  dns,
  capabilitiesAdded,
  capabilitiesDropped,
  ulimits,
}: ContainerOptions) {
  return defined({
    // The engine reads the host name as a template too.
    Hostname: hostname === undefined ? undefined : literal(hostname),
    User: user,
    Groups: groups,
    Dir: workingDirectory,
    ReadOnly: readOnly,
    TTY: tty,
    OpenStdin: stdinOpen,
    StopSignal: stopSignal,
    Hosts: hosts?.map(({ name, address }) => `${address} ${name}`),
    DNSConfig: dns && { Nameservers: dns.servers, Search: dns.search, Options: dns.options },
    CapabilityAdd: capabilitiesAdded,
    CapabilityDrop: capabilitiesDropped,
    Ulimits: ulimits?.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })),
  });
}

function ownLabels(spec: ServiceSpec): Record<string, string> {
  return managed({
    ...spec.labels,
    [imageLabel]: spec.image,
    ...(spec.release === undefined ? {} : { [releaseLabel]: spec.release }),
  });
}

function healthConfig(check: HealthCheck) {
  return {
    Test: check.test,
    Interval: check.intervalMs * nanosecondsPerMs,
    Timeout: check.timeoutMs * nanosecondsPerMs,
    Retries: check.retries,
    StartPeriod: check.startPeriodMs * nanosecondsPerMs,
  };
}

function mount(mount: ServiceMount) {
  return defined({
    Type: mount.type,
    Source: mount.type === 'tmpfs' ? undefined : literal(mount.source),
    Target: literal(mount.target),
    ReadOnly: mount.readOnly ?? false,
    VolumeOptions: mount.type === 'volume' ? { Labels: managed(mount.labels) } : undefined,
    TmpfsOptions:
      mount.type === 'tmpfs' ? defined({ SizeBytes: mount.sizeBytes, Mode: mount.mode }) : undefined,
  });
}

function configReference(file: ServiceSpec['files'][number], configIds: ReadonlyMap<string, string>) {
  const name = configName(file.content);
  return {
    File: { Name: file.path, UID: file.uid ?? '0', GID: file.gid ?? '0', Mode: file.mode ?? 0o444 },
    ConfigID: configIds.get(name) ?? '',
    ConfigName: name,
  };
}

/**
 * Text as it is: the engine reads variables and the paths of mounts as Go templates (Docker, "Create services
 * using templates"), in which this stands for two braces.
 */
function literal(text: string): string {
  return text.replaceAll('{{', '{{"{{"}}');
}

/** One task at a time; the first failure within the monitored time brings the former version back. */
function updateRule(spec: ServiceSpec) {
  return {
    Parallelism: spec.updatePace?.parallelism ?? 1,
    Delay: (spec.updatePace?.delayMs ?? 0) * nanosecondsPerMs,
    Order: spec.updateOrder,
    FailureAction: 'rollback',
    Monitor: spec.monitorMs * nanosecondsPerMs,
    MaxFailureRatio: 0,
  };
}

/**
 * DNS round robin, which needs no kernel load balancer; the engine refuses it beside ports of the routing
 * mesh, which get a virtual address.
 */
function endpoint(ports: readonly PublishedPort[]) {
  return {
    Mode: ports.some((port) => port.mode === 'ingress') ? 'vip' : 'dnsrr',
    Ports: ports.map((port) => ({
      Protocol: port.protocol,
      TargetPort: port.target,
      PublishedPort: port.published,
      PublishMode: port.mode,
    })),
  };
}

/** The object without its undefined members. */
function defined<T extends Record<string, unknown>>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<T>;
}
