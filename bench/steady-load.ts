/** Requests at a steady rate, whether or not the earlier ones were answered, as visitors come. */
import { Agent, request } from 'node:http';

export interface SteadyResult {
  requests: number;
  /** Every answer but 200, every broken or unanswered request, with how often. */
  failures: ReadonlyMap<string, number>;
  p99Ms: number;
}

export interface SteadyOptions {
  ip: string;
  host: string;
  perSecond: number;
  /** The load goes on until this has ended. */
  until: Promise<unknown>;
}

const answerLimitMs = 10_000;

export async function steadyLoad({ ip, host, perSecond, until }: SteadyOptions): Promise<SteadyResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const times: number[] = [];
  const failures = new Map<string, number>();
  const under: Promise<void>[] = [];
  let isOver = false;
  void until.finally(() => (isOver = true)).catch(() => undefined);
  const start = performance.now();
  const send = async (): Promise<void> => {
    const began = performance.now();
    const outcome = await answerOf(agent, ip, host);
    times.push(performance.now() - began);
    if (outcome !== '200') failures.set(outcome, (failures.get(outcome) ?? 0) + 1);
  };
  try {
    while (!isOver) {
      // As many as the clock says are due, so that a late timer does not thin the load out.
      const due = Math.floor(((performance.now() - start) / 1000) * perSecond) - under.length;
      for (let count = 0; count < due; count += 1) under.push(send());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(under);
    const sorted = times.toSorted((a, b) => a - b);
    return { requests: times.length, failures, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? NaN };
  } finally {
    agent.destroy();
  }
}

function answerOf(agent: Agent, ip: string, host: string): Promise<string> {
  return new Promise((resolve) => {
    const call = request(
      { agent, host: ip, port: 80, path: '/', headers: { host }, timeout: answerLimitMs },
      (response) => {
        response.resume();
        response.once('end', () => resolve(String(response.statusCode)));
        response.once('error', (error) => resolve(error.message));
      },
    );
    call.once('timeout', () => call.destroy(new Error(`no answer in ${answerLimitMs / 1000} s`)));
    call.once('error', (error) => resolve(error.message));
    call.end();
  });
}
