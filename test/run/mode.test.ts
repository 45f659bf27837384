import { expect, test } from 'vitest';
import { createRandom } from '../fuzz/random.ts';
import { fuzzPlan } from '../fuzz/plan.ts';
import { isOfThisRun, isWhole, modeOf, ofThisRun, parseSeed, sampleOf } from './mode.ts';

test('the ordinary run has a seed of its own unless it is given one', () => {
  expect(modeOf({})).toEqual({ isLong: false, seed: expect.any(Number) });
  expect(modeOf({ BERTH_TEST_LONG: '1', BERTH_TEST_SEED: '7' })).toEqual({ isLong: true, seed: 7 });
});

test.each(['', 'x', '-1', '1.5', '4294967296'])('the seed %o is refused with its limits', (text) => {
  expect(() => parseSeed(text)).toThrow('a whole number from 0 to 4294967295');
});

test('a tenth is chosen by the seed: the same for the same, another for another, in its order', () => {
  const items = Array.from({ length: 1000 }, (_, index) => index);
  const tenth = (seed: number): number[] => sampleOf(items, 10, createRandom(seed).next);
  expect(tenth(1)).toHaveLength(100);
  expect(tenth(1)).toEqual(tenth(1));
  expect(tenth(1)).toEqual(tenth(1).toSorted((one, other) => one - other));
  expect(tenth(1)).not.toEqual(tenth(2));
  expect(sampleOf([1, 2], 10, createRandom(1).next)).toHaveLength(1);
});

test('the ordinary run takes a share by its seed; the long one and a file run by hand take all', () => {
  const items = Array.from({ length: 9 }, (_, index) => index);
  const ordinary = { BERTH_TEST_LONG: '0', BERTH_TEST_SEED: '5' };
  expect(ofThisRun(items, 3, ordinary)).toHaveLength(3);
  expect(ofThisRun(items, 3, ordinary)).toEqual(ofThisRun(items, 3, ordinary));
  const seeds = Array.from({ length: 60 }, (_, seed) => `${seed}`);
  const taken = seeds.flatMap((seed) => ofThisRun(items, 3, { ...ordinary, BERTH_TEST_SEED: seed }));
  expect(new Set(taken).size).toBe(items.length);
  expect(ofThisRun(items, 3, { BERTH_TEST_LONG: '1', BERTH_TEST_SEED: '5' })).toEqual(items);
  expect(ofThisRun(items, 3, {})).toEqual(items);
  expect([isWhole(ordinary), isWhole({})]).toEqual([false, true]);
});

test('a share is chosen by name, too, and each name by one seed or another', () => {
  const names = Array.from({ length: 300 }, (_, index) => `name ${index}`);
  const takenBy = (seed: string, long = '0'): string[] =>
    names.filter((name) => isOfThisRun(name, 3, { BERTH_TEST_LONG: long, BERTH_TEST_SEED: seed }));
  expect(takenBy('1')).toEqual(takenBy('1'));
  expect(takenBy('1').length).toBeGreaterThan(60);
  expect(takenBy('1').length).toBeLessThan(140);
  const seeds = Array.from({ length: 60 }, (_, seed) => `${seed}`);
  expect(new Set(seeds.flatMap((seed) => takenBy(seed))).size).toBe(names.length);
  expect(takenBy('1', '1')).toEqual(names);
  expect(names.filter((name) => isOfThisRun(name, 3, {}))).toEqual(names);
});

test('the ordinary run makes 15,000 requests, the long one all', () => {
  const made = ({ warmUp, requests }: { warmUp: number; requests: number }): number => warmUp + requests;
  expect(made(fuzzPlan({ isLong: false, seed: 3 }))).toBe(15_000);
  expect(fuzzPlan({ isLong: true, seed: 3 })).toEqual({ seed: 3, warmUp: 5000, requests: 50_000 });
});
