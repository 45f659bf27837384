/**
 * What Berth asks of a container engine (Docker Swarm mode). Times are milliseconds, memory is bytes, CPU is
 * nano-CPUs.
 */
import type { HealthCheck } from './health-check.ts';
import type { EngineDisk } from './engine-disk.ts';
import type {
  ExecProgram,
  ExecResult,
  InteractiveProgram,
  ProgramConnection,
  ProgramSpec,
  ProgramStreams,
} from './engine-program.ts';
import type { ContainerEnd } from './container-end.ts';
import type { ImageState, ImageTransfer } from './engine-image.ts';
import type { NetworkSpec, NetworkState, SubnetChoice } from './engine-network.ts';
import type { RegistryAuth } from './registry-auth.ts';
import type { EngineMarks } from './service-mark.ts';
import type { ServiceMount } from './service-mount.ts';

export interface Engine extends EngineDisk, EngineMarks {
  /** Answers what the engine is; throws SERVICE_UNAVAILABLE when it does not answer within 5 s. */
  info(): Promise<EngineInfo>;

  /**
   * Makes the attachable overlay network when absent; a network of that name that lacks our label is refused
   * with CONFLICT. When other networks have addresses of its subnet, `another` is asked for one, with the
   * subnets of them all; without it that is CONFLICT, too.
   */
  ensureNetwork(network: NetworkSpec, choice?: SubnetChoice): Promise<void>;
  networks(): Promise<NetworkState[]>;
  /** Removes a network of ours; an absent one is no error. */
  removeNetwork(name: string): Promise<void>;
  /**
   * Attaches a running container to a network; being attached already is no error. NOT_FOUND for a service
   * task's container while nothing on its node uses the network yet.
   */
  connectNetwork(containerId: string, network: string): Promise<void>;
  disconnectNetwork(containerId: string, network: string): Promise<void>;

  /**
   * Creates the service or updates it to this specification (rollback on failure is part of it). A service of
   * that name without our label: CONFLICT.
   */
  applyService(spec: ServiceSpec): Promise<AppliedService>;
  service(name: string): Promise<ServiceState | undefined>;
  /** The same with its tasks, as one look at the engine sees both. */
  serviceWithTasks(name: string): Promise<ServiceWithTasks>;
  /** Every service that bears `berth.managed`. */
  services(): Promise<ServiceState[]>;
  /** The same, each with its tasks. */
  servicesWithTasks(): Promise<RunningService[]>;
  /**
   * Names of services that changed, or had a container that did (on this node), as the engine tells it until
   * `signal` fires; first undefined, when it listens. Throws SERVICE_UNAVAILABLE when the engine goes away.
   */
  changes(signal: AbortSignal): AsyncIterable<string | undefined>;
  scaleService(name: string, replicas: number): Promise<void>;
  /**
   * Makes new tasks of the present specification (a restart without a change), start-first where the service
   * allows it.
   */
  restartService(name: string): Promise<AppliedService>;
  /**
   * Goes back to the specification before the last one (an update that can neither finish nor fail);
   * PRECONDITION_FAILED when there is none.
   */
  rollbackService(name: string): Promise<AppliedService>;
  /**
   * Digest of what a specification makes its tasks of; equals `ServiceState.specDigest` while the engine runs
   * exactly this.
   */
  specDigest(spec: ServiceSpec): string;
  /**
   * Removes the service and waits until its containers are gone (at most `limitMs`, default 30 s). An absent
   * one is no error. Its containers are told to stop at once, each with its grace period; of one that
   * `drains`, some seconds later, since others may be asking it still.
   */
  removeService(name: string, options?: { limitMs?: number; drains?: boolean }): Promise<void>;
  /** Tasks, newest first, finished ones included. */
  tasks(serviceName: string): Promise<TaskState[]>;
  /**
   * The output of a service's tasks. Without `follow`: oldest first over all tasks, `tail` counts over all,
   * then it ends. With `follow`: each task's own order, `tail` counts for each task, and it ends when
   * `signal` fires. A line of the engine itself (a node's log is out of reach) has an empty `taskId`; so has
   * one that says how many lines are left out, since one reading gives a limited number of bytes.
   */
  serviceLogs(serviceName: string, options: LogOptions): AsyncIterable<LogLine>;
  /** The output of one task, on whichever node, ended ones included; as `serviceLogs` without `follow`. */
  taskLogs(taskId: string, options: Pick<LogOptions, 'tail' | 'signal'>): AsyncIterable<LogLine>;
  /**
   * Runs one task to its end and gives its exit code; the log goes to `onLine`. The temporary service is
   * removed whatever happens.
   */
  runTask(
    spec: ServiceSpec,
    options: { signal: AbortSignal; limitMs: number; onLine(line: LogLine): void },
  ): Promise<TaskResult>;

