/** Requests at the proxy: into the access logs, and counted by the minute. */
import type { AccessLog, SeenRequest } from '../ports/access-log.ts';
import type { Clock } from '../ports/clock.ts';

export interface Counting {
  take(requests: readonly SeenRequest[]): Promise<void>;
  /** Writes what was gathered. */
  stop(): Promise<void>;
}

export interface CountingParts {
  /** By the minute of each domain. */
  requests: { add(seen: readonly SeenRequest[]): void; flush(): Promise<unknown> };
  stores: { requests: { prune(before: number): Promise<unknown> } };
  adapters: { accessLog: Pick<AccessLog, 'append' | 'prune'> };
  clock: Clock;
  log: { fault(error: unknown, where: string): unknown };
  /** For monitoring systems. */
  count(seen: readonly SeenRequest[]): void;
}

const flushMs = 10_000;
const pruneMs = 3_600_000;
const dayMs = 24 * 3_600_000;
const keptLogsMs = 30 * dayMs;

export function createCounting(parts: CountingParts): Counting {
  const { requests, stores, adapters, clock, log } = parts;
  const attempt = (work: () => Promise<unknown>): void =>
    void work().catch((error: unknown) => log.fault(error, 'requests'));
  async function prune(): Promise<void> {
    await stores.requests.prune(clock.now() - dayMs);
    await adapters.accessLog.prune(clock.now() - keptLogsMs);
  }
  const timers = [
    setInterval(() => attempt(requests.flush), flushMs),
    setInterval(() => attempt(prune), pruneMs),
  ];
  return {
    take(seen) {
      requests.add(seen);
      parts.count(seen);
      return adapters.accessLog.append(seen);
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await requests.flush();
    },
  };
}
