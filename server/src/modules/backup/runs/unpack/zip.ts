/**
 * A zip file with one file in it, unpacked as it comes: its head (APPNOTE 4.3.7), its data, and the directory
 * at its end, which says whether there was nothing else.
 */
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { AppError } from '../../../../domain/errors.ts';
import type { Bytes } from './bytes.ts';

const headLength = 30;
const endMark = Buffer.from('PK\x05\x06');
const entryMark = Buffer.from('PK\x01\x02');
/** The end of a zip file, with the longest comment, and the longest entry of its directory before it. */
const tailBytes = 22 + 65_535 + 46 + 3 * 65_535;
const largest = 0xffffffff;
const methods = { stored: 0, deflated: 8 } as const;

/** PRECONDITION_FAILED for several files, a password, an unknown method, and damage. */
export async function* unpackedZip(source: Bytes): AsyncGenerator<Uint8Array> {
  const reader = createReader(source);
  try {
    const head = await reader.take(headLength);
    const [flags, method] = [head.readUInt16LE(6), head.readUInt16LE(8)];
    const stored = head.readUInt32LE(18);
    await reader.take(head.readUInt16LE(26) + head.readUInt16LE(28));
    if ((flags & 1) === 1) throw refused('is encrypted with a password');
    if (method !== methods.stored && method !== methods.deflated)
      throw refused(`is packed by the method ${method}`);
    // Without its length at the beginning, where stored data ends is not known.
    if (method === methods.stored && (stored === largest || (flags & 8) !== 0))
      throw refused('has data that is not packed, without its length');
    const found = { bytes: 0, crc: 0 };
    const data = method === methods.stored ? reader.some(stored) : inflated(reader);
    for await (const chunk of data) {
      found.bytes += chunk.length;
      found.crc = crc32(chunk, found.crc);
      yield chunk;
    }
    checkDirectory(await reader.tail(), found);
  } finally {
    await reader.end();
  }
}

/** Inflates to the end of the data, and leaves what follows to the reader's tail. */
async function* inflated(reader: Reader): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: 256 * 1024 });
  const feed = new PassThrough();
  const feeding = pipeline(Readable.from(reader.rest(), { objectMode: false }), feed);
  feeding.catch((error: unknown) =>
    inflate.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  feed.pipe(inflate);
  try {
    for await (const chunk of inflate) yield Buffer.from(chunk as Uint8Array);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw code.startsWith('Z_') ? damaged(error) : error;
  } finally {
    feed.unpipe(inflate);
    // What follows the data passes the reader, which keeps the end of it.
    feed.resume();
    inflate.destroy();
  }
  await feeding;
}

function checkDirectory(tail: Buffer, { bytes, crc }: { bytes: number; crc: number }): void {
  const end = tail.lastIndexOf(endMark);
  if (end < 0 || end + 22 > tail.length) throw damaged();
  const entries = tail.readUInt16LE(end + 10);
  if (entries !== 1) throw refused(`has ${entries} files`);
  const entry = tail.lastIndexOf(entryMark, end - 1);
  if (entry < 0 || entry + 46 > end) throw damaged();
  const size = tail.readUInt32LE(entry + 24);
  if (tail.readUInt32LE(entry + 16) !== crc || (size !== largest && size !== bytes)) throw damaged();
}

interface Reader {
  /** Exactly so many bytes. */
  take(length: number): Promise<Buffer>;
  /** The next so many bytes as they come. */
  some(length: number): AsyncGenerator<Buffer>;
  /** All that is left as it comes. */
  rest(): AsyncGenerator<Buffer>;
  /** Reads to the end; the last bytes of the file. */
  tail(): Promise<Buffer>;
  end(): Promise<void>;
}

function createReader(source: Bytes): Reader {
  const iterator = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let tail: Buffer = Buffer.alloc(0);
  async function next(): Promise<Buffer | undefined> {
    const { done, value } = await iterator.next();
    if (done) return undefined;
    const chunk = Buffer.from(value);
    tail = Buffer.concat([tail.subarray(-tailBytes), chunk]).subarray(-tailBytes);
    return chunk;
  }
  const reader: Reader = {
    async take(length) {
      while (held.length < length) {
        const chunk = await next();
        if (!chunk) throw damaged();
        held = Buffer.concat([held, chunk]);
      }
      const taken = held.subarray(0, length);
      held = held.subarray(length);
      return taken;
    },
    async *some(length) {
      for (let left = length; left > 0; ) {
        if (held.length === 0) held = (await next()) ?? Buffer.alloc(0);
        if (held.length === 0) throw damaged();
        const taken = held.subarray(0, left);
        held = held.subarray(taken.length);
        left -= taken.length;
        yield taken;
      }
    },
    async *rest() {
      if (held.length > 0) yield held;
      held = Buffer.alloc(0);
      for (let chunk = await next(); chunk; chunk = await next()) yield chunk;
    },
    async tail() {
      for await (const _chunk of reader.rest());
      return tail;
    },
    end: async () => void (await iterator.return?.()),
  };
  return reader;
}

const refused = (why: string): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    `The object is a zip file that ${why}. Store the dump itself, or zip it alone and without a password.`,
  );

const damaged = (cause?: unknown): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    'The object is damaged: it is not a complete zip file. Choose another one.',
    {
      cause,
    },
  );
