/** The command line in this process, with a terminal of the test's own. */
import { PassThrough, Readable } from 'node:stream';
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
  /** A person sits there, who answers each question with the next of these; without them it is a pipe. */
  types?: readonly string[];
  /** Letters of a line of a terminal; without it the answer goes into a pipe. */
  columns?: number;
  signal?: AbortSignal;
  /** Milliseconds since 1970; the machine's own clock without it. */
  now?: () => number;
  /** Called for programs that it starts; gives their exit code. */
  runs?: (argv: readonly string[], environment: NodeJS.ProcessEnv) => Promise<number>;
}

export async function runBerth(
  argv: readonly string[],
  { environment, folder, stdin = '', types, columns, signal, now, runs }: RunOptions,
): Promise<Ran> {
  const said = { out: '', said: '' };
  const typed = new PassThrough();
  const answers = [...(types ?? [])];
  const code = await run(argv, {
    environment,
    folder,
    stdin: types === undefined ? Readable.from([Buffer.from(stdin)]) : Object.assign(typed, { isTTY: true }),
    isTerminal: columns !== undefined,
    columns: columns ?? 80,
    out: (text) => void (said.out += text),
    say(text) {
      said.said += text;
      if (!text.endsWith('] ')) return;
      const line = `${answers.shift() ?? ''}\n`;
      typed.write(line);
      // A terminal shows what is typed.
      said.said += line;
    },
    signal: signal ?? new AbortController().signal,
    now: now ?? Date.now,
    async write(bytes, to) {
      said[to === 'output' ? 'out' : 'said'] += Buffer.from(bytes).toString();
    },
    runProgram: async (program, more = {}) => (runs ? runs(program, more) : 0),
  });
  return { code, ...said };
}