  /**
   * Runs a program of an image in a container of its own and gives its output as it comes: for dumps, whose
   * bytes belong in no log. What it reads is held back as long as nobody takes it. Throws `ProgramFailed`
   * after the last byte when it ends with another exit code than 0, the input's own error when that fails;
   * the container is removed whatever happens, but when this process is killed: `removeContainers` finds it
   * by its labels.
   */
  programOutput(spec: ProgramSpec, streams: ProgramStreams): AsyncIterable<Uint8Array>;
  /**
   * Ends and removes the containers of ours on this node that bear the label (`key=value`), with their
   * unnamed volumes; gives how many.
   */
  removeContainers(label: string): Promise<number>;

  /**
   * Local containers that bear the label (`key` or `key=value`). Of containers that Berth makes, no image
   * decides about a label of ours; of others, anybody may have.
   */
  containers(label: string): Promise<ContainerState[]>;
  /** Local containers that were told to end and still run; forgotten ones too, unless `tasks` names them. */
  leavingContainers(tasks?: ReadonlySet<string>): Promise<ContainerState[]>;
  /** Ids of the swarm's tasks that were told to end. */
  leavingTasks(): Promise<ReadonlySet<string>>;
  /** Ends a local container by SIGKILL; one that does not run, or is not there, is no error. */
  killContainer(containerId: string): Promise<void>;
  /** Ids of the local containers that are paused. */
  pausedContainers(): Promise<string[]>;
  /** Halts every process of a local container; one that is halted already, or not there, stays as it is. */
  pauseContainer(containerId: string): Promise<void>;
  /** Lets it go on; one that goes on already, or is not there, stays as it is. */
  unpauseContainer(containerId: string): Promise<void>;
  /** Local containers of the running tasks of the service of this id, as the manager tells them. */
  serviceContainers(serviceId: string): Promise<ContainerState[]>;
  /** How a finished container of this node ended; undefined when it is not here or still runs. */
  containerEnd(containerId: string): Promise<ContainerEnd | undefined>;
  /** What its last failed health check printed; undefined when there is none, or it is not on this node. */
  failedCheck(containerId: string): Promise<string | undefined>;

  /**
   * Runs a program in a running container of this node and waits for its end. Throws NOT_FOUND when there is
   * no such container, PRECONDITION_FAILED at the limit (the program may go on then).
   */
  exec(containerId: string, program: ExecProgram): Promise<ExecResult>;
  /**
   * Starts a program in a running container of this node and gives the connection with it. NOT_FOUND when
   * there is no such container, CONFLICT when it does not run. One that cannot be started says so in its
   * output and ends with 126 or 127.
   */
  interact(containerId: string, program: InteractiveProgram): Promise<ProgramConnection>;

