/** What is counted since the start of this process. */
import type { Family, Labels } from './exposition.ts';

const helps = {
  berth_api_requests_total: 'Requests that Berth answered, by class of status.',
  berth_proxy_requests_total: 'Requests that the proxies answered for services, by class of status.',
  berth_proxy_response_bytes_total: 'Bytes that the proxies answered for services.',
  berth_events_total: 'Events that notifications are made of.',
  berth_builds_total: 'Builds that held a slot and gave it back.',
  berth_build_seconds_total: 'Seconds for which builds held a slot.',
} as const;

export type CounterName = keyof typeof helps;
const names = Object.keys(helps).filter((name): name is CounterName => name in helps);

export interface Counters {
  add(name: CounterName, by: number, labels?: Labels): void;
  families(): Family[];
}

export function createCounters(): Counters {
  const values = new Map(names.map((name) => [name, new Map<string, { labels: Labels; value: number }>()]));
  return {
    add(name, by, labels = {}) {
      const key = JSON.stringify(labels);
      const samples = values.get(name);
      const value = (samples?.get(key)?.value ?? 0) + by;
      samples?.set(key, { labels, value });
    },
    families: () =>
      names.map((name) => ({
        name,
        help: helps[name],
        type: 'counter',
        samples: [...(values.get(name)?.values() ?? [])],
      })),
  };
}

/** 200 → 2xx. */
export const statusClass = (status: number): string => `${Math.floor(status / 100)}xx`;

/** Requests that proxies have told of. */
export function countRequests(
  counters: Pick<Counters, 'add'>,
  seen: readonly { status: number; bytes: number }[],
): void {
  for (const { status, bytes } of seen) {
    counters.add('berth_proxy_requests_total', 1, { code: statusClass(status) });
    counters.add('berth_proxy_response_bytes_total', bytes);
  }
}
