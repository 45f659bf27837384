import type { Mode } from '../run/mode.ts';
import type { FuzzPlan, FuzzReport } from './run.ts';

const mebibyte = 1024 * 1024;

/** The memory that a run may add between its two forced collections. */
export const memoryLimitBytes = 20 * mebibyte;

/**
 * The warm-up fills what is filled once: SQLite's two page caches (8 MB each at most), compiled statements
 * and code, remembered decrypted values. The report says which seed it was.
 */
export const fuzzPlan = ({ isLong, seed }: Mode): FuzzPlan => ({
  seed,
  warmUp: 5000,
  requests: isLong ? 50_000 : 10_000,
});

/** Growth from the first collection to the last. */
export function grown(samples: readonly number[]): number {
  return (samples.at(-1) ?? 0) - (samples[0] ?? 0);
}

/** The figures in one line. */
export function sentenceOf({
  seed,
  requests,
  seconds,
  statuses,
  slowestMs,
  slowest,
  resident,
  held,
}: FuzzReport): string {
  const counts = Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');
  const size = (bytes: number): string => `${(bytes / mebibyte).toFixed(1)} MiB`;
  return (
    `fuzz: seed ${seed}: ${requests} requests in ${seconds.toFixed(0)} s (${counts}); slowest answer ` +
    `${slowestMs.toFixed(0)} ms (${slowest}); memory after the warm-up and then every 10,000: ` +
    `${held.map(size).join(', ')} held, ${resident.map(size).join(', ')} resident`
  );
}
