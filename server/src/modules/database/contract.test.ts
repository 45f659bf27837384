import { expect, test } from 'vitest';
import { contracts } from '../contracts.ts';

const { databaseName } = contracts.postgres.create.input.shape;

test.each([
  ['shop', true],
  ['a:b', true],
  ['a:/b', true],
  ['a-b', true],
  ['-shop', false],
  ['a=b', false],
  ['postgres://elsewhere', false],
  ['a\nb', false],
])('a database may be called %j: %s', (name, isTaken) => {
  expect(databaseName.safeParse(name).success).toBe(isTaken);
});
