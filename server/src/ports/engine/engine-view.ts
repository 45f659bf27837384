/**
 * What Berth shows of a container engine as it is, whoever made the things; it acts on one container only.
 * CPU is cores, memory is bytes, times are ISO 8601.
 */
import type { LogLine, LogOptions } from './engine.ts';

export type ContainerLogOptions = Pick<LogOptions, 'tail' | 'since' | 'follow' | 'signal'>;

export interface EngineView {
  /** Every container of this node, ended ones included, newest first. */
  allContainers(): Promise<ListedContainer[]>;
  /** A container of this node by its id or name; undefined when it is not here. */
  container(idOrName: string): Promise<InspectedContainer | undefined>;
  /**
   * Restarts it; SERVICE_UNAVAILABLE when it does not end within a minute. Swarm takes the end of a task's
   * container for the task's and puts a new one in its place.
   */
  restartContainer(containerId: string): Promise<void>;
  /**
   * The output of a container of this node, ended ones included, oldest first; without `follow` it ends with
   * what there is, with it when the container or `signal` does. What a terminal wrote is all `stdout`.
   */
  containerLogs(containerId: string, options: ContainerLogOptions): AsyncIterable<LogLine>;
  /** Interfaces of the node that containers of its local networks are behind, such as `docker_gwbridge`. */
  bridges(): Promise<string[]>;
  /**
   * Running containers with their addresses on the bridge of that name; none where the engine has no such
   * network.
   */
  containersBehind(bridge: string): Promise<BridgedContainer[]>;
  /**
   * The nodes of the swarm; this and the next two throw SERVICE_UNAVAILABLE where the engine manages none.
   */
  swarmNodes(): Promise<SwarmNode[]>;
  /** Every service of the swarm, newest first. */
  swarmServices(): Promise<SwarmService[]>;
  /** Every task that the swarm remembers, newest first; ended ones are kept for a while. */
  swarmTasks(): Promise<SwarmTask[]>;
}

export interface BridgedContainer {
  addresses: string[];
  labels: Record<string, string>;
}

export interface ListedContainer {
  id: string;
  name: string;
  image: string;
  /** created, running, paused, restarting, removing, exited or dead. */
  state: string;
  /** In the engine's words: `Up 3 hours (healthy)`. */
  status: string;
  labels: Record<string, string>;
  ports: ContainerPort[];
}

export interface ContainerPort {
  /** Address of the node it is published at; undefined when it is only exposed. */
  address: string | undefined;
  published: number | undefined;
  target: number;
  protocol: string;
}

export interface InspectedContainer {
  id: string;
  labels: Record<string, string>;
  /** `KEY=VALUE` as the container was given them. */
  env: string[];
  /** Everything that the engine tells (engine API, "Inspect a container"). */
  configuration: Record<string, unknown>;
}

export interface SwarmNode {
  id: string;
  hostname: string;
  role: 'manager' | 'worker';
  /** active, pause or drain. */
  availability: string;
  /** unknown, down, ready or disconnected. */
  state: string;
  /** Why it is in that state; empty without a reason. */
  message: string;
  address: string;
  engineVersion: string;
  engineLabels: Record<string, string>;
  plugins: { type: string; name: string }[];
  cpus: number;
  memoryBytes: number;
  labels: Record<string, string>;
  os: string;
  architecture: string;
  /** Undefined for a worker. */
  manager: { leader: boolean; reachability: string; address: string } | undefined;
  createdAt: string;
}

/** What a service gives to its tasks. */
export interface TaskConfiguration {
  image: string;
  command: string[];
  args: string[];
  env: string[];
  mounts: { type: string; source: string; target: string; readOnly: boolean }[];
  constraints: string[];
  /** Names of its networks. */
  networks: string[];
  limits: Resources;
  reservations: Resources;
}

export interface SwarmService extends TaskConfiguration {
  id: string;
  name: string;
  labels: Record<string, string>;
  mode: 'replicated' | 'global' | 'replicated-job' | 'global-job';
  /** Running tasks, and that should. */
  running: number;
  desired: number;
  ports: { published: number | undefined; target: number; protocol: string; mode: string }[];
  /** State of the last update; undefined when there was none. */
  update: string | undefined;
}

export interface Resources {
  cpus: number | null;
  memoryBytes: number | null;
}

export interface SwarmTask {
  id: string;
  serviceId: string;
  nodeId: string;
  slot: number;
  image: string;
  /** As it was given to this task; its service may have another one by now. */
  configuration: TaskConfiguration;
  state: string;
  desiredState: string;
  /** The engine's error text, or what it says of the state. */
  message: string;
  containerId: string | undefined;
  /** Of its container. */
  labels: Record<string, string>;
  stateAt: string;
}
