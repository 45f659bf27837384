import { imageLabel, managedLabel, releaseLabel, specLabel } from '../../../domain/names/labels.ts';
import { createHash } from 'node:crypto';
import {
  serverNetwork,
  unconfined,
  type ContainerOptions,
  type PublishedPort,
  type ServiceSpec,
} from '../../../ports/engine/engine.ts';
import type { HealthCheck } from '../../../ports/engine/health-check.ts';
import { defaultsOf } from '../../../ports/engine/spec-defaults.ts';
import type { ServiceMount } from '../../../ports/engine/service-mount.ts';
import { overriding } from '../client/labels.ts';
import { ownedLabels, type Owner } from './ownership.ts';

export const nanosecondsPerMs = 1_000_000;

/** How long the engine watches the former version when it goes back to it. */
const rollbackMonitorMs = 2_000;

/** What the engine knows and the specification does not. */
export interface SpecContext {
  /** The installation that the service belongs to. */
  owner: Owner;
  /** What runs under `spec.image` (see pinned-image.ts). */
  image: string;
  /** Ids of the files' config objects and secrets, by their stores' names and theirs (`storedKey`). */
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
    Labels: ownedLabels(context.owner, ownLabels(spec)),
    TaskTemplate: {
      ...taskTemplate(spec, context, { owner: context.owner, digest: specDigest(spec) }),
      ForceUpdate: context.restarts,
    },
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
    .update(JSON.stringify(taskTemplate(spec, { image: spec.image, configIds: new Map() }, undefined)))
    .digest('hex')
    .slice(0, 16);
}

/** Opaque name of the tasks made from a specification after so many restarts. */
export function generationOf(labels: Record<string, string>, restarts: number): string {
  return `${labels[specLabel] ?? ''}.${restarts}`;
}

/**
 * Name of the engine's config object for a file: by content, so that equal files of an installation share one
 * and a changed file is a new one.
 */
export function configName(content: string, { installation }: Owner): string {
  return `berth-${installation}-${contentName(content)}`;
}

/** Where the engine keeps a file. */
export type FileStore = 'configs' | 'secrets';

export const storeOf = ({ isSecret }: { isSecret?: true }): FileStore =>
  isSecret === true ? 'secrets' : 'configs';

/** Key of a stored file in `SpecContext.configIds`. */
export const storedKey = (store: FileStore, name: string): string =>
  store === 'configs' ? name : `${store}/${name}`;

const contentName = (content: string): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 24);

/** What is known of tasks that are made, and is no part of the digest of what they are made from. */
interface Made {
  owner: Owner;
  digest: string;
}

function taskTemplate(
  spec: ServiceSpec,
  context: Pick<SpecContext, 'image' | 'configIds'>,
  made: Made | undefined,
) {
  const defaults = defaultsOf(spec);
  return {
    ContainerSpec: containerSpec(spec, context, made),
    Resources: {
      Limits: defined({
        MemoryBytes: spec.limits.memoryBytes,
        NanoCPUs: spec.limits.nanoCpus,
        Pids: spec.limits.pids ?? defaults.pids,
      }),
      Reservations: defined({
        MemoryBytes: spec.reservations.memoryBytes,
        NanoCPUs: spec.reservations.nanoCpus,
      }),
    },
    RestartPolicy: {
      Condition: spec.restart ?? 'any',
      Delay: (spec.restartDelayMs ?? defaults.restartDelayMs) * nanosecondsPerMs,
      MaxAttempts: 0,
    },
    Placement: defined({
      Constraints: spec.constraints,
      Preferences: spec.spreadOver?.map((label) => ({ Spread: { SpreadDescriptor: label } })),
      MaxReplicas: spec.maxReplicasPerNode,
    }),
    Networks: spec.networks.map((name) => defined({ Target: name, Aliases: spec.aliases?.[name] })),
    LogDriver: {
      Name: spec.logging?.driver ?? defaults.logging.driver,
      Options: spec.logging?.options ?? defaults.logging.options,
    },
  };
}

