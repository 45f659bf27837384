/** `healthcheck` of a service (compose-spec). Pure. */
import { leastIntervalMs, type HealthCheck } from '../../../ports/engine/health-check.ts';
import {
  below,
  booleanAt,
  durationAt,
  fault,
  mapAt,
  textAt,
  textsAt,
  wholeAt,
  type Place,
} from './values.ts';

/**
 * The engine's own figures for what the file leaves out, the start period apart: with none, a program that
 * takes a moment to start is never given one.
 */
const defaults = { interval: 30_000, timeout: 30_000, retries: 3, start_period: 0 };

/** `disabled` when the file turns the image's own check off. */
export function healthCheckAt(
  value: unknown,
  place: Place,
  notes: string[],
): HealthCheck | 'disabled' | undefined {
  const map = mapAt(value, place);
  if (map.has('disable') && booleanAt(map.get('disable'), below(place, 'disable'))) return 'disabled';
  const test: unknown = map.get('test');
  if (test === undefined) return undefined;
  const words = Array.isArray(test)
    ? textsAt(test, below(place, 'test'))
    : ['CMD-SHELL', textAt(test, below(place, 'test'))];
  if (words[0] === 'NONE') return 'disabled';
  if (words.length < 2 || (words[0] !== 'CMD' && words[0] !== 'CMD-SHELL'))
    throw fault(below(place, 'test'), 'must begin with CMD, CMD-SHELL or NONE, or be one line');
  const time = (key: 'interval' | 'timeout' | 'start_period'): number =>
    map.has(key) ? durationAt(map.get(key), below(place, key)) : defaults[key];
  const startInterval = map.get('start_interval');
  const startPlace = below(place, 'start_interval');
  // The engine takes 0 for its default, and files have it.
  const retries = map.has('retries')
    ? wholeAt(map.get('retries'), below(place, 'retries'), { least: 0, most: 1000 }) || defaults.retries
    : defaults.retries;
  return {
    test: words,
    intervalMs: atLeast(time('interval'), below(place, 'interval'), notes),
    timeoutMs: Math.max(1, time('timeout')),
    startPeriodMs: time('start_period'),
    // Engines before 25.0 pass it over.
    ...(startInterval !== undefined &&
      startInterval !== null && {
        startIntervalMs: atLeast(durationAt(startInterval, startPlace), startPlace, notes),
      }),
    retries,
  };
}

/**
 * The engine runs checks outside of the limits of their container, and takes 0 for its default: an interval
 * is at least a second, whatever the file says.
 */
function atLeast(ms: number, { where }: Place, notes: string[]): number {
  if (ms > 0 && ms < leastIntervalMs)
    notes.push(`${where} is raised to 1 s: checks run outside of the limits of their container.`);
  return Math.max(leastIntervalMs, ms);
}
