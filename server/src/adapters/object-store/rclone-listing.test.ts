import { expect, it } from 'vitest';
import { readListing } from './rclone-listing.ts';

const row = (at: number): string =>
  `{"Path":"a/${at}","Name":"${at}","Size":${at},"ModTime":"2026-11-26T10:00:00.000000000Z",` +
  '"IsDir":false,"Tier":""}';

it('reads what rclone prints, in whatever pieces it comes', async () => {
  const text = `[\n${[row(1), row(2)].join(',\n')}\n]\n`;
  async function* pieces() {
    for (let at = 0; at < text.length; at += 7) yield Buffer.from(text.slice(at, at + 7));
  }
  const modifiedAt = '2026-11-26T10:00:00.000Z';
  expect(await readListing(pieces(), 'shop')).toEqual([
    { path: 'shop/a/1', bytes: 1, modifiedAt },
    { path: 'shop/a/2', bytes: 2, modifiedAt },
  ]);
  async function* nothing() {
    yield Buffer.from('[\n]\n');
  }
  expect(await readListing(nothing(), '')).toEqual([]);
});

it.each([
  { objects: 50, bytes: 1_000_000 },
  { objects: 1_000_000, bytes: 5000 },
])('ends a store that lists without end at %o', async (limits) => {
  let given = 0;
  async function* endless() {
    yield '[\n';
    for (;;) {
      given += 1;
      yield `${row(given)},\n`;
    }
  }
  await expect(readListing(endless(), '', limits)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  expect(given).toBeLessThan(60);
});
