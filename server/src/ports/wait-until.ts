/** Waiting for what tells nobody that it has come: a look, a pause, and the next look. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from './clock.ts';

export interface Waiting {
  /** Milliseconds between two looks. */
  everyMs: number;
  /** Milliseconds from now; without it the signal or the look ends it. */
  limitMs?: number;
  signal?: AbortSignal | undefined;
  /** One that never goes back, unless told otherwise. */
  clock?: Clock;
}

const monotonic: Clock = { now: () => performance.now() };

/**
 * What the look gives as soon as that is not undefined; undefined at the limit, after at least one look.
 * Throws what the look throws, and the signal's reason.
 */
export function waitUntil<T>(
  look: () => Promise<T | undefined>,
  waiting: Waiting & { limitMs?: undefined },
): Promise<T>;
export function waitUntil<T>(look: () => Promise<T | undefined>, waiting: Waiting): Promise<T | undefined>;
export async function waitUntil<T>(
  look: () => Promise<T | undefined>,
  { everyMs, limitMs = Infinity, signal, clock = monotonic }: Waiting,
): Promise<T | undefined> {
  const end = clock.now() + limitMs;
  for (;;) {
    signal?.throwIfAborted();
    const found = await look();
    if (found !== undefined || clock.now() >= end) return found;
    // An abort shows at the top of the loop, with its own reason.
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether it became so within the limit. */
export async function waitUntilSo(look: () => Promise<boolean>, waiting: Waiting): Promise<boolean> {
  return (await waitUntil(async () => ((await look()) ? true : undefined), waiting)) ?? false;
}
