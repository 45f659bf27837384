/** What graphs show: values over one of these ranges of time. */
export const ranges = {
  '1h': { word: '1 h', ms: 3_600_000, everyMs: 15_000 },
  '24h': { word: '24 h', ms: 24 * 3_600_000, everyMs: 60_000 },
  '7d': { word: '7 d', ms: 7 * 24 * 3_600_000, everyMs: 300_000 },
  '30d': { word: '30 d', ms: 30 * 24 * 3_600_000, everyMs: 900_000 },
} as const;

export type Range = keyof typeof ranges;

export const rangeNames = Object.keys(ranges).filter((name): name is Range => name in ranges);

/** Points of a line; more than a graph has pixels show nothing more. */
const points = 300;

/**
 * What asks for a range. Its beginning is rounded down to the interval of reading, so that the questions of
 * one interval are the same one.
 */
export function questionOf(range: Range, now: number): { since: string; points: number } {
  const { ms, everyMs } = ranges[range];
  return { since: new Date(Math.floor((now - ms) / everyMs) * everyMs).toISOString(), points };
}

/** A time within a range, as short as the range allows. */
export function timeWithin(range: Range, at: Date, locale?: string): string {
  const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const day = { day: 'numeric', month: 'short' } as const;
  return at.toLocaleString(locale, range === '1h' || range === '24h' ? hour : { ...day, ...hour });
}

export interface Graph {
  title: string;
  lines: readonly { name: string; values: readonly number[] }[];
  /** A value for people. */
  shown: (value: number) => string;
  /** The most that a value can be, drawn as a line. */
  limit?: number;
}

/** Something that happened, drawn across each graph. */
export interface Happening {
  /** Seconds since 1970. */
  at: number;
  name: string;
}
