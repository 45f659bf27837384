import { expect, test } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

test('each work begins when the one before it has ended, also when that failed', async () => {
  const inTurn = oneAtATime();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const works = [
    inTurn(async () => {
      order.push('first begins');
      await first.promise;
      order.push('first ends');
      throw new Error('failed');
    }),
    inTurn(async () => order.push('second')),
  ];
  await Promise.resolve();
  first.resolve();
  const ends = await Promise.allSettled(works);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(order).toEqual(['first begins', 'first ends', 'second']);
});
