/** A program while it runs in a container: its output, its signals, its memory, its one end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { programOf, type Program, type Running, type RunningProcess, type Stream } from './program.ts';
import { changed, type Container, type State } from '../state.ts';
import type { Terminal } from './terminal.ts';

export interface Started {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  input: AsyncIterable<Uint8Array>;
  terminal?: Terminal | undefined;
  write(stream: Stream, bytes: Buffer): Promise<void>;
  ask(host: string, port: number): string;
}

const killedByStop = 143;
const killedByKernel = 137;
const notFound = 127;
/** Linux takes no argument of more bytes (MAX_ARG_STRLEN), and Docker says 126 then. */
const longestArgument = 131_071;
const notExecutable = 126;

export async function* nothing(): AsyncGenerator<Uint8Array> {
  // Ends at once.
}

/** Starts a program in the container; the first one is the container's own. */
export function startProcess(state: State, container: Container, started: Started): RunningProcess {
  const end = Promise.withResolvers<number>();
  const listeners = new Map<number, () => string>();
  let isOver = false;
  let caught: (() => void) | undefined;
  let taken = 0;
  const finish = (exitCode: number): void => {
    if (isOver) return;
    isOver = true;
    listeners.clear();
    end.resolve(exitCode);
  };
  /** What ended says and does no more. */
  const alive = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    return isOver ? new Promise<T>(() => undefined) : result;
  };
  const running: Running = {
    container,
    argv: started.argv,
    env: started.env,
    input: started.input,
    terminal: started.terminal,
    write: async (stream, bytes) => {
      if (!isOver) await alive(started.write(stream, Buffer.from(bytes)));
    },
    listen: (port, answer) => {
      listeners.set(port, answer);
      changed(state);
    },
    onStop: (stop) => {
      caught = stop;
    },
    take(bytes) {
      taken += bytes;
      if (container.memoryBytes === undefined || taken <= container.memoryBytes) return;
      container.outOfMemory = true;
      finish(killedByKernel);
    },
    pause: (ms) => alive(sleep(ms)),
    file: (path) => container.files.get(path),
    isMounted: (path) =>
      [...container.mounted].some((target) => path === target || path.startsWith(`${target}/`)),
    ask: started.ask,
    listeners: () => new Set(container.process?.listeners.keys()),
    kill: (exitCode) => container.process?.kill(exitCode),
  };
  const program = findProgram(state, container, started.argv);
  void run(program, running, started).then(finish, () => finish(1));
  return {
    listeners,
    ended: end.promise,
    stop() {
      if (caught !== undefined) caught();
      // Without an init the first program of a container gets no signal that it does not ask for.
      else if (container.hasInit) finish(killedByStop);
    },
    kill: finish,
  };
}

async function run(
  program: Program | undefined,
  running: Running,
  { argv, write }: Started,
): Promise<number> {
  if (argv.some((argument) => Buffer.byteLength(argument) > longestArgument)) {
    await write('stderr', Buffer.from(`exec ${argv[0] ?? ''}: argument list too long\n`));
    return notExecutable;
  }
  if (program !== undefined) return program(running);
  await write(
    'stderr',
    Buffer.from(`[FATAL tini (7)] exec ${argv[0] ?? ''} failed: No such file or directory\n`),
  );
  return notFound;
}

function findProgram(state: State, { image }: Container, argv: readonly string[]): Program | undefined {
  const [name = ''] = argv;
  return programOf({ ...image?.content.programs, ...state.mountedPrograms }, name);
}
