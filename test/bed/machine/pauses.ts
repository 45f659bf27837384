/**
 * Pauses between looks at what is waited for: short at first, so that what comes soon is seen soon, then
 * longer, since each look costs the machine something.
 */
import { setTimeout as wait } from 'node:timers/promises';

const growth = 1.25;

/**
 * Gives a function whose calls wait longer and longer, from the first to the longest (milliseconds). What is
 * over again soon needs a longest pause that is shorter than it.
 */
export function growingPause(longestMs = 500, firstMs = 50): () => Promise<void> {
  let nextMs = firstMs;
  return async () => {
    await wait(nextMs);
    nextMs = Math.min(nextMs * growth, longestMs);
  };
}
