/** What an image of the engine in memory holds: programs, each a function in the place of a file. */
import type { Terminal } from './terminal.ts';

export type Stream = 'stdout' | 'stderr';

/** A running program as it sees itself. */
export interface Running {
  /** The same for all programs of a container from its start to its end. */
  container: object;
  /** What it was started with; `argv[0]` is its own name. */
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  input: AsyncIterable<Uint8Array>;
  /** Undefined for a program without one. */
  terminal: Pick<Terminal, 'size' | 'onResize'> | undefined;
  /** Resolves when whoever reads has room again. */
  write(stream: Stream, bytes: string | Uint8Array): Promise<void>;
  /** From now on something listens on the port, and answers this. */
  listen(port: number, answer: () => string): void;
  /** Is told of the stop signal instead of ended by it. */
  onStop(stop: () => void): void;
  /** Takes memory; the kernel ends the container when it has taken more than it may. */
  take(bytes: number): void;
  pause(ms: number): Promise<void>;
  /** The text of a file that the service gave the container. */
  file(path: string): string | undefined;
  /** Volumes and folders mounted into the container, by their paths. */
  isMounted(path: string): boolean;
  /** What `http://host:port` answers where this program runs; throws with the resolver's or kernel's code. */
  ask(host: string, port: number): string;
  /** Ports that something in the container listens on. */
  listeners(): ReadonlySet<number>;
  /** Ends the container's first program, as the kernel does for a signal that nobody catches. */
  kill(exitCode: number): void;
}

/** Gives the exit code when it ends by itself. */
export type Program = (running: Running) => Promise<number> | number;

/** Programs by their paths or names. */
export type Programs = Readonly<Record<string, Program>>;

export interface ImageContent {
  programs: Programs;
  /** Program and arguments of a container that is given none. */
  command?: readonly string[];
  env?: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
  exposedPorts?: readonly string[];
  /** Paths that it declares to be volumes. */
  volumes?: readonly string[];
  healthCheck?: readonly string[];
  sizeBytes?: number;
}

/** A running program as its container sees it. */
export interface RunningProcess {
  readonly listeners: Map<number, () => string>;
  /** Resolves with its exit code. */
  readonly ended: Promise<number>;
  /** The stop signal: a program that takes no notice runs on. */
  stop(): void;
  /** The kernel's end, which nothing withstands. */
  kill(exitCode: number): void;
}

/** Waits for ever; only a signal ends it. */
export const never = (): Promise<number> => new Promise<number>(() => undefined);

/** The program that an argv names, by its whole path or its last part. */
export function programOf(programs: Programs, name: string): Program | undefined {
  return (
    programs[name] ?? (name.startsWith('/no/') ? undefined : programs[name.slice(name.lastIndexOf('/') + 1)])
  );
}
