import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readNotes, withNotes } from './object-notes.ts';

const object = gzipSync('the dump');

async function* inPieces(bytes: Uint8Array, size: number, ended: () => void = () => undefined) {
  try {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  } finally {
    ended();
  }
}

async function whole(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

it.each([
  ['short ones', '{"roles":[]}', 1],
  ['those of more than one member', 'ä'.repeat(70_000), 1000],
  ['those that end with a piece of the source', 'x'.repeat(60_000), 60_026],
])('come back as they were, and gunzip passes them by: %s', async (_, notes, size) => {
  const noted = await whole(withNotes(notes, inPieces(object, 7)));
  expect(gunzipSync(noted).toString()).toBe('the dump');
  const read = await readNotes(inPieces(noted, size));
  expect(read.notes).toBe(notes);
  expect(await whole(read.bytes)).toEqual(noted);
});

it.each([
  ['a plain object', object],
  ['an empty object', Buffer.alloc(0)],
  [
    'the beginning of a member of notes',
    Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 9, 0, 66, 69, 5, 0]),
  ],
  ["another program's extra field", Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 4, 0, 88, 88, 0, 0])],
])('are absent from %s, which comes whole', async (_, bytes) => {
  const read = await readNotes(inPieces(bytes, 3));
  expect(read.notes).toBeUndefined();
  expect(await whole(read.bytes)).toEqual(bytes);
});

it('let the source be ended by one who does not read on', async () => {
  let ended = 0;
  const read = await readNotes(inPieces(object, 20, () => (ended += 1)));
  await read.end();
  expect(ended).toBe(1);
});
