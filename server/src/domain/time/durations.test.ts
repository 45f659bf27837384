import { expect, test } from 'vitest';
import { addCounts, addDuration, quantile, type Durations } from './durations.ts';

test('quantiles are within five percent of the true ones', () => {
  const durations: Durations = {};
  const times = Array.from({ length: 10_000 }, (_, index) => 0.5 + (index * index) / 20_000);
  for (const time of times) addDuration(durations, time);
  for (const share of [0.5, 0.95, 0.99, 1]) {
    const exact = times[Math.ceil(share * times.length) - 1] ?? 0;
    expect(Math.abs(quantile(durations, share) / exact - 1)).toBeLessThan(0.05);
  }
  expect(Object.keys(durations).length).toBeLessThan(120);
});

test('nothing took no time; what is shorter than can be told counts as the least', () => {
  expect(quantile({}, 0.5)).toBe(0);
  const durations: Durations = {};
  for (const time of [0, -1, 0.01]) addDuration(durations, time);
  expect(quantile(durations, 0.99)).toBeCloseTo(0.1, 2);
});

test('counts of two sources are one', () => {
  const counts = { a: 1, b: 2 };
  addCounts(counts, { b: 3, c: 4 });
  expect(counts).toEqual({ a: 1, b: 5, c: 4 });
});
