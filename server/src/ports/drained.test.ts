import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { drained } from './drained.ts';

function slow(): { stream: Writable; take(): void } {
  let take = (): void => undefined;
  const stream = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void (take = done) });
  stream.write('more than it holds');
  return { stream, take: () => take() };
}

test('is true when what was written was taken', async () => {
  const { stream, take } = slow();
  setImmediate(take);
  expect(await drained(stream)).toBe(true);
  expect([stream.listenerCount('drain'), stream.listenerCount('error')]).toEqual([0, 0]);
});

test('is false when the stream is closed, breaks, or takes nothing for so long', async () => {
  const closed = slow().stream;
  setImmediate(() => closed.destroy());
  expect(await drained(closed)).toBe(false);
  const broken = slow().stream;
  setImmediate(() => broken.destroy(new Error('gone')));
  expect(await drained(broken)).toBe(false);
  expect(await drained(broken)).toBe(false);
  expect(await drained(slow().stream, 1)).toBe(false);
});
