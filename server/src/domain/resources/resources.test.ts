import { expect, test } from 'vitest';
import { checkReservations, parseCpus, parseMemory } from './resources.ts';

test.each([
  ['512m', 536_870_912],
  ['1g', 1_073_741_824],
  ['1.5g', 1_610_612_736],
  ['6m', 6_291_456],
  ['268435456', 268_435_456],
])('memory %s', (text, bytes) => expect(parseMemory(text, 'memoryLimit')).toBe(bytes));

test.each([
  '',
  ' 1g',
  '1g\n',
  '512',
  '0',
  '-1g',
  '1.g',
  '.5g',
  '1e9',
  '512k',
  '512mb',
  '1G',
  '1t',
  'Infinity',
  '9'.repeat(30),
  '99999999999999g',
  '1,5g',
  '٣m',
  '1g; rm -rf /',
])('memory %j is refused', (text) => expect(() => parseMemory(text, 'memoryLimit')).toThrow('memoryLimit: '));

test.each([
  ['0.5', 500_000_000],
  ['1.5', 1_500_000_000],
  ['2', 2_000_000_000],
  ['0.001', 1_000_000],
  ['1000000', 1_000_000],
  ['1500000000', 1_500_000_000],
])('cpu %s', (text, nanoCpus) => expect(parseCpus(text, 'cpuLimit')).toBe(nanoCpus));

test.each([
  '',
  '0',
  '0.0',
  '-1',
  '1.',
  '.5',
  '999999',
  '1e3',
  '0x10',
  '1 ',
  'NaN',
  '0.0001',
  '1000000.5',
  '9'.repeat(400),
])('cpu %j is refused', (text) => expect(() => parseCpus(text, 'cpuLimit')).toThrow('cpuLimit: '));

const free = { memoryLimit: null, memoryReservation: null, cpuLimit: null, cpuReservation: null };
test('a reservation fits into its limit, in whatever unit', () => {
  expect(() =>
    checkReservations({
      memoryLimit: '1g',
      memoryReservation: '1024m',
      cpuLimit: '1.5',
      cpuReservation: '1500000000',
    }),
  ).not.toThrow();
  expect(() => checkReservations({ ...free, memoryReservation: '8g', cpuReservation: '4' })).not.toThrow();
  expect(() => checkReservations({ ...free, memoryLimit: '512m', memoryReservation: '513m' })).toThrow(
    'memoryReservation: ',
  );
  expect(() => checkReservations({ ...free, cpuLimit: '0.5', cpuReservation: '0.6' })).toThrow(
    'cpuReservation: ',
  );
});
