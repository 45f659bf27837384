/** Chunked archives as the command line sends them, against the uploads of several services. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packFolder, type PackBase } from '../../../../cli/folder/pack.ts';
import { tarOf } from '../../../../cli/folder/tar.ts';
import { filesToSend } from '../../../../cli/folder/walk.ts';
import { chunkedMagic } from '../../domain/chunked-archive.ts';
import { createUploads, type Uploads } from './uploads.ts';

const MiB = 1024 ** 2;
const never = new AbortController().signal;
let place: string;
let source: string;
let uploads: Uploads;
/** The source of each application. */
let current: Record<string, string | null>;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'berth-chunks-'));
  source = join(place, 'source');
  mkdirSync(source);
  mkdirSync(join(place, 'root'));
  current = {};
  uploads = createUploads({
    root: join(place, 'root'),
    freeBytes: async () => 1024 * MiB,
    rules: async () => ({ unpackedBytes: 64 * MiB, entries: 30_000, keptFree: 0 }),
  });
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** Bytes that no compression makes smaller, the same for the same seed. */
function noise(length: number, seed: string): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
    createHash('sha256').update(`${seed} ${at}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

async function baseOf(application: string): Promise<PackBase | undefined> {
  return uploads.chunksOf(application, current[application] ?? null);
}

/** As the handler does it; gives the bytes that were sent. */
async function accept(application: string, content: Buffer): Promise<number> {
  const was = current[application] ?? null;
  const path = await uploads.keep(application, { content: Readable.from([content]) }, was);
  current[application] = path;
  await uploads.settle(application, path, async () => current[application] ?? null);
  return content.length;
}

async function packed(base: PackBase | undefined): Promise<Buffer> {
  await using folder = await packFolder(source, never, base);
  return Buffer.from(await folder.file.arrayBuffer());
}

const send = async (application: string): Promise<number> =>
  accept(application, await packed(await baseOf(application)));
const stored = (application: string, name: string): Buffer =>
  readFileSync(join(current[application] ?? '', name));

describe('what is sent', () => {
  test('of 8 MiB that change by a byte, in place or in between, is at most 100 kB', async () => {
    const large = noise(8 * MiB, 'large');
    writeFileSync(join(source, 'large.bin'), large);
    for (let at = 0; at < 300; at += 1) writeFileSync(join(source, `f${at}.ts`), noise(2000, `f${at}`));
    expect(await send('a')).toBeGreaterThan(8 * MiB);
    for (const [name, changed] of [
      ['replaced', Buffer.concat([large.subarray(0, 5_000_000), Buffer.of(1), large.subarray(5_000_001)])],
      ['inserted', Buffer.concat([large.subarray(0, 3_000_000), Buffer.of(1), large.subarray(3_000_000)])],
      ['removed', large.subarray(1)],
    ] as const) {
      writeFileSync(join(source, 'large.bin'), changed);
      expect(await send('a'), name).toBeLessThanOrEqual(100_000);
      expect(stored('a', 'large.bin').equals(changed), name).toBe(true);
    }
    expect(stored('a', 'f299.ts').equals(noise(2000, 'f299'))).toBe(true);
  });

  test('is next to nothing when nothing changed, and all of it for another service', async () => {
    writeFileSync(join(source, 'a'), noise(MiB, 'a'));
    await send('a');
    expect(await send('a')).toBeLessThan(200);
    expect(await baseOf('b')).toBeUndefined();
    expect(await send('b')).toBeGreaterThan(MiB);
  });

  test('is all of it after another archive, whose chunks nobody has', async () => {
    writeFileSync(join(source, 'a'), noise(MiB, 'a'));
    await send('a');
    await accept('a', Buffer.concat([...tarOf(await filesToSend(source))]));
    expect(await baseOf('a')).toBeUndefined();
    expect(await send('a')).toBeGreaterThan(MiB);
  });
});

describe('what is kept', () => {
  test('is the current source and its chunks, nothing of former ones and of what was refused', async () => {
    for (let round = 0; round < 3; round += 1) {
      writeFileSync(join(source, 'a'), noise(MiB, `round ${round}`));
      await send('a');
    }
    const left = (): string[] => readdirSync(join(place, 'root/a')).toSorted();
    const own = (current['a'] ?? '').split('/').at(-1) ?? '';
    expect(left()).toEqual([own, `${own}.chunks`]);
    await expect(accept('a', Buffer.from(`${chunkedMagic}\0`))).rejects.toThrow('it is cut off');
    expect(left()).toEqual([own, `${own}.chunks`]);
    const path = await uploads.keep('a', { content: Readable.from([await packed(undefined)]) }, null);
    await uploads.forget(path);
    expect(left()).toEqual([own, `${own}.chunks`]);
    await uploads.tidy(async () => current['a'] ?? null);
    expect(left()).toEqual([own, `${own}.chunks`]);
    await uploads.forgetAll('a');
    expect(existsSync(join(place, 'root/a'))).toBe(false);
  });
});

describe('is refused', () => {
  test('the base of another service or of a former upload, and a path in its place', async () => {
    writeFileSync(join(source, 'a'), noise(MiB, 'a'));
    await send('a');
    const former = await baseOf('a');
    await send('b');
    const foreign = await baseOf('a');
    for (const base of [foreign, { ...foreign, upload: `../a/${foreign?.upload ?? ''}` }]) {
      const content = await packed({ names: Buffer.alloc(0), ...base, upload: base?.upload ?? '' });
      await expect(accept('b', content)).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    await send('a');
    await expect(accept('a', await packed(former))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('Send it again'),
    });
  });

  const head = Buffer.from(`${chunkedMagic}\0`);
  const fresh = (bytes: Uint8Array): Buffer => {
    const deflated = deflateRawSync(bytes);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(deflated.length);
    return Buffer.concat([Buffer.of(2), length, deflated]);
  };
  const end = Buffer.concat([Buffer.of(0), Buffer.alloc(32)]);
  const sized = (bytes: number): Buffer => fresh(Buffer.alloc(bytes));
  test.each([
    ['a digest that is another', [head, sized(10_240), end], 'does not match its digest'],
    ['no digest', [head, sized(10_240)], 'cut off'],
    ['a chunk that unpacks to more than a chunk has', [head, sized(40_000), end], 'compression'],
    ['many small chunks', [head, sized(10), sized(10), end], 'too small'],
    ['a chunk that states gigabytes', [head, Buffer.of(2, 0xff, 0xff, 0xff, 0xff), end], 'too large'],
    ['chunks of no base', [head, Buffer.of(1, 0, 0, 0, 0, 0, 0, 0, 1), end], 'base does not have'],
    ['a record of another kind', [head, Buffer.of(9), end], 'an unknown kind'],
    ['more than may be unpacked', [head, ...Array<Buffer>(12_000).fill(sized(16_384)), end], 'larger than'],
  ])('%s', async (_name, parts, sentence) => {
    await expect(accept('a', Buffer.concat(parts))).rejects.toThrow(sentence);
    expect(readdirSync(join(place, 'root/a'))).toEqual([]);
  });
});
