/** The command line in this process, with a terminal of the test's own. */
import { Readable } from 'node:stream';
import { run } from '../cli/run.ts';

export interface Ran {
  code: number;
  /** What it answered. */
  out: string;
  /** Questions, progress and faults. */
  said: string;
}

export interface RunOptions {
  environment: NodeJS.ProcessEnv;
  /** Folder that it is started in. */
  folder: string;
  /** What comes through the standard input. */
  stdin?: string;
  /** A person sits there, who types these lines; without them it is a pipe. */
  types?: string;
  /** Letters of a line of a terminal; without it the answer goes into a pipe. */
  columns?: number;
  signal?: AbortSignal;
  /** Called for programs that it starts; gives their exit code. */
  runs?: (argv: readonly string[], environment: NodeJS.ProcessEnv) => Promise<number>;
}

export async function runBerth(
  argv: readonly string[],
  { environment, folder, stdin = '', types, columns, signal, runs }: RunOptions,
): Promise<Ran> {
  const said = { out: '', said: '' };
  const input = Readable.from([Buffer.from(types ?? stdin)]);
  const code = await run(argv, {
    environment,
    folder,
    stdin: types === undefined ? input : Object.assign(input, { isTTY: true }),
    isTerminal: columns !== undefined,
    columns: columns ?? 80,
    out: (text) => void (said.out += text),
    say: (text) => void (said.said += text),
    signal: signal ?? new AbortController().signal,
    runProgram: async (program, more = {}) => (runs ? runs(program, more) : 0),
  });
  return { code, ...said };
}
