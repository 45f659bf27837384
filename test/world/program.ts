/**
 * Berth itself as a process: started from its source as the product starts it, on a data folder and a port of
 * its own, without an engine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openStorage } from '../../server/src/db/storage.ts';
import { readConfig } from '../../server/src/config.ts';
import type { Database } from '../../server/src/db/database.ts';
import { isoTime, systemClock } from '../../server/src/ports/clock.ts';
import { onFreePort, saysTaken } from '../free-port.ts';

export interface Program extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Berth's own folder. */
  readonly dataFolder: string;
  /** A connection of the test's own to the same data. */
  readonly database: Database;
  /** Milliseconds from the start of the process to its first answer. */
  readonly firstAnswerMs: number;
  /** What was logged, the newest of it. */
  log(): string;
  /** What the log says at the level error: faults that nobody expected. */
  faults(): string[];
  /** Message from the process, when a module put before it sends some. */
  message(ask: NodeJS.Signals): Promise<unknown>;
  restart(): Promise<void>;
}

export interface ProgramOptions {
  /** Address of a PostgreSQL database; SQLite in the data folder without it. */
  databaseUrl?: string;
  /** Called before the program starts. */
  prepare?: (database: Database) => Promise<void>;
  /** Options of node, before the program. */
  nodeOptions?: readonly string[];
  env?: Record<string, string>;
}

const entry = join(import.meta.dirname, '../../server/src/main.ts');
/** Where node keeps what it has compiled: half of the time of a start from source. */
const compiled = join(import.meta.dirname, '../../node_modules/.cache/started-program');
const startLimitMs = 180_000;
const stopLimitMs = 20_000;
/** So much of the log is kept. */
const logLimit = 4_000_000;

export async function startProgram({
  databaseUrl,
  prepare,
  nodeOptions = [],
  env = {},
}: ProgramOptions = {}): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-program-'));
  const data = join(folder, 'data');
  // What a power cut would lose is not what is tested here.
  const variables = {
    BERTH_DATA: data,
    BERTH_HOST: '127.0.0.1',
    BERTH_ENGINE_SOCKET: join(folder, 'no-engine.sock'),
    BERTH_SQLITE_SYNCHRONOUS: 'NORMAL',
    BERTH_LOG_LEVEL: 'error',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...env,
  };
  const { database } = await openStorage(readConfig(variables), () => isoTime(systemClock));
  await prepare?.(database);
  let running = await run([...nodeOptions, entry], variables);
  return {
    database,
    dataFolder: data,
    get url() {
      return running.url;
    },
    get pid() {
      return running.pid;
    },
    get firstAnswerMs() {
      return running.firstAnswerMs;
    },
    log: () => running.log(),
    faults: () => running.faults(),
    message: (ask) => running.message(ask),
    async restart() {
      await running.stop();
      running = await run([...nodeOptions, entry], variables);
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Running extends Pick<Program, 'url' | 'pid' | 'firstAnswerMs' | 'log' | 'faults' | 'message'> {
  stop(): Promise<void>;
}

const run = (args: readonly string[], variables: Record<string, string>): Promise<Running> =>
  onFreePort('127.0.0.1', (port) => runAt(port, args, variables), saysTaken);

async function runAt(
  port: number,
  args: readonly string[],
  variables: Record<string, string>,
): Promise<Running> {
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  // Dies with the test, however that ends.
  const child = spawn('setpriv', ['--pdeathsig=KILL', process.execPath, ...args], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: compiled,
      ...variables,
      BERTH_PORT: String(port),
      BERTH_URL: url,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { pid } = child;
  const ended = once(child, 'exit');
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-logLimit)));
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stop = async (): Promise<void> => {
    if (!isOver()) child.kill('SIGTERM');
    const limit = new AbortController();
    const isStopped = await Promise.race([
      ended.then(() => true),
      wait(stopLimitMs, false, { signal: limit.signal }).catch(() => false),
    ]);
    limit.abort();
    if (!isStopped) child.kill('SIGKILL');
    await ended;
  };
  try {
    if (pid === undefined) throw new Error('Berth did not start.');
    await firstAnswer(`${url}/api/health`, isOver);
  } catch (error) {
    await stop();
    throw new Error(`Berth did not answer: ${log.slice(-4000)}`, { cause: error });
  }
  return {
    url,
    pid,
    stop,
    firstAnswerMs: performance.now() - began,
    log: () => log,
    faults: () => log.split('\n').filter((line) => line !== '' && !/"level":"(debug|info|warn)"/.test(line)),
    async message(ask) {
      const heard = once(child, 'message', { signal: AbortSignal.timeout(120_000) });
      child.kill(ask);
      const [message]: unknown[] = await heard;
      return message;
    },
  };
}

async function firstAnswer(url: string, isOver: () => boolean): Promise<void> {
  for (const end = performance.now() + startLimitMs; performance.now() < end; await wait(10)) {
    if (isOver()) throw new Error('It ended before it answered.');
    const isThere = await fetch(url, { signal: AbortSignal.timeout(5000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
  }
  throw new Error(`No answer within ${startLimitMs / 1000} s.`);
}