  /**
   * FORBIDDEN, NOT_FOUND or BAD_REQUEST when the registry does not give it, SERVICE_UNAVAILABLE when no
   * registry can be asked, PRECONDITION_FAILED for an image that only set-up makes.
   */
  pullImage(reference: string, options: ImageTransfer): Promise<void>;
  pushImage(reference: string, options: ImageTransfer): Promise<void>;
  /** Digest that the registry has for the reference now, without pulling it; errors as of `pullImage`. */
  askRegistry(reference: string, options: Omit<ImageTransfer, 'onLine'>): Promise<string>;
  image(reference: string): Promise<ImageState | undefined>;
  /** Images that Berth built and that bear the label, newest first, with the names that Berth gave them. */
  images(label: string): Promise<ImageState[]>;
  tagImage(source: string, target: string): Promise<void>;
  /** Removes one tag; an image in use keeps its layers and is no error. */
  removeImage(reference: string): Promise<void>;
  /** Signs in to a registry; throws BAD_REQUEST with the registry's own words. */
  checkRegistry(auth: RegistryAuth): Promise<void>;
  /** Named volumes that bear the label. */
  volumes(label: string): Promise<string[]>;
  /** Whether this node has a volume of exactly this name, whoever made it. */
  hasVolume(name: string): Promise<boolean>;
  removeVolume(name: string): Promise<void>;
}

export interface EngineInfo {
  version: string;
  /** Node id in the swarm; empty when the engine is in no swarm. */
  nodeId: string;
  isManager: boolean;
  rootDirectory: string;
  cgroupVersion: string;
}

/** What a container can be given besides; what is absent stays as image and engine have it. */
export interface ContainerOptions {
  hostname?: string | undefined;
  user?: string | undefined;
  groups?: string[] | undefined;
  workingDirectory?: string | undefined;
  init?: boolean | undefined;
  readOnly?: boolean | undefined;
  tty?: boolean | undefined;
  stdinOpen?: boolean | undefined;
  stopSignal?: string | undefined;
  hosts?: { name: string; address: string }[] | undefined;
  dns?: { servers: string[]; search: string[]; options: string[] } | undefined;
  capabilitiesAdded?: string[] | undefined;
  capabilitiesDropped?: string[] | undefined;
  ulimits?: { name: string; soft: number; hard: number }[] | undefined;
  /** Programs gain nothing by setuid; on engines from 25.0 on. */
  noNewPrivileges?: true | undefined;
  /** Profile of system calls in place of the engine's: its JSON, or none at all; on engines from 25.0 on. */
  seccomp?: string | undefined;
  /** Without the engine's AppArmor profile; on engines from 25.0 on. */
  apparmor?: 'unconfined' | undefined;
}

/** The `seccomp` of a container that may make every system call. */
export const unconfined = 'unconfined';

/** Stands among the networks of a service, alone, for the network of the server itself. */
export const serverNetwork = 'host';

export interface PublishedPort {
  published: number;
  target: number;
  protocol: 'tcp' | 'udp';
  mode: 'ingress' | 'host';
}

export interface ServiceSpec {
  name: string;
  image: string;
  /**
   * Of the service and of its containers; a change of them makes new tasks, like any change but that of
   * `replicas`, ports and update rules.
   */
  labels: Record<string, string>;
  /** Version of the defaults that the release was made with (spec-defaults.ts); absent: the first. */
  defaults?: number;
  /** Id of the release (the deployment's); a new one makes new tasks even where nothing else differs. */
  release?: string | undefined;
  /** `KEY=VALUE` entries as data. */
  env: string[];
  /** Replaces the image's entrypoint. */
  command?: string[] | undefined;
  /** Replaces the image's CMD. */
  args?: string[] | undefined;
  networks: string[];
  /** Largest packet of a compose service's network, in bytes; kept for when the network is made anew. */
  networkMtu?: number | undefined;
  /** Further names it answers to, by network. */
  aliases?: Readonly<Record<string, readonly string[]>>;
  container?: ContainerOptions;
  replicas: number;
  limits: { memoryBytes?: number | undefined; nanoCpus?: number | undefined; pids?: number | undefined };
  reservations: { memoryBytes?: number | undefined; nanoCpus?: number | undefined };
  mounts: ServiceMount[];
  /** Small files at paths in the container: config objects of the engine, or with `isSecret` its secrets. */
  files: {
    path: string;
    content: string;
    uid?: string | undefined;
    gid?: string | undefined;
    mode?: number | undefined;
    isSecret?: true;
  }[];
  ports: PublishedPort[];
  /** Absent: the image's own check stays. */
  healthCheck?: HealthCheck | undefined;
  updateOrder: 'start-first' | 'stop-first';
  /** How long the engine watches a new task for failure after it runs. */
  monitorMs: number;
  stopGracePeriodMs: number;
  /** Swarm placement constraints, such as `node.id==…`. */
  constraints: string[];
  /** Labels of nodes over whose values the tasks are spread, such as `node.labels.zone`. */
  spreadOver?: readonly string[];
  maxReplicasPerNode?: number | undefined;
  /** How many tasks are replaced at once, and the pause between; absent: one after another. */
  updatePace?: { parallelism: number; delayMs: number } | undefined;
  /** Pause before a task that ended is started again. */
  restartDelayMs?: number | undefined;
  /** A task that ended with 0 is not started again; absent: every task that ended is. */
  restart?: 'on-failure';
  /** Absent: files of bounded size. */
  logging?: { driver: string; options: Readonly<Record<string, string>> } | undefined;
  sysctls?: Record<string, string>;
  registryAuth?: RegistryAuth | undefined;
}

