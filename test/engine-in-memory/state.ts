/** Everything the engine in memory knows. */
import { randomBytes } from 'node:crypto';
import type { ServiceBody } from './routes/bodies.ts';
import type { ImageContent, RunningProcess, Stream } from './programs/program.ts';

export interface LogEntry {
  /** Nanoseconds since the epoch; no two entries have the same. */
  at: bigint;
  stream: Stream;
  /** A line with its break, or what came without one. */
  text: Buffer;
}

export interface Container {
  id: string;
  name: string;
  image: Image | undefined;
  imageName: string;
  labels: Record<string, string>;
  env: Record<string, string>;
  argv: readonly string[];
  createdAt: number;
  startedAt: number;
  /** 0 before its first end. */
  finishedAt: number;
  state: 'created' | 'running' | 'exited';
  exitCode: number;
  outOfMemory: boolean;
  /** Addresses by the network's id. */
  networks: Map<string, string>;
  volumes: readonly string[];
  mounted: ReadonlySet<string>;
  files: ReadonlyMap<string, string>;
  log: LogEntry[];
  /** Whether its output is kept. */
  isLogged: boolean;
  memoryBytes: number | undefined;
  hasInit: boolean;
  /** Name of its restart policy. */
  restart: string;
  stopGraceMs: number;
  takesInput: boolean;
  health: 'none' | 'starting' | 'healthy' | 'unhealthy';
  healthTest: HealthTest | undefined;
  process: RunningProcess | undefined;
  /** Readers of its output, besides the log. */
  attached: Set<(stream: Stream, bytes: Buffer) => Promise<void>>;
}

export interface HealthTest {
  argv: readonly string[];
  intervalMs: number;
  timeoutMs: number;
  retries: number;
  startPeriodMs: number;
}

export interface Image {
  id: string;
  content: ImageContent;
  tags: Set<string>;
  /** `<repository>@<digest>`, of those that it was exchanged with a registry under. */
  digests: Set<string>;
  createdAt: number;
}

export interface Network {
  id: string;
  name: string;
  driver: string;
  labels: Record<string, string>;
  /** Empty while the manager gave it none. */
  subnet: string;
  /** All of them, in the order in which they were given. */
  subnets: readonly string[];
  range: string;
  /** Of its driver, as they were given. */
  options: Record<string, string>;
  /** The manager has forgotten it, and the node keeps it: with its own endpoint, or without. */
  left?: { hasEndpoint: boolean };
}

export interface Volume {
  name: string;
  labels: Record<string, string>;
  /** Those of its driver. */
  options?: Record<string, string>;
  /** What it holds; nothing where a test does not say. */
  bytes?: number;
}

export interface Config {
  id: string;
  name: string;
  labels: Record<string, string>;
  data: string;
  createdAt: number;
}

export type UpdateName =
  | 'updating'
  | 'paused'
  | 'completed'
  | 'rollback_started'
  | 'rollback_paused'
  | 'rollback_completed';

export interface Service {
  id: string;
  spec: ServiceBody;
  previous: ServiceBody | undefined;
  version: number;
  createdAt: number;
  auth: string | undefined;
  update: { state: UpdateName; message: string; startedAt: number } | undefined;
  isRemoved: boolean;
  /** Counts the changes that its tasks must follow; who works on an older one stops. */
  turn: number;
}

/** Order matters: what is behind `running` never runs again. */
export const taskStates = [
  'new',
  'pending',
  'assigned',
  'accepted',
  'preparing',
  'ready',
  'starting',
  'running',
  'complete',
  'shutdown',
  'failed',
  'rejected',
  'remove',
] as const;
export type TaskStateName = (typeof taskStates)[number];
export const rank = (state: TaskStateName): number => taskStates.indexOf(state);

export interface Task {
  id: string;
  serviceId: string;
  slot: number;
  /** What it was made from. */
  template: ServiceBody['TaskTemplate'];
  serviceName: string;
  serviceLabels: Record<string, string>;
  hostPorts: readonly string[];
  auth: string | undefined;
  state: TaskStateName;
  desired: 'ready' | 'running' | 'shutdown' | 'remove';
  error: string;
  createdAt: number;
  /** Order of making, where two were made in the same millisecond. */
  order: number;
  stateAt: number;
  nodeId: string;
  container: Container | undefined;
  exitCode: number | undefined;
  isEnding: boolean;
}

/**
 * A registry by its host[:port]: who may use it, and what it holds by `repository:tag` or
 * `repository@digest`.
 */
export interface Registry {
  account: { username: string; password: string } | undefined;
  images: Map<string, Image>;
}

export interface State {
  nodeId: string;
  hostname: string;
  images: Map<string, Image>;
  registries: Map<string, Registry>;
  networks: Map<string, Network>;
  volumes: Map<string, Volume>;
  configs: Map<string, Config>;
  secrets: Map<string, Config>;
  containers: Map<string, Container>;
  services: Map<string, Service>;
  tasks: Map<string, Task>;
  /** Programs beside those of the images, found in every container: what is mounted into all of them. */
  mountedPrograms: ImageContent['programs'];
  /** How far the machine's clock is ahead of the true time, in milliseconds. */
  clockOffMs: number;
  counter: number;
  nanoseconds: bigint;
  watchers: Set<() => void>;
}

export const hexId = (): string => randomBytes(32).toString('hex');

const letters = '0123456789abcdefghijklmnopqrstuvwxyz';
/** An id as the swarm makes them: 25 letters and digits. */
export const swarmId = (): string => Array.from(randomBytes(25), (byte) => letters[byte % 36]).join('');

export function nextNumber(state: State): number {
  state.counter += 1;
  return state.counter;
}

/** A time that no log entry has yet. */
export function logTime(state: State): bigint {
  const now = BigInt(Date.now() + state.clockOffMs) * 1_000_000n;
  state.nanoseconds = now > state.nanoseconds ? now : state.nanoseconds + 1n;
  return state.nanoseconds;
}

/** Tells everyone who waits that something is otherwise. */
export function changed(state: State): void {
  state.watchers.forEach((watcher) => watcher());
}

/** Resolves true when it holds, false at the limit; asked again at every change. */
export function untilState(state: State, holds: () => boolean, limitMs?: number): Promise<boolean> {
  if (holds()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (answer: boolean): void => {
      state.watchers.delete(look);
      clearTimeout(timer);
      resolve(answer);
    };
    const look = (): void => {
      if (holds()) end(true);
    };
    const timer = limitMs === undefined ? undefined : setTimeout(() => end(holds()), limitMs);
    state.watchers.add(look);
  });
}

/** ISO 8601 with nanoseconds, as the engine writes times. */
export function engineTime(ms: number, order = 0): string {
  return `${new Date(ms).toISOString().slice(0, -1)}${String(order % 1_000_000).padStart(6, '0')}Z`;
}
