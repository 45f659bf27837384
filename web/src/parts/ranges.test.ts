import { expect, it } from 'vitest';
import { questionOf, rangeNames, ranges, timeWithin } from './ranges.ts';

it('asks the same for as long as nothing new is to be read', () => {
  const now = Date.parse('2026-03-01T12:00:07.000Z');
  for (const range of rangeNames) {
    const { since, points } = questionOf(range, now);
    const { ms, everyMs } = ranges[range];
    expect(questionOf(range, Date.parse(since) + ms + everyMs - 1)).toEqual({ since, points });
    expect(Date.parse(questionOf(range, Date.parse(since) + ms + everyMs).since)).toBe(
      Date.parse(since) + everyMs,
    );
    expect(Date.parse(since)).toBeLessThanOrEqual(now - ms);
  }
});

it('names the day where a range has several', () => {
  const at = new Date(2026, 2, 1, 9, 5);
  expect(timeWithin('1h', at, 'en-GB')).toBe('09:05');
  expect(timeWithin('30d', at, 'en-GB')).toMatch(/1 Mar.*09:05/);
});
