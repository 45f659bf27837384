/**
 * What a container of the engine's suite does, as data: a real engine runs it with Node, the engine in memory
 * with the functions of steps-program.ts.
 */

export type Step =
  | { do: 'say'; text: string; on?: 'stdout' | 'stderr'; end?: '' }
  /** Lines `<text> 0` and so on. */
  | { do: 'count'; text: string; times: number }
  | { do: 'sayVariable'; name: string; end?: '' }
  | { do: 'sayFile'; path: string }
  | { do: 'writeFile'; path: string }
  | { do: 'wait'; ms: number }
  /** Says `<text> 0` and so on for ever, and goes on with the next step. */
  | { do: 'every'; ms: number; text: string }
  /** Answers the variable VERSION, says `listening <VERSION>`, and ends with 0 when it is told to stop. */
  | { do: 'listen'; port: number }
  | { do: 'stay' }
  /** Ends with 0 when it is told to stop. */
  | { do: 'obeyStop' }
  | { do: 'exit'; code: number }
  /** As the kernel ends it. */
  | { do: 'die' }
  /** Takes so much memory 50 times a second, until it ends for it. */
  | { do: 'eat'; bytes: number }
  /** Writes so many zeros. */
  | { do: 'pour'; bytes: number }
  | { do: 'copyInput' }
  /** Reads all of its input. */
  | { do: 'readInput' }
  /** Copies so many bytes of its input and leaves the rest. */
  | { do: 'takeInput'; bytes: number }
  /** Says `size <columns>x<rows>`, and again when they change; the next step comes once it is `until`. */
  | { do: 'saySize'; until: string }
  /** Says `got <answer>` or `no <code>` three times a second. */
  | { do: 'ask'; host: string; port: number };

const text = `
const { createReadStream, readFileSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const write = (stream, bytes) => stream.write(bytes) || new Promise((go) => stream.once('drain', go));
const obeyStop = () => process.on('SIGTERM', () => process.exit(0));
const acts = {
  say: ({ text, on = 'stdout', end = '\\n' }) => write(process[on], text + end),
  async count({ text, times }) {
    for (let n = 0; n < times; n += 1) await write(process.stdout, text + ' ' + n + '\\n');
  },
  sayVariable: ({ name, end = '\\n' }) => write(process.stdout, process.env[name] + end),
  sayFile: ({ path }) => write(process.stdout, readFileSync(path, 'utf8') + '\\n'),
  writeFile: ({ path }) => writeFileSync(path, '1'),
  wait: ({ ms }) => new Promise((go) => setTimeout(go, ms)),
  every({ ms, text }) { let n = 0; setInterval(() => console.log(text + ' ' + n++), ms); },
  listen({ port }) {
    obeyStop();
    const server = createServer((_, answer) => answer.end(process.env.VERSION));
    server.listen(port, () => console.log('listening ' + process.env.VERSION));
  },
  stay() { setInterval(() => undefined, 1000); },
  obeyStop,
  exit: ({ code }) => process.exit(code),
  die: () => process.kill(process.pid, 'SIGKILL'),
  eat({ bytes }) { const kept = []; setInterval(() => kept.push(Buffer.alloc(bytes, 1)), 20); },
  async pour({ bytes }) {
    for (let left = bytes; left > 0; left -= 65536)
      await write(process.stdout, Buffer.alloc(Math.min(left, 65536)));
  },
  async copyInput() { for await (const part of process.stdin) await write(process.stdout, part); },
  async readInput() { for await (const part of process.stdin) part.length; },
  async takeInput({ bytes }) {
    let left = bytes;
    for await (const part of process.stdin) {
      await write(process.stdout, part.subarray(0, left));
      left -= part.length;
      if (left <= 0) process.exit(0);
    }
  },
  saySize: ({ until }) => new Promise((go) => {
    setInterval(() => undefined, 1000);
    const say = () => {
      const size = process.stdout.columns + 'x' + process.stdout.rows;
      console.log('size ' + size);
      if (size === until) go();
    };
    process.stdout.on('resize', say);
    say();
  }),
  ask({ host, port }) {
    const said = (text) => console.log('got ' + text);
    const failed = (error) => console.log('no ' + error.cause?.code);
    const text = (answer) => answer.text();
    const once = () => fetch('http://' + host + ':' + port).then(text).then(said, failed);
    setInterval(once, 300);
  },
};
(async () => { for (const step of JSON.parse(process.argv[1])) await acts[step.do](step); })();`;

/** Program and arguments that take these steps in the suite's image. */
export function commandOf(steps: readonly Step[]): [string, ...string[]] {
  return ['node', '-e', text, JSON.stringify(steps)];
}
