import { expect, it } from 'vitest';
import { databaseContracts } from '../database/contract.ts';
import { name } from './contract-fields.ts';

it('a name is one line, without the blanks around it', () => {
  expect(name.parse('  web 1\t')).toBe('web 1');
  for (const text of ['', '   ', 'a\nb', '\nshop', 'shop\r\n', 'x'.repeat(101)])
    expect(name.safeParse(text).success, JSON.stringify(text)).toBe(false);
});

it('names of databases are kept by the same rule', () => {
  const { name: given } = databaseContracts.postgres.create.input.shape;
  expect(given.parse(' shop ')).toBe('shop');
  expect(given.safeParse('\nshop').success).toBe(false);
});
