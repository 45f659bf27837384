import { expect, test } from 'vitest';
import { contracts } from './contracts.ts';

test('makes the record of a kind of database once for all its procedures', () => {
  const { start, update } = contracts.postgres;
  expect(start.output).toBe(update.output);
});
