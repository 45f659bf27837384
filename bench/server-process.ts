/** A server under test: started as the product starts it, ended by its own pid. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { nodeFlags } from '../server/src/domain/resources/node-flags.ts';
import { allocatorSettings } from '../setup/settings/settings.ts';
import type { AddressInfo } from 'node:net';

export interface ServerProcess {
  pid: number;
  url: string;
  /** Milliseconds from the start of the process to its first answer. */
  firstAnswerMs: number;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '..');
/** What is measured, and what beside it, by path of their built programs. */
export const programs = {
  berth: join(root, 'dist/server/src/main.js'),
  baseline: join(root, 'bench/dist/bench/baseline/server.js'),
} as const;
const startLimitMs = 60_000;

export interface StartOptions {
  program: keyof typeof programs;
  environment: Record<string, string>;
  /** Asked until it answers 200. */
  path: string;
  headers: Record<string, string>;
}

export async function startServer({
  program,
  environment,
  path,
  headers,
}: StartOptions): Promise<ServerProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = performance.now();
  // As set-up starts Berth (setup/starters).
  const child = spawn(process.execPath, [...nodeFlags, programs[program]], {
    env: {
      PATH: process.env['PATH'],
      ...allocatorSettings,
      BERTH_HOST: '127.0.0.1',
      BERTH_PORT: String(port),
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { pid } = child;
  const ended = once(child, 'exit');
  if (pid === undefined) throw new Error(`${program} did not start.`);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) child.kill('SIGTERM');
    const isOver = await Promise.race([ended.then(() => true), sleep(10_000, false)]);
    if (!isOver) child.kill('SIGKILL');
    await ended;
  };
  try {
    await firstAnswer(`${url}${path}`, headers, () => child.exitCode !== null);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid, url, firstAnswerMs: performance.now() - start, stop };
}

async function firstAnswer(
  url: string,
  headers: Record<string, string>,
  hasEnded: () => boolean,
): Promise<void> {
  const end = performance.now() + startLimitMs;
  while (performance.now() < end) {
    if (hasEnded()) throw new Error(`The server of ${url} ended before it answered.`);
    const status = await fetch(url, { headers, signal: AbortSignal.timeout(5000) }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => undefined,
    );
    if (status === 200) return;
    if (status !== undefined) throw new Error(`${url} answered ${status}.`);
    await sleep(2);
  }
  throw new Error(`${url} did not answer within ${startLimitMs / 1000} s.`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
