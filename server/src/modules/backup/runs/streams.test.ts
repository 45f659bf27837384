import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressed, decompressed, measure, measured, watched, withinUnpackLimit } from './streams.ts';
import { unpackedByProgram } from './unpack/by-program.ts';
import type { Bytes } from './unpack/bytes.ts';

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

/** A zip file as APPNOTE.TXT of PKWARE has it. */
function zipOf(files: Record<string, Buffer>, { method = 8, flags = 0 } = {}): Buffer {
  const [bodies, entries]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = method === 8 ? deflateRawSync(content) : content;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const version = Buffer.from([20, 3]);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data]);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02'), version, common, place, Buffer.from(name)]));
    bodies.push(body);
    at += body.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(entries).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, ...entries, end]);
}
const packedBy = (program: string, ...options: string[]): Buffer =>
  execFileSync(program, [...options, '--stdout'], { input: bytes, maxBuffer: 10_000_000 });

test.each<[string, () => Buffer]>([
  ['xz', () => packedBy('xz', '-0')],
  ['bzip2', () => packedBy('bzip2')],
  ['zip', () => zipOf({ 'dump.sql': bytes })],
  ['zip without packing', () => zipOf({ 'dump.sql': bytes }, { method: 0 })],
])('%s is unpacked, and each part of it is damaged', async (_, pack) => {
  const packed = pack();
  expect((await collect(decompressed(pieces(packed)))).equals(bytes)).toBe(true);
  const spoilt = Buffer.from(packed);
  spoilt[400_000] = (spoilt[400_000] ?? 0) ^ 0xff;
  for (const source of [packed.subarray(0, packed.length / 2), packed.subarray(0, -40), spoilt])
    await expect(collect(decompressed(pieces(source)))).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('The object is damaged'),
    });
  await expect(collect(decompressed(pieces(packed, 300_000)))).rejects.toThrow('the source broke');
});

test('a machine without the program is refused with the command that installs it', async () => {
  const packed = packedBy('xz', '-0');
  const unpacked = unpackedByProgram('xz', pieces(packed), { PATH: '/nonexistent' });
  await expect(collect(unpacked)).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringContaining('apt-get install xz-utils, or run bin/up again'),
  });
});

test('a zip file of several files, or with a password, is refused by what it is', async () => {
  const read = (packed: Buffer): Promise<Buffer> => collect(decompressed(pieces(packed)));
  const text = Buffer.from('select 1;');
  await expect(read(zipOf({ 'a.sql': text, 'b.sql': text }))).rejects.toThrow('a zip file that has 2 files');
  await expect(read(zipOf({ 'a.sql': text }, { flags: 1 }))).rejects.toThrow('encrypted with a password');
});

test('what unpacks to far more than it is ends, with both numbers', async () => {
  async function* zeros(): AsyncGenerator<Uint8Array> {
    for (;;) yield Buffer.alloc(64 * 1024 * 1024);
  }
  const limited = (async () => {
    for await (const _chunk of withinUnpackLimit(zeros(), 10_000));
  })();
  await expect(limited).rejects.toThrow('The object of 10000 bytes unpacks to more than 1073741824 bytes');
});
