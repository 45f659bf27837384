import { randomBytes } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressed, decompressed, measure, measured, watched, type Bytes } from './streams.ts';

const bytes = randomBytes(900_000);

async function* pieces(whole: Uint8Array, failAt = Infinity): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += 50_000) {
    if (at >= failAt) throw new Error('the source broke');
    yield whole.subarray(at, at + 50_000);
  }
}
async function collect(source: Bytes): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

test('what is compressed comes back, counted and hashed on its way', async () => {
  const there = { bytes: 0, checksum: '' };
  const packed = await collect(compressed(measured(pieces(bytes), there)));
  expect(there).toEqual(await measure(pieces(bytes)));
  expect(there.bytes).toBe(bytes.length);
  expect((await collect(decompressed(pieces(packed)))).equals(bytes)).toBe(true);
});

test('the fault of a source comes through, and is told once', async () => {
  const faults: unknown[] = [];
  await expect(
    collect(compressed(watched(pieces(bytes, 300_000), (error) => faults.push(error)))),
  ).rejects.toThrow('the source broke');
  expect(faults).toHaveLength(1);
});

test('whoever wants no more ends the source, and that is no fault', async () => {
  let isEnded = false;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield randomBytes(50_000);
    } finally {
      isEnded = true;
    }
  }
  const faults: unknown[] = [];
  for await (const _chunk of compressed(watched(source(), (error) => faults.push(error)))) break;
  await expect.poll(() => isEnded).toBe(true);
  expect(faults).toEqual([]);
});

test('a damaged or cut stream is told as such', async () => {
  const packed = await collect(compressed(pieces(bytes)));
  const spoilt = Buffer.from(packed);
  spoilt.fill(0, 400_000, 400_100);
  const damaged = { code: 'PRECONDITION_FAILED', message: expect.stringContaining('damaged') };
  for (const source of [
    spoilt,
    packed.subarray(0, 500_000),
    packed.subarray(0, -4),
    Buffer.from('no gzip at all'),
  ])
    await expect(collect(decompressed(pieces(source)))).rejects.toMatchObject(damaged);
});

const tar = Buffer.concat([Buffer.alloc(257, 'toc.dat\0'), Buffer.from('ustar'), bytes]);

test.each<[string, Buffer]>([
  ['a dump of pg_dump -Fc', Buffer.concat([Buffer.from('PGDMP'), bytes])],
  ['one of pg_dump -Ft', tar],
  ['statements', Buffer.from('-- MySQL dump 10.13\nCREATE TABLE t (n int);')],
  ['statements with a mark of UTF-8', Buffer.from('\uFEFFCREATE DATABASE prod;')],
  ['a snapshot of Redis', Buffer.from('REDIS0011')],
  ['an archive of mongodump', Buffer.concat([Buffer.from([0x6d, 0xe2, 0x99, 0x81]), bytes])],
])('%s comes as it is when nobody packed it', async (_, object) => {
  expect((await collect(decompressed(pieces(object)))).equals(object)).toBe(true);
});

test('zstd is unpacked, and a part of it is damaged', async () => {
  const packed = zstdCompressSync(bytes);
  expect((await collect(decompressed(pieces(packed)))).equals(bytes)).toBe(true);
  await expect(collect(decompressed(pieces(packed.subarray(0, packed.length / 2))))).rejects.toThrow(
    'The object is damaged',
  );
});

test.each([
  ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0])],
  ['bzip2', Buffer.from('BZh91AY')],
  ['zip', Buffer.from('PK\x03\x04')],
])('what %s packed is told by its name, and its source ended', async (name, object) => {
  let ended = 0;
  async function* source() {
    try {
      yield object;
      yield Buffer.alloc(1000);
    } finally {
      ended += 1;
    }
  }
  await expect(collect(decompressed(source()))).rejects.toThrow(`is packed by ${name}, which Berth does not`);
  expect(ended).toBe(1);
});
