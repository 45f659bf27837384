import { expect, test } from 'vitest';
import { waitUntil, waitUntilSo } from './wait-until.ts';

test('gives what a look gives, as soon as it gives something', async () => {
  const looks = [undefined, undefined, 'there', 'too late'];
  expect(await waitUntil(async () => looks.shift(), { everyMs: 1 })).toBe('there');
  expect(looks).toEqual(['too late']);
});

test('looks once at least, and ends at the limit of its clock', async () => {
  let now = 0;
  let looks = 0;
  const look = async (): Promise<boolean> => {
    looks += 1;
    now += 400;
    return false;
  };
  expect(await waitUntilSo(look, { everyMs: 1, limitMs: 1000, clock: { now: () => now } })).toBe(false);
  expect(looks).toBe(3);
  expect(await waitUntilSo(look, { everyMs: 1, limitMs: 0 })).toBe(false);
  expect(looks).toBe(4);
});

test('throws what the look throws, and the reason of an abort during a pause', async () => {
  await expect(waitUntil(() => Promise.reject(new Error('away')), { everyMs: 1 })).rejects.toThrow('away');
  const stop = new AbortController();
  const look = async (): Promise<undefined> => {
    setImmediate(() => stop.abort(new Error('stopped')));
    return undefined;
  };
  await expect(waitUntil(look, { everyMs: 60_000, signal: stop.signal })).rejects.toThrow('stopped');
});
