import { expect, it } from 'vitest';
import { pauseAfter } from './renewing.ts';

const [minute, day] = [60_000, 86_400_000];

it.each([
  [0, undefined, 10 * minute],
  [20, undefined, day],
  [0, 3 * day, 3 * day],
  // As many digits as a provider likes to send in Retry-After.
  [0, Number('9'.repeat(400)), 7 * day],
])('after %i failures and Retry-After %s an order pauses %i ms', (attempts, asked, pause) => {
  expect(pauseAfter(attempts, asked)).toBe(pause);
});
