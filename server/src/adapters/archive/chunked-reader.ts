/** What a chunked archive stands for: the bytes of a tar archive. Its chunks are kept for the next one. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { chunkBytes, chunkedMagic, chunkNameBytes, record } from '../../domain/chunked-archive.ts';
import { AppError } from '../../domain/errors.ts';
import { damagedArchive } from './archive-entry.ts';
import { createByteReader, type ByteReader } from './byte-reader.ts';
import type { ChunkPack, ChunkPackWriter } from './chunk-pack.ts';

export interface ChunkedParts {
  /** Of the service's current upload; undefined where it has none. */
  openBase(name: string): Promise<ChunkPack | undefined>;
  /** Takes the chunks of this one. */
  pack: ChunkPackWriter;
  /** Bytes of the tar archive. */
  mostBytes: number;
}

/**
 * Throws BAD_REQUEST for what is damaged, CONFLICT when the base is no longer the service's newest upload,
 * and PAYLOAD_TOO_LARGE. The bytes have their stated digest only when it has ended.
 */
export async function* readChunked(path: string, parts: ChunkedParts): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: pieceBytes });
  try {
    const reader = createByteReader(file, () => damagedArchive('it is cut off'));
    yield* together(chunksFrom(reader, parts));
  } finally {
    file.destroy();
  }
}

/** Larger pieces, so that large files are written in fewer. */
async function* together(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(held);
    [held, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(held);
}

const pieceBytes = 256 * 1024;

async function* chunksFrom(reader: ByteReader, parts: ChunkedParts): AsyncGenerator<Uint8Array> {
  await exactly(reader, chunkedMagic.length);
  await using base = await baseOf(reader, parts);
  const whole = createHash('sha256');
  const bound = boundOf(parts.mostBytes);
  const take = async (name: Buffer, packed: Buffer, bytes: Buffer): Promise<Buffer> => {
    bound(bytes.length);
    whole.update(bytes);
    await parts.pack.add(name, packed);
    return bytes;
  };
  for (;;) {
    const [kind] = await exactly(reader, 1);
    if (kind === record.end) break;
    if (kind === record.fresh) {
      const packed = await exactly(reader, await lengthOf(reader));
      const bytes = inflated(packed);
      yield await take(nameOf(bytes), packed, bytes);
    } else if (kind === record.ofBase) {
      const head = await exactly(reader, 8);
      const [first, count] = [head.readUInt32BE(0), head.readUInt32BE(4)];
      if (!base || count === 0 || first + count > base.count)
        throw damagedArchive('it refers to chunks that its base does not have');
      for await (const { name, packed } of base.read(first, count))
        yield await take(name, packed, inflated(packed));
    } else throw damagedArchive('one of its records is of an unknown kind');
  }
  const digest = await exactly(reader, 32);
  if (!whole.digest().equals(digest)) throw damagedArchive('it does not match its digest');
  await parts.pack.finish();
}

async function baseOf(reader: ByteReader, { openBase }: ChunkedParts): Promise<ChunkPack | undefined> {
  const [length = 0] = await exactly(reader, 1);
  if (length === 0) return undefined;
  const base = await openBase((await exactly(reader, length)).toString('latin1'));
  if (base) return base;
  throw new AppError(
    'CONFLICT',
    'This upload was made against a source that is no longer the newest: another upload came in between. ' +
      'Send it again.',
  );
}

/** Bytes of a packed chunk: deflate adds a few to what cannot be made smaller. */
const mostPacked = chunkBytes.most + 1024;

async function lengthOf(reader: ByteReader): Promise<number> {
  const length = (await exactly(reader, 4)).readUInt32BE();
  if (length === 0 || length > mostPacked) throw damagedArchive('one of its chunks is too large');
  return length;
}

function inflated(packed: Buffer): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: chunkBytes.most });
  } catch (error) {
    throw damagedArchive('the compression of one of its chunks is damaged', error);
  }
}

function nameOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest().subarray(0, chunkNameBytes);
}

/** Counts what comes: bytes in all, and chunks, of which only the last may be small. */
function boundOf(mostBytes: number): (bytes: number) => void {
  let total = 0;
  let isLast = false;
  return (bytes) => {
    total += bytes;
    if (isLast || bytes === 0) throw damagedArchive('one of its chunks is too small');
    isLast = bytes < chunkBytes.least;
    if (total > mostBytes)
      throw new AppError(
        'PAYLOAD_TOO_LARGE',
        `The upload is larger than ${Math.floor(mostBytes / 1024 / 1024)} MiB when unpacked; leave out ` +
          'what is not needed to build.',
      );
  };
}

async function exactly(reader: ByteReader, length: number): Promise<Buffer> {
  const bytes = await reader.take(length);
  if (bytes === undefined) throw damagedArchive('it is cut off');
  return bytes;
}
