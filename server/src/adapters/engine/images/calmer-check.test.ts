import { expect, test } from 'vitest';
import { calmerCheck } from './calmer-check.ts';

const second = 1e9;
const Test = ['CMD', 'true'];

test.each([
  ['each millisecond', { Test, Interval: 1e6 }, { intervalMs: 1000, startIntervalMs: 5000 }],
  [
    'each millisecond while it starts',
    { Test, Interval: 60 * second, StartInterval: 1e6, StartPeriod: 3 * second, Timeout: second, Retries: 7 },
    { intervalMs: 60_000, startIntervalMs: 1000, startPeriodMs: 3000, timeoutMs: 1000, retries: 7 },
  ],
])('a check %s has a second between two', (_when, check, calmer) => {
  const usual = { test: Test, timeoutMs: 30_000, startPeriodMs: 0, retries: 3 };
  expect(calmerCheck(check)).toEqual({ ...usual, ...calmer });
});

test.each([
  ['once a second', { Test, Interval: second, StartInterval: second }],
  ['by the engine’s own figures', { Test }],
  ['that is turned off', { Test: ['NONE'], Interval: 1 }],
  ['that inherits', { Test: [], Interval: 1 }],
  ['that is absent', undefined],
])('a check %s stays the image’s', (_which, check) => {
  expect(calmerCheck(check)).toBeUndefined();
});
