import type { Clock } from './clock.ts';

/** Numbers that only grow, also over restarts: milliseconds times 1,000 plus a count; far below 2^53. */
export function createSequence(clock: Clock): () => number {
  let last = 0;
  return () => {
    last = Math.max(last + 1, clock.now() * 1000);
    return last;
  };
}
