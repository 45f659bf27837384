import { expect, test } from 'vitest';
import { indicesOf, poolRoom, subnetOf } from './network-pool.ts';

test('an index is one /24 of the pool, as long as there is room', () => {
  expect(poolRoom('10.192.0.0/12')).toBe(4096);
  expect(subnetOf('10.192.0.0/12', 0)).toBe('10.192.0.0/24');
  expect(subnetOf('10.192.0.0/12', 300)).toBe('10.193.44.0/24');
  expect(subnetOf('192.168.16.0/20', 15)).toBe('192.168.31.0/24');
  expect(() => subnetOf('192.168.16.0/20', 16)).toThrow(/room for 16 networks/);
});

test.each<[string, number[]]>([
  ['10.192.2.0/24', [2]],
  ['10.192.2.128/25', [2]],
  ['10.192.4.7/23', [4, 5]],
  ['10.193.0.0/24', [256]],
  ['10.191.255.0/24', []],
  ['10.208.0.0/24', []],
  ['172.17.0.0/16', []],
  ['fd00::/64', []],
  ['', []],
])('%s has the indices %j', (subnet, indices) => {
  expect([...indicesOf('10.192.0.0/12', [subnet])]).toEqual(indices);
});

test('a network round the pool has all of it', () => {
  expect(indicesOf('10.192.0.0/20', ['10.0.0.0/8']).size).toBe(16);
});