export interface AppliedService {
  id: string;
  created: boolean;
  /** Version index of the service after the call. */
  version: number;
  /** Which generation of tasks this call asked for; equals `TaskState.generation` of exactly its tasks. */
  generation: string;
}

/** State of the last update, as Swarm tells it. */
export interface UpdateState {
  state: 'updating' | 'paused' | 'completed' | 'rollback_started' | 'rollback_paused' | 'rollback_completed';
  message: string;
  /** ISO 8601. */
  startedAt: string;
}

export interface ServiceState {
  id: string;
  name: string;
  /** When the engine made it (ISO 8601). */
  createdAt?: string;
  labels: Record<string, string>;
  image: string;
  /** Desired replicas. */
  replicas: number;
  running: number;
  /** See `ServiceSpec.restart`. */
  restart?: 'on-failure' | undefined;
  version: number;
  /** See `Engine.specDigest`; empty for a service not made by `applyService`. */
  specDigest: string;
  /**
   * Changes with every change of the specification and every restart; a rollback brings the former one back.
   */
  generation: string;
  /** Names of its networks. */
  networks: string[];
  /**
   * The update under way or the last one; undefined when the present specification needed none (a first
   * release, a scaling).
   */
  update: UpdateState | undefined;
}

export interface TaskState {
  id: string;
  nodeId: string;
  slot: number;
  image: string;
  state: string;
  desiredState: string;
  /** Engine's error text, empty without one. */
  error: string;
  exitCode: number | undefined;
  containerId: string | undefined;
  /** ISO 8601 times. */
  createdAt: string;
  stateAt: string;
  /** The generation of the service this task was made for. */
  generation: string;
  /** The release it was made for (`ServiceSpec.release`). */
  release: string | undefined;
}

export interface LogOptions {
  tail?: number;
  /** ISO 8601. */
  since?: string;
  /** Only lines that contain it, of the last 10,000 of each task; not with `follow`. */
  search?: string;
  follow?: boolean;
  signal?: AbortSignal;
}

export interface LogLine {
  /** ISO 8601 with nanoseconds, as the engine gives it. */
  at: string;
  stream: 'stdout' | 'stderr';
  taskId: string;
  /** The node that the task ran on; empty, as `taskId` is, for a line of the engine itself. */
  nodeId: string;
  text: string;
}

export interface TaskResult {
  exitCode: number | undefined;
  error: string;
}

export interface ContainerState {
  id: string;
  name: string;
  labels: Record<string, string>;
  state: string;
  networks: string[];
}

export interface ServiceWithTasks {
  service: ServiceState | undefined;
  /** Newest first, finished ones included. */
  tasks: TaskState[];
}

export type RunningService = ServiceWithTasks & { service: ServiceState };
