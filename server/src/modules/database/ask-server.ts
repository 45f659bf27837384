/** Says something to a database's server with the client of its own image, in the container that runs it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { ExecResult } from '../../ports/engine/engine-program.ts';
import type { Script } from './kinds/server.ts';

export interface Asking {
  signal: AbortSignal;
  limitMs: number;
}

/** The container that runs the service; SERVICE_UNAVAILABLE when none does. */
export async function runningContainer(engine: Pick<Engine, 'tasks'>, serviceName: string): Promise<string> {
  const task = (await engine.tasks(serviceName)).find(
    ({ state, desiredState }) => state === 'running' && desiredState === 'running',
  );
  if (task?.containerId === undefined)
    throw new AppError('SERVICE_UNAVAILABLE', `The server of ${serviceName} is not running at this moment.`);
  return task.containerId;
}

/** What the script did and printed; a failure is an answer, not an error. */
export async function askServer(
  engine: Pick<Engine, 'tasks' | 'exec'>,
  serviceName: string,
  { script, env }: Script,
  { signal, limitMs }: Asking,
): Promise<ExecResult> {
  return engine.exec(await runningContainer(engine, serviceName), {
    argv: ['sh', '-c', script],
    env,
    signal,
    limitMs,
  });
}

/**
 * Between two questions: short at first, since most servers that refuse are about to be ready; each costs the
 * start of a client.
 */
const firstPauseMs = 250;
const longestPauseMs = 2000;

export interface Understanding<T> {
  /** What an answer comes to; undefined when it is none yet. */
  understand(output: string): T | undefined;
  /** What to say when there is none in time, with the client's last words. */
  refusal(lastWords: string): string;
}

/**
 * Asks until an answer is understood, at most for `limitMs`; gives what `understand` made of it. Throws
 * PRECONDITION_FAILED with `refusal` otherwise: a server that takes requests may still refuse this user. One
 * that could not be asked at all is what `ask` throws.
 */
export async function askUntilAnswered<T>(
  ask: () => Promise<ExecResult>,
  { understand, refusal }: Understanding<T>,
  { signal, limitMs }: Asking,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    signal.throwIfAborted();
    const result = await ask();
    const understood = result.exitCode === 0 ? understand(result.stdout) : undefined;
    if (understood !== undefined) return understood;
    if (Date.now() > end) throw new AppError('PRECONDITION_FAILED', refusal(lastWords(result)));
    await sleep(pauseMs, undefined, { signal });
  }
}

/** The end of what a program said, in one line. */
export function lastWords({ stdout, stderr, exitCode }: ExecResult): string {
  const words = `${stderr.trim()}\n${stdout.trim()}`.trim().split('\n').slice(-5).join(' ').slice(-1000);
  return words === '' ? `its client ended with exit code ${exitCode}` : words;
}
