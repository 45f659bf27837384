import { expect, test } from 'vitest';
import { attachmentAddresses, subnetsOverlap, taskRange } from './subnet.ts';

test.each([
  ['10.0.0.0/24', '10.0.0.0/24', true],
  ['10.0.0.0/24', '10.0.1.0/24', false],
  ['10.0.0.0/16', '10.0.200.0/24', true],
  ['10.0.200.0/24', '10.0.0.0/16', true],
  ['10.0.0.7/24', '10.0.0.200/32', true],
  ['0.0.0.0/0', '192.168.1.0/24', true],
  ['255.255.255.0/24', '255.255.254.0/24', false],
  ['', '10.0.0.0/24', false],
  ['10.0.0.0', '10.0.0.0/24', false],
  ['10.0.0.0/33', '10.0.0.0/24', false],
  ['fd00::/64', '10.0.0.0/24', false],
  ['fd00::/64', 'fd00:0:0:0:1::/80', true],
  ['fd00:1::5/48', 'fd00:1:0:7::/64', true],
  ['fd00:1::/48', 'fd00:2::/48', false],
  ['::/0', 'fd00:2::/48', true],
])('%s and %s: %s', (a, b, overlap) => {
  expect(subnetsOverlap(a, b)).toBe(overlap);
});

test('tasks have the lower half, attached containers the top of the upper', () => {
  expect(taskRange('10.1.2.0/24')).toBe('10.1.2.0/25');
  expect(taskRange('10.1.2.0/23')).toBe('10.1.2.0/24');
  expect(taskRange('192.168.255.0/28')).toBe('192.168.255.0/29');
  expect(taskRange('192.168.255.0/29')).toBeUndefined();
  expect(attachmentAddresses('10.1.2.0/23', 3)).toEqual(['10.1.3.254', '10.1.3.253', '10.1.3.252']);
  expect(attachmentAddresses('10.1.2.0/28', 100)).toEqual(
    ['14', '13', '12', '11', '10', '9', '8'].map((last) => `10.1.2.${last}`),
  );
  expect(attachmentAddresses('10.1.2.0/29', 3)).toEqual([]);
});
