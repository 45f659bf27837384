/** Which lines of a log are wanted. */

export const ranges = {
  '': 'Any time',
  '5m': 'Last 5 minutes',
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '24h': 'Last day',
  between: 'Between …',
} as const;
export type Range = keyof typeof ranges;

const minutes: Partial<Record<Range, number>> = { '5m': 5, '15m': 15, '1h': 60, '24h': 24 * 60 };

export interface LogFilter {
  q: string;
  level: string;
  task: string;
  service: string;
  range: Range;
  /** ISO times, of `between`. */
  from: string;
  to: string;
}

export const everyLine: LogFilter = {
  q: '',
  level: '',
  task: '',
  service: '',
  range: '',
  from: '',
  to: '',
};

export interface FilterState {
  filter: LogFilter;
  change: (part: Partial<LogFilter>) => void;
}

const names = Object.keys(everyLine) as (keyof LogFilter)[];

/** As an address says it. */
export function filterOf(search: Record<string, unknown>): LogFilter {
  const texts = names.map((name) => [name, typeof search[name] === 'string' ? search[name] : '']);
  const filter = Object.fromEntries(texts) as Record<keyof LogFilter, string>;
  return { ...filter, range: isRange(filter.range) ? filter.range : '' };
}

export const isRange = (text: string): text is Range => Object.hasOwn(ranges, text);

export const said = (filter: LogFilter): Partial<LogFilter> =>
  Object.fromEntries(names.filter((name) => filter[name] !== '').map((name) => [name, filter[name]]));

export const without = (search: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(search).filter(([name]) => !names.some((one) => one === name)));

/** From when to when, as ISO times; `now` is when the range was chosen. */
export function timesOf({ range, from, to }: LogFilter, now: number): { from?: string; to?: string } {
  if (range === 'between') return { ...(from ? { from } : {}), ...(to ? { to } : {}) };
  const count = minutes[range];
  return count === undefined ? {} : { from: new Date(now - count * 60_000).toISOString() };
}

/** For a field of the browser, which knows local times alone; empty for no time. */
export function localTime(iso: string): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return '';
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export const isoTime = (local: string): string => (local === '' ? '' : new Date(local).toISOString());
