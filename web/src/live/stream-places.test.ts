import { expect, it } from 'vitest';
import { laterStreams } from './stream-places.ts';

it('counts the streams that began later and have not ended', () => {
  const heard = new Map<string, number>();
  expect(laterStreams(heard, { id: 'older', at: 5 }, 10)).toBe(0);
  expect(laterStreams(heard, { id: 'a', at: 11 }, 10)).toBe(1);
  expect(laterStreams(heard, { id: 'a', at: 12 }, 10)).toBe(1);
  expect(laterStreams(heard, { id: 'b', at: 13 }, 10)).toBe(2);
  expect(laterStreams(heard, { id: 'a' }, 10)).toBe(1);
  expect(laterStreams(heard, { id: 'older', at: 14 }, 10)).toBe(2);
});
