/** What a backup's bytes pass on their way. Each holds only what is on its way. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createGunzip,
  createGzip,
  createZstdDecompress,
  type Gunzip,
  type Gzip,
  type ZstdDecompress,
} from 'node:zlib';
import { AppError } from '../../../domain/errors.ts';
import { beginningOf } from '../../../domain/text/beginning-of.ts';
import { unpackedByProgram, type PackingProgram } from './unpack/by-program.ts';
import type { Bytes } from './unpack/bytes.ts';
import { unpackedZip } from './unpack/zip.ts';

/** Most of the gain for a third of the time that the default level takes. */
const level = 3;

export function compressed(source: Bytes): Bytes {
  return through(source, createGzip({ level, chunkSize: 256 * 1024 }));
}

/**
 * What an object holds, told by its first bytes: gzip, zstd, xz, bzip2 and zip are unpacked, dumps and
 * archives that nobody packed come as they are. Throws PRECONDITION_FAILED when the bytes are not a whole
 * compressed stream: each carries its length and a checksum at its end.
 */
export async function* decompressed(source: Bytes): AsyncGenerator<Uint8Array> {
  const { head, whole } = await beginningOf(source, ({ length }) => length >= headBytes);
  const packing = packingOf(head);
  if (packing === 'zip') return yield* unpackedZip(whole);
  if (packing !== undefined) return yield* unpackedByProgram(packing, whole);
  if (isUnpacked(head)) return yield* whole;
  try {
    yield* through(
      whole,
      head.subarray(0, 4).equals(zstdMark)
        ? createZstdDecompress({ chunkSize: 256 * 1024 })
        : createGunzip({ chunkSize: 256 * 1024 }),
    );
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.startsWith('Z_') || code.startsWith('ZSTD_'))
      throw new AppError(
        'PRECONDITION_FAILED',
        'The object is damaged: it is not a complete compressed stream. Choose another backup.',
        { cause: error },
      );
    throw error;
  }
}

/** As far as a tar archive has its mark. */
const headBytes = 262;
const zstdMark = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const xzMark = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]);
/** Of archives by mongodump. */
const mongoMark = Buffer.from([0x6d, 0xe2, 0x99, 0x81]);
const sqlBeginning =
  /^(\uFEFF)?\s*(--|\/\*|\\restrict\b|(set|create|drop|insert|use|begin|start|lock|select|alter)\s)/i;

function packingOf(head: Buffer): PackingProgram | 'zip' | undefined {
  if (head.subarray(0, 6).equals(xzMark)) return 'xz';
  if (/^BZh[1-9]$/.test(head.toString('latin1', 0, 4))) return 'bzip2';
  return head.toString('latin1', 0, 4) === 'PK\x03\x04' ? 'zip' : undefined;
}

function isUnpacked(head: Buffer): boolean {
  return (
    ['PGDMP', 'REDIS'].includes(head.toString('latin1', 0, 5)) ||
    head.toString('latin1', 257, 262) === 'ustar' ||
    head.subarray(0, 4).equals(mongoMark) ||
    sqlBeginning.test(head.toString('utf8'))
  );
}

async function* through(
  source: Bytes,
  transform: Gzip | Gunzip | ZstdDecompress,
): AsyncGenerator<Uint8Array> {
  const feeding = pipeline(Readable.from(source, { objectMode: false }), transform);
  feeding.catch(() => undefined);
  try {
    for await (const chunk of transform)
      yield chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    await feeding;
  } finally {
    transform.destroy();
  }
}

/**
 * The same bytes up to a limit: a few kilobytes may unpack to more than any disk holds. PRECONDITION_FAILED
 * with both numbers beyond it.
 */
export async function* withinUnpackLimit(source: Bytes, packedBytes: number): AsyncGenerator<Uint8Array> {
  const limit = Math.max(smallestUnpackLimit, packedBytes * unpackFactor);
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > limit)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The object of ${packedBytes} bytes unpacks to more than ${limit} bytes, ${unpackFactor} times as ` +
          'much, as dumps do not. If it is one, unpack it and store it as it is. Nothing was changed.',
      );
    yield chunk;
  }
}

const smallestUnpackLimit = 1024 ** 3;
const unpackFactor = 200;

export interface Measure {
  bytes: number;
  /** SHA-256 of all bytes, in hexadecimal; empty until the end. */
  checksum: string;
}

/** The same bytes, counted and hashed into `measure`. */
export async function* measured(source: Bytes, measure: Measure): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of source) {
    measure.bytes += chunk.length;
    hash.update(chunk);
    yield chunk;
  }
  measure.checksum = hash.digest('hex');
}

export async function measure(source: Bytes): Promise<Measure> {
  const result: Measure = { bytes: 0, checksum: '' };
  for await (const _chunk of measured(source, result));
  return result;
}

export async function drain(output: Bytes): Promise<void> {
  for await (const _chunk of output);
}

/** The same bytes until the signal, which ends them at once, also while the next ones are awaited. */
export async function* endedBy(signal: AbortSignal, source: Bytes): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let coming = Promise.withResolvers<IteratorResult<Uint8Array>>();
  const end = (): void => coming.reject(signal.reason);
  signal.addEventListener('abort', end);
  try {
    for (;;) {
      signal.throwIfAborted();
      coming = Promise.withResolvers();
      iterator.next().then(coming.resolve, coming.reject);
      const next = await coming.promise;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', end);
    const ending = iterator.return?.();
    // What is awaited may never come.
    if (signal.aborted) ending?.catch(() => undefined);
    else await ending;
  }
}

/** The same bytes; `onFault` hears when they fail to come (not when nobody wants more). */
export async function* watched(source: Bytes, onFault: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        onFault(error);
        throw error;
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
