/** Programs that an engine runs beside services and within their containers. */
import { AppError } from '../../domain/errors.ts';
import type { Secret } from '../../domain/secrets/secret.ts';
import type { RegistryAuth } from './registry-auth.ts';
import type { ServiceMount } from './service-mount.ts';

/** A program that runs once, beside a service. */
export interface ProgramSpec {
  name: string;
  image: string;
  /** Program and arguments, in place of the image's own. */
  argv: readonly [string, ...string[]];
  /** Reach the program by its environment, as data. */
  env: Readonly<Record<string, string | Secret>>;
  /** Attachable network that it is on. */
  network: string;
  labels: Record<string, string>;
  /**
   * The output is whole only with a mark behind its last byte, which a shell of the image writes: an engine
   * under load drops the end of an output without a word. SERVICE_UNAVAILABLE when it did.
   */
  marksItsEnd?: boolean;
  /** A program of Berth's own, which needs nothing of the image; absent: one of the image. */
  confined?: ConfinedProgram | undefined;
  /** Where the image must be pulled. */
  registryAuth?: RegistryAuth | undefined;
}

/**
 * As root with these capabilities alone, without new privileges, on a file system of the image that nothing
 * writes unless that is said.
 */
export interface ConfinedProgram {
  mounts: readonly ServiceMount[];
  /** Writes the mark of the output's end. */
  shell: readonly [string, ...string[]];
  capabilities: readonly string[];
  limits: { memoryBytes: number; nanoCpus: number; pids: number };
  /** What it writes goes with its container. */
  writesItsImage?: true;
}

export interface ProgramStreams {
  signal: AbortSignal;
  /**
   * What it reads; absent: nothing. When this fails, the program is killed, so that it never takes a part for
   * the whole.
   */
  input?: AsyncIterable<Uint8Array> | undefined;
  /** What it says on stderr. */
  onLine(line: string): void;
}

/** The program ended with another exit code than 0. */
export class ProgramFailed extends AppError {
  readonly exitCode: number;

  constructor(program: string, exitCode: number, lastLines: readonly string[]) {
    const said = lastLines.filter((line) => line !== '').join(' / ');
    super(
      'PRECONDITION_FAILED',
      `${program} ended with the exit code ${exitCode}${said === '' ? ' without a word' : `: ${said}`}`,
    );
    this.exitCode = exitCode;
  }
}

const keptLines = 5;
const keptFaults = 3;
/** Of a line; what is longer has a statement or data in it. */
const lineLimit = 400;
const faultLine = /^(ERROR\b|\S+: (error|fatal|panic)\b)|\b(error|fatal|failed):/i;

/**
 * Collects the last words of a program: the lines that name a fault, without the statements and the data that
 * follow them; without such lines, the last ones.
 */
export function createLastWords(): { add(line: string): void; words(): string[] } {
  const [last, faults]: [string[], string[]] = [[], []];
  const keep = (list: string[], line: string, most: number): void => {
    list.push(line.length > lineLimit ? `${line.slice(0, lineLimit)} …` : line);
    if (list.length > most) list.shift();
  };
  return {
    add(line) {
      const said = line.trim();
      if (said === '') return;
      keep(last, said, keptLines);
      if (faultLine.test(said.slice(0, lineLimit))) keep(faults, said, keptFaults);
    },
    words: () => (faults.length > 0 ? faults : last),
  };
}

export interface ExecProgram {
  argv: string[];
  /** Variables besides the container's own; the place for what must stand in no list of processes. */
  env: Record<string, string | Secret>;
  limitMs: number;
  signal: AbortSignal;
}

/** Of what a program prints in a container, the last bytes are kept. */
export const execKeptBytes = 64 * 1024;

export interface ExecResult {
  exitCode: number;
  /** At most the last `execKeptBytes` of each. */
  stdout: string;
  stderr: string;
}

/** Of a terminal, in characters. */
export interface TerminalSize {
  columns: number;
  rows: number;
}

/** A program that somebody talks with while it runs in a container. */
export interface InteractiveProgram {
  argv: readonly [string, ...string[]];
  /** Variables besides the container's own. */
  env: Readonly<Record<string, string | Secret>>;
  /** With a terminal of this size; absent: without one, its two outputs apart. */
  size?: TerminalSize | undefined;
  /** Cuts the connection; the program goes on, for no engine ends it. */
  signal: AbortSignal;
}

export interface ProgramConnection {
  /** What it writes, as it comes; of a terminal all is `stdout`. What nobody takes is held back. */
  output: AsyncIterable<{ stream: 'stdout' | 'stderr'; bytes: Uint8Array }>;
  /** Resolves when the program's side has room for more; what comes after its end is dropped. */
  write(bytes: Uint8Array): Promise<void>;
  /** Nothing more comes: a program without a terminal reads the end of its input. */
  endInput(): void;
  /** Of a terminal; of a program that has ended it does nothing. */
  resize(size: TerminalSize): Promise<void>;
  /** Once the output has ended; undefined when its container is gone, and nobody knows. */
  exitCode(): Promise<number | undefined>;
}
