import { expect, it } from 'vitest';
import { limitedBytes } from './limited-bytes.ts';

it('gives all that is within the limit, and ends a source that goes on', async () => {
  let given = 0;
  let hasEnded = false;
  async function* endless() {
    try {
      for (;;) {
        given += 10;
        yield Buffer.alloc(10, 'a');
      }
    } finally {
      hasEnded = true;
    }
  }
  await expect(limitedBytes(endless(), 25, 'The answer')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The answer is larger than 25 bytes, the most that is read of it.',
  });
  expect([given, hasEnded]).toEqual([30, true]);
  async function* whole() {
    yield Buffer.from('ab');
    yield Buffer.from('c');
  }
  expect(String(await limitedBytes(whole(), 3, 'The answer'))).toBe('abc');
});
