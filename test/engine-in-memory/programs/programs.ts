/** Programs that the images of tests hold besides their own. */
import { never, type Program, type Programs } from './program.ts';

/**
 * The shell, as far as looks for listeners need it: it ends with 0 when something listens on every port that
 * the script names, in hexadecimal as the kernel's table has them.
 */
const listenerProbe: Program = ({ argv, listeners }) => {
  const script = argv[argv.indexOf('-c') + 1] ?? '';
  const inTable = /:([0-9A-F]{4}) \[/.exec(script)?.slice(1);
  const inLoop = /for port in ([0-9A-F ]+);/.exec(script)?.[1]?.split(' ');
  const url = /^http:\/\/127\.0\.0\.1:(\d+)/.exec(argv.at(-1) ?? '')?.[1];
  const ports =
    url === undefined ? (inLoop ?? inTable ?? []).map((port) => Number.parseInt(port, 16)) : [Number(url)];
  return ports.every((port) => listeners().has(port)) ? 0 : 1;
};

const sleep: Program = async ({ argv, pause }) => {
  await pause(Number(argv[1]) * 1000);
  return 0;
};

export const unixPrograms: Programs = {
  sh: listenerProbe,
  sleep,
  true: () => 0,
  false: () => 1,
  cat: async ({ input, write }) => {
    for await (const part of input) await write('stdout', part);
    return 0;
  },
};

/** A server that listens on its port a moment after its start, until it is told to stop. */
export function serverProgram(port: number, { startMs = 100 } = {}): Program {
  return async (running) => {
    running.onStop(() => running.kill(0));
    await running.pause(startMs);
    running.listen(port, () => running.env['VERSION'] ?? '');
    return never();
  };
}
