/** The health check of an image whose author lets the engine ask too often. */
import { leastIntervalMs, type HealthCheck } from '../../../ports/engine/health-check.ts';
import type { ImageAnswer } from '../services/answers.ts';
import { nanosecondsPerMs } from '../services/service-spec.ts';

/** Undefined for a check whose pauses are long enough. Absent figures are the engine's own. */
export function calmerCheck(
  check: NonNullable<ImageAnswer['Config']>['Healthcheck'],
): HealthCheck | undefined {
  const test = check?.Test ?? [];
  if (!check || test.length === 0 || test[0] === 'NONE') return undefined;
  const intervalMs = millisecondsOf(check.Interval, 30_000);
  const startIntervalMs = millisecondsOf(check.StartInterval, 5000);
  if (Math.min(intervalMs, startIntervalMs) >= leastIntervalMs) return undefined;
  return {
    test,
    intervalMs: Math.max(leastIntervalMs, intervalMs),
    timeoutMs: millisecondsOf(check.Timeout, 30_000),
    startPeriodMs: millisecondsOf(check.StartPeriod, 0),
    startIntervalMs: Math.max(leastIntervalMs, startIntervalMs),
    retries: check.Retries || 3,
  };
}

const millisecondsOf = (nanoseconds: number | null | undefined, initial: number): number =>
  nanoseconds ? nanoseconds / nanosecondsPerMs : initial;
