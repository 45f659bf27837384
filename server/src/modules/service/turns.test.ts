import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('works of one application follow each other, also after a failure; others do not wait', async () => {
  const turns = createTurns();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = turns.take('a', async () => {
    await gate.promise;
    order.push('first');
    throw new Error('no');
  });
  const second = turns.take('a', async () => order.push('second'));
  await turns.take('b', async () => order.push('other'));
  gate.resolve();
  await expect(first).rejects.toThrow('no');
  await second;
  expect(order).toEqual(['other', 'first', 'second']);
});

test('a turn inside a turn of the same service belongs to it; what goes on after it waits', async () => {
  const turns = createTurns();
  const gate = Promise.withResolvers<void>();
  let later: Promise<string> | undefined;
  const inner = await turns.take('a', async () => {
    later = gate.promise.then(() => turns.take('a', async () => 'later'));
    return turns.take('b', () => turns.take('a', async () => 'inner'));
  });
  expect(inner).toBe('inner');
  const held = Promise.withResolvers<string>();
  const next = turns.take('a', () => held.promise);
  gate.resolve();
  expect(await Promise.race([later, new Promise((resolve) => setImmediate(() => resolve('waits')))])).toBe(
    'waits',
  );
  held.resolve('next');
  expect([await next, await later]).toEqual(['next', 'later']);
});

test('takeIfFree works only while nobody has the turn', async () => {
  const turns = createTurns();
  const gate = Promise.withResolvers<string>();
  const held = turns.take('a', () => gate.promise);
  expect(await turns.takeIfFree('a', async () => 'worked')).toBeUndefined();
  gate.resolve('done');
  expect(await held).toBe('done');
  expect(await turns.takeIfFree('a', async () => 'worked')).toBe('worked');
});