function containerSpec(
  spec: ServiceSpec,
  context: Pick<SpecContext, 'image' | 'configIds'>,
  made: Made | undefined,
) {
  const defaults = defaultsOf(spec);
  const { configs = [], secrets } = Object.groupBy(spec.files, storeOf);
  return defined({
    Image: context.image,
    Labels: containerLabels(spec, made),
    Command: spec.command,
    Args: spec.args,
    Env: spec.env.map(literal),
    ...containerOptions(spec.container ?? {}),
    Init: spec.container?.init ?? defaults.init,
    StopGracePeriod: spec.stopGracePeriodMs * nanosecondsPerMs,
    Healthcheck: spec.healthCheck === undefined ? undefined : healthConfig(spec.healthCheck),
    Mounts: spec.mounts.map((each) => mount(each, made?.owner)),
    Configs: configs.map((file) => configReference(file, context.configIds, made?.owner)),
    Secrets: secrets?.map((file) => secretReference(file, context.configIds, made?.owner)),
    Sysctls: sysctlsOf(spec),
  });
}

/** On the network of the server the engine refuses each setting of a network: it would be the server's. */
function sysctlsOf(spec: ServiceSpec): Record<string, string> {
  const all = { ...defaultsOf(spec).sysctls, ...spec.sysctls };
  if (!spec.networks.includes(serverNetwork)) return all;
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith('net.')));
}

/**
 * The owner and what overrides an image's labels are no part of the digest: it must stay the same when either
 * is added to an installation that runs already.
 */
function containerLabels(spec: ServiceSpec, made: Made | undefined): Record<string, string> {
  if (made === undefined) return { ...ownLabels(spec), [specLabel]: '' };
  return overriding(ownedLabels(made.owner, { ...ownLabels(spec), [specLabel]: made.digest }));
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
  ...security
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
    Privileges: privileges(security),
    Ulimits: ulimits?.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })),
  });
}

/** The engine takes a profile as JSON in Base64 (moby, api/types/swarm, SeccompOpts). */
function privileges({ noNewPrivileges, seccomp, apparmor }: ContainerOptions) {
  const options = defined({
    NoNewPrivileges: noNewPrivileges,
    Seccomp:
      seccomp === undefined
        ? undefined
        : seccomp === unconfined
          ? { Mode: 'unconfined' }
          : { Mode: 'custom', Profile: Buffer.from(seccomp).toString('base64') },
    AppArmor: apparmor && { Mode: 'disabled' },
  });
  return Object.keys(options).length === 0 ? undefined : options;
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
    ...(check.startIntervalMs !== undefined && {
      StartInterval: check.startIntervalMs * nanosecondsPerMs,
    }),
  };
}

/** These labels as they are in digests since before there were installations. */
const managed = (labels: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...labels,
  [managedLabel]: 'true',
});

function mount(mount: ServiceMount, owner: Owner | undefined) {
  return defined({
    Type: mount.type,
    Source: sourceOf(mount),
    Target: literal(mount.target),
    ReadOnly: mount.readOnly ?? false,
    VolumeOptions:
      mount.type === 'volume'
        ? defined({
            Labels: owner ? ownedLabels(owner, mount.labels) : managed(mount.labels),
            DriverConfig: mount.driverOptions && { Name: 'local', Options: mount.driverOptions },
          })
        : undefined,
    TmpfsOptions:
      mount.type === 'tmpfs' ? defined({ SizeBytes: mount.sizeBytes, Mode: mount.mode }) : undefined,
  });
}

/** The engine fills in the number of the slot (Docker's manual, "Create services using templates"). */
function sourceOf({ type, source, perSlot }: ServiceMount): string | undefined {
  if (type === 'tmpfs') return undefined;
  return perSlot ? `${literal(source)}-{{.Task.Slot}}` : literal(source);
}

type File = ServiceSpec['files'][number];

function configReference(file: File, ids: ReadonlyMap<string, string>, owner: Owner | undefined) {
  const name = storedName(file, owner);
  return { File: placeOf(file), ConfigID: ids.get(storedKey('configs', name)) ?? '', ConfigName: name };
}

function secretReference(file: File, ids: ReadonlyMap<string, string>, owner: Owner | undefined) {
  const name = storedName(file, owner);
  return { File: placeOf(file), SecretID: ids.get(storedKey('secrets', name)) ?? '', SecretName: name };
}

const storedName = ({ content }: File, owner: Owner | undefined): string =>
  owner ? configName(content, owner) : `berth-${contentName(content)}`;

const placeOf = ({ path, uid, gid, mode }: File) => ({
  Name: path,
  UID: uid ?? '0',
  GID: gid ?? '0',
  Mode: mode ?? 0o444,
});

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
