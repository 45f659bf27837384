import { expect, test } from 'vitest';
import { createPlaces } from './places.ts';

const forever = new AbortController().signal;

test('a place goes to the first who still waits', async () => {
  const places = createPlaces(1);
  await places.take(forever);
  const gone = new AbortController();
  const first = places.take(gone.signal).catch((error: Error) => error.message);
  const second = places.take(forever);
  gone.abort(new Error('too late'));
  expect(await first).toBe('too late');
  places.release();
  await second;
  expect(places.open()).toBe(1);
});

test('whoever leaves at the moment of their turn passes it on', async () => {
  const places = createPlaces(1);
  await places.take(forever);
  const gone = new AbortController();
  const first = places.take(gone.signal).catch((error: Error) => error.message);
  const second = places.take(forever);
  places.release();
  gone.abort(new Error('too late'));
  expect(await first).toBe('too late');
  await second;
  expect(places.open()).toBe(1);
});
