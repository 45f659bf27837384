/** How long single calls take, one after another on one connection. */
import { Agent, request } from 'node:http';

export interface TimedCall {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
}

/** Milliseconds of each call; throws when one does not answer 200. */
export async function timesOf(calls: readonly TimedCall[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const times: number[] = [];
    for (const call of calls) {
      const start = performance.now();
      await answered(call, agent);
      times.push(performance.now() - start);
    }
    return times;
  } finally {
    agent.destroy();
  }
}

function answered({ url, method, headers, body }: TimedCall, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent, timeout: 30_000 }, (response) => {
      response.resume();
      response.once('end', () =>
        response.statusCode === 200
          ? resolve()
          : reject(new Error(`${url} answered ${response.statusCode}.`)),
      );
    });
    call.once('timeout', () => call.destroy(new Error(`${url} did not answer in time.`)));
    call.once('error', reject);
    call.end(body);
  });
}
