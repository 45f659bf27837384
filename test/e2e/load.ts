/**
 * Requests at a fixed rate through the proxy, every other one on a connection of its own, the rest on kept
 * ones.
 */
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';

export interface LoadOptions {
  /** Address of the proxy. */
  ip: string;
  hostName: string;
  path: string;
  perSecond: number;
}

export interface Load {
  /** Stops sending, waits for the answers that are due, and gives the count. */
  stop(): Promise<LoadResult>;
}

export interface LoadResult {
  sent: number;
  ok: number;
  failed: number;
  /**
   * Requests that a reused idle connection lost and that were sent once more, as browsers do (RFC 9110,
   * 9.2.2).
   */
  retried: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** How often each body was answered. */
  answers: Record<string, number>;
  /** What went wrong, at most ten. */
  failures: string[];
}

const tickMs = 5;
const answerLimitMs = 20_000;

export function startLoad(options: LoadOptions): Load {
  const kept = new Agent({ keepAlive: true, maxSockets: 64 });
  const times: number[] = [];
  const result: LoadResult = {
    sent: 0,
    ok: 0,
    failed: 0,
    retried: 0,
    p50: 0,
    p99: 0,
    answers: {},
    failures: [],
  };
  const under = new Set<Promise<void>>();
  let stopped = false;

  async function one(agent: Agent | false): Promise<void> {
    const began = performance.now();
    try {
      const { status, body } = await ask(options, agent).catch((error: unknown) => {
        if (!(error instanceof LostIdle)) throw error;
        result.retried += 1;
        return ask(options, false);
      });
      if (status !== 200) throw new Error(`answered ${status}: ${body.slice(0, 100)}`);
      result.ok += 1;
      result.answers[body] = (result.answers[body] ?? 0) + 1;
      times.push(performance.now() - began);
    } catch (error) {
      result.failed += 1;
      if (result.failures.length < 10)
        result.failures.push(
          `${new Date().toISOString()} ${error instanceof Error ? error.message : String(error)}`,
        );
    }
  }
  async function run(): Promise<void> {
    const began = performance.now();
    while (!stopped) {
      const due = ((performance.now() - began) / 1000) * options.perSecond;
      while (result.sent < due) {
        result.sent += 1;
        const call = one(result.sent % 2 === 0 ? kept : false).finally(() => under.delete(call));
        under.add(call);
      }
      await wait(tickMs);
    }
  }
  const running = run();
  return {
    async stop() {
      stopped = true;
      await running;
      await Promise.all(under);
      kept.destroy();
      times.sort((a, b) => a - b);
      return { ...result, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
    },
  };
}

/** One line for the log of the run. */
function summary({ sent, ok, failed, retried, p50, p99, answers }: LoadResult): string {
  const counts = Object.entries(answers).map(([body, count]) => `${body}: ${count}`);
  return (
    `sent ${sent}, ok ${ok}, failed ${failed}, sent again on a new connection ${retried}, ` +
    `p50 ${p50} ms, p99 ${p99} ms; ${counts.join(', ')}`
  );
}

/** Ends the load; every request must have been answered. */
export async function expectAllAnswered(name: string, load: Load): Promise<LoadResult> {
  const result = await load.stop();
  console.log(`${name}: ${summary(result)}`);
  expect({ failed: result.failed, failures: result.failures }).toEqual({ failed: 0, failures: [] });
  expect(result.ok).toBe(result.sent);
  return result;
}

/** The server closed a connection that lay idle just as it was used again. */
class LostIdle extends Error {}

/**
 * Connections that had a request. Node's `reusedSocket` does not know of those that go straight on to a
 * request that waited for one.
 */
const used = new WeakSet<Socket>();

function ask(
  { ip, hostName, path }: LoadOptions,
  agent: Agent | false,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: ip, port: 80, path, headers: { host: hostName }, agent, timeout: answerLimitMs },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
        response.once('error', reject);
      },
    );
    let isReused = false;
    call.once('socket', (socket) => {
      isReused = used.has(socket);
      used.add(socket);
    });
    call.once('timeout', () => call.destroy(new Error(`no answer in ${answerLimitMs / 1000} s`)));
    call.once('error', (error) => {
      const isLost = isReused && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(isLost ? new LostIdle() : error);
    });
    call.end();
  });
}

function quantile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
