import { expect, test } from 'vitest';
import { attachmentAddresses, taskRange } from './subnet.ts';

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
