/**
 * How long things took, as counts in buckets each a tenth wider than the one before: quantiles within five
 * percent, however many there are. Pure.
 */

/** Bucket → count. */
export type Durations = Record<string, number>;

const step = Math.log(1.1);
const leastMs = 0.1;

export function addDuration(durations: Durations, ms: number): void {
  const bucket = String(Math.round(Math.log(Math.max(ms, leastMs)) / step));
  durations[bucket] = (durations[bucket] ?? 0) + 1;
}

/** Adds counts to counts, of any kind. */
export function addCounts(to: Record<string, number>, from: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(from)) to[name] = (to[name] ?? 0) + count;
}

/** The duration in ms that this share (0.5: the median) did not exceed; 0 of none. */
export function quantile(durations: Durations, share: number): number {
  const buckets = Object.entries(durations)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .toSorted((left, right) => left.bucket - right.bucket);
  const rank = share * buckets.reduce((sum, { count }) => sum + count, 0);
  let seen = 0;
  for (const { bucket, count } of buckets) {
    seen += count;
    if (seen >= rank) return Number(Math.exp(bucket * step).toPrecision(3));
  }
  return 0;
}
