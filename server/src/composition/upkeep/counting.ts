/** Requests at the proxy: into the access logs, and counted by the minute. */
import { createDomainRequests, type DomainRequests } from '../../modules/domain/requests.ts';
import { statusClass, type Counters } from '../../modules/metrics/counters.ts';
import type { SeenRequest } from '../../ports/access-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Adapters } from '../adapters.ts';
import type { Log } from '../installation/log.ts';
import type { Stores } from '../stores.ts';

export interface Counting {
  requests: DomainRequests;
  take(requests: readonly SeenRequest[]): Promise<void>;
  /** Writes what was gathered. */
  stop(): Promise<void>;
}

export interface CountingParts {
  stores: Pick<Stores, 'requests'>;
  adapters: Pick<Adapters, 'accessLog'>;
  clock: Clock;
  log: Log;
  counters: Pick<Counters, 'add'>;
}

const flushMs = 10_000;
const pruneMs = 3_600_000;
const dayMs = 24 * 3_600_000;
const keptLogsMs = 30 * dayMs;

export function createCounting({ stores, adapters, clock, log, counters }: CountingParts): Counting {
  const requests = createDomainRequests(stores.requests);
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
    requests,
    take(seen) {
      requests.add(seen);
      for (const { status, bytes } of seen) {
        counters.add('berth_proxy_requests_total', 1, { code: statusClass(status) });
        counters.add('berth_proxy_response_bytes_total', bytes);
      }
      return adapters.accessLog.append(seen);
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await requests.flush();
    },
  };
}
