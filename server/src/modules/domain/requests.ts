/**
 * Requests of domains by the minute: gathered in memory, written to the database each few seconds, kept for a
 * day.
 */
import { addCounts, addDuration, quantile, type Durations } from '../../domain/time/durations.ts';
import type { SeenRequest } from '../../ports/access-log.ts';
import type { RequestStore } from './store.ts';

export interface RequestMinute {
  /** ISO 8601, its beginning. */
  minute: string;
  requests: number;
  statuses: Record<string, number>;
  /** ms. */
  p50: number;
  p95: number;
  p99: number;
  bytes: number;
}

export interface DomainRequests {
  add(requests: readonly SeenRequest[]): void;
  /** Writes what was gathered. */
  flush(): Promise<void>;
  /** Minutes with requests, oldest first, from the one in which `since` (ms) lies. */
  since(domainId: string, since: number): Promise<RequestMinute[]>;
}

interface Gathered {
  domainId: string;
  minute: number;
  statuses: Record<string, number>;
  durations: Durations;
  bytes: number;
}

const minuteMs = 60_000;

export function createDomainRequests(store: RequestStore): DomainRequests {
  let gathered = new Map<string, Gathered>();
  /** What is being written, until it is. */
  let leaving: Gathered[] = [];

  return {
    add(requests) {
      for (const { at, domainId, status, durationMs, bytes } of requests) {
        const own = entryOf(gathered, domainId, at - (at % minuteMs));
        addCounts(own.statuses, { [status]: 1 });
        addDuration(own.durations, durationMs);
        own.bytes += bytes;
      }
    },
    async flush() {
      if (gathered.size === 0) return;
      leaving = [...gathered.values()];
      gathered = new Map();
      try {
        await store.addMinutes(leaving, merge);
      } catch (error) {
        // They are tried again with the next ones.
        for (const each of leaving) merge(entryOf(gathered, each.domainId, each.minute), each);
        throw error;
      } finally {
        leaving = [];
      }
    },
    async since(domainId, since) {
      const from = since - (since % minuteMs);
      const minutes = new Map<string, Gathered>();
      const stored = await store.minutes(domainId, from);
      for (const each of [...stored, ...leaving, ...gathered.values()]) {
        if (each.domainId === domainId && each.minute >= from)
          merge(entryOf(minutes, domainId, each.minute), each);
      }
      return [...minutes.values()].toSorted((left, right) => left.minute - right.minute).map(shown);
    },
  };
}

function entryOf(entries: Map<string, Gathered>, domainId: string, minute: number): Gathered {
  const key = `${minute} ${domainId}`;
  const present = entries.get(key) ?? { domainId, minute, statuses: {}, durations: {}, bytes: 0 };
  entries.set(key, present);
  return present;
}

function merge(to: Gathered, from: Gathered): void {
  addCounts(to.statuses, from.statuses);
  addCounts(to.durations, from.durations);
  to.bytes += from.bytes;
}

function shown({ minute, statuses, durations, bytes }: Gathered): RequestMinute {
  const requests = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  return {
    minute: new Date(minute).toISOString(),
    requests,
    statuses,
    p50: quantile(durations, 0.5),
    p95: quantile(durations, 0.95),
    p99: quantile(durations, 0.99),
    bytes,
  };
}
