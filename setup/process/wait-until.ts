/** Waits for something to become true, never longer than the limit. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  limitMs: number;
  everyMs?: number;
  signal: AbortSignal;
}

/**
 * Gives the first value that is not undefined, or undefined when the limit passed. Rejects when the signal
 * fires.
 */
export async function waitUntil<T>(
  probe: () => Promise<T | undefined> | T | undefined,
  options: WaitOptions,
): Promise<T | undefined> {
  const end = performance.now() + options.limitMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (performance.now() >= end) return undefined;
    await sleep(options.everyMs ?? 200, undefined, { signal: options.signal });
  }
}
