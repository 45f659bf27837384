import { expect, test } from 'vitest';
import { z } from 'zod';

test('makes no more schemas than it must: each start makes them all, and waits for that', async () => {
  let made = 0;
  Object.assign(z.config(), { postProcessor: () => void (made += 1) });
  const { contracts } = await import('./contracts.ts');
  // Texts of one length, items of a list and records of a kind are made once; without that they are 6,600.
  expect(made).toBeGreaterThan(2000);
  expect(made).toBeLessThan(5300);
  expect(contracts.postgres.start.output).toBe(contracts.postgres.update.output);
});
