import { expect, test } from 'vitest';
import { placesOf, runsAt, suitePlaces, type SuiteName } from './places.ts';

const ordinary = { BERTH_TEST_LONG: '0', BERTH_TEST_SEED: '5' };
const names = Object.keys(suitePlaces).filter((name): name is SuiteName => name in suitePlaces);

test.each(names)('%s run at one place in the ordinary run, and at both in a whole one', (suite) => {
  expect(placesOf(suite, ordinary)).toHaveLength(1);
  expect(placesOf(suite, { BERTH_TEST_LONG: '1', BERTH_TEST_SEED: '5' })).toEqual(['own machine', 'server']);
  expect(placesOf(suite, {})).toEqual(['own machine', 'server']);
});

test('a part runs on a server unless the table says why it does not', () => {
  expect(runsAt('server', 'conformance', 'application.stop')).toBe(true);
  expect(runsAt('server', 'conformance', 'service.metrics')).toBe(false);
  expect(runsAt('own machine', 'conformance', 'service.metrics')).toBe(true);
});
