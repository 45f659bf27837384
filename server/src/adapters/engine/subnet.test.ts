import { expect, test } from 'vitest';
import { subnetsOverlap } from './subnet.ts';

test.each([
  ['10.0.0.0/24', '10.0.0.0/24', true],
  ['10.0.0.0/24', '10.0.1.0/24', false],
  ['10.0.0.0/16', '10.0.200.0/24', true],
  ['10.0.200.0/24', '10.0.0.0/16', true],
  ['10.0.0.7/24', '10.0.0.200/32', true],
  ['0.0.0.0/0', '192.168.1.0/24', true],
  ['255.255.255.0/24', '255.255.254.0/24', false],
  ['', '10.0.0.0/24', false],
  ['fd00::/64', '10.0.0.0/24', false],
])('%s and %s: %s', (a, b, overlap) => {
  expect(subnetsOverlap(a, b)).toBe(overlap);
});
