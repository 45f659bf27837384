/** The steps of the engine's suite as the engine in memory takes them. */
import type { Step } from '../../engine-suite/steps.ts';
import { never, type Program, type Running } from './program.ts';

const pieceLength = 65_536;

type Acts = {
  [Kind in Step['do']]: (running: Running, step: Extract<Step, { do: Kind }>) => Promise<unknown>;
};

/** Gives the exit code when a step ends the program. */
const acts: Acts = {
  say: (running, { text, on = 'stdout', end = '\n' }) => running.write(on, text + end),
  async count(running, { text, times }) {
    for (let n = 0; n < times; n += 1) await running.write('stdout', `${text} ${n}\n`);
  },
  sayVariable: (running, { name, end = '\n' }) => running.write('stdout', `${running.env[name]}${end}`),
  async sayFile(running, { path }) {
    const text = running.file(path);
    if (text === undefined) return 1;
    return running.write('stdout', `${text}\n`);
  },
  writeFile: async (running, { path }) => (running.isMounted(path) ? undefined : 1),
  wait: (running, { ms }) => running.pause(ms),
  async every(running, { ms, text }) {
    void repeat(running, ms, (n) => running.write('stdout', `${text} ${n}\n`));
    return stays;
  },
  async listen(running, { port }) {
    running.onStop(() => running.kill(0));
    // A server takes its time to come up.
    await running.pause(120);
    running.listen(port, () => running.env['VERSION'] ?? '');
    await running.write('stdout', `listening ${running.env['VERSION']}\n`);
    return stays;
  },
  stay: async () => stays,
  obeyStop: async (running) => running.onStop(() => running.kill(0)),
  exit: async (_, { code }) => code,
  die: async () => 137,
  async eat(running, { bytes }) {
    void repeat(running, 20, async () => running.take(bytes));
    return stays;
  },
  async pour(running, { bytes }) {
    for (let left = bytes; left > 0; left -= pieceLength)
      await running.write('stdout', Buffer.alloc(Math.min(left, pieceLength)));
  },
  async copyInput(running) {
    for await (const part of running.input) await running.write('stdout', part);
  },
  async readInput(running) {
    for await (const part of running.input) void part;
  },
  async takeInput(running, { bytes }) {
    let left = bytes;
    for await (const part of running.input) {
      await running.write('stdout', part.subarray(0, left));
      left -= part.length;
      if (left <= 0) return 0;
    }
    return 0;
  },
  saySize: (running, { until }) =>
    new Promise((resolve) => {
      const say = (): void => {
        const { columns, rows } = running.terminal?.size() ?? {};
        const size = `${columns}x${rows}`;
        void running.write('stdout', `size ${size}\r\n`);
        if (size === until) resolve(undefined);
      };
      running.terminal?.onResize(say);
      say();
    }),
  async ask(running, { host, port }) {
    void repeat(running, 300, () => running.write('stdout', `${answerOf(running, host, port)}\n`));
    return stays;
  },
};

const stays = Symbol('goes on after its last step');

async function repeat(running: Running, ms: number, act: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; ; n += 1) {
    await running.pause(ms);
    await act(n);
  }
}

function answerOf(running: Running, host: string, port: number): string {
  try {
    return `got ${running.ask(host, port)}`;
  } catch (error) {
    return `no ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Node, as far as the suite knows it: `node -e <text> <steps>`. */
export const nodeProgram: Program = async (running) => {
  const steps: Step[] = JSON.parse(running.argv[3] ?? '[]');
  let isStaying = false;
  for (const step of steps) {
    const result = await take(running, step);
    if (typeof result === 'number') return result;
    isStaying ||= result === stays;
  }
  return isStaying ? never() : 0;
};

/** The one place where a step meets the act of its kind. */
function take(running: Running, step: Step): Promise<unknown> {
  const act: (running: Running, step: never) => Promise<unknown> = acts[step.do];
  return act(running, step as never);
}
