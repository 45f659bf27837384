import { expect, it } from 'vitest';
import { bytes, bytesOf } from './units.ts';

it.each([
  ['536870912', 536_870_912],
  ['512 MiB', 536_870_912],
  ['512m', 536_870_912],
  ['1.5 GiB', 1_610_612_736],
  ['2 GB', 2_147_483_648],
  ['8 B', 8],
])('%s is a size', (text, size) => {
  expect(bytesOf(text)).toBe(size);
});

it('gives back what it shows', () => {
  for (const size of [0, 512, 1024, 536_870_912, 2_147_483_648]) expect(bytesOf(bytes(size))).toBe(size);
});

it.each(['', 'much', '5 parsecs', '-1'])('%s is none', (text) => {
  expect(() => bytesOf(text)).toThrow('Give a size');
});
