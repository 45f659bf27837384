/**
 * The chunks of one upload in a file: packed chunks one after the other, then an index, a name and a length
 * for each, then how many there are. It stands beside the upload's folder, goes with it, and is the base of
 * the next upload of the same service; no other service reads it.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { chunkNameBytes, mostBaseChunks } from '../../domain/chunked-archive.ts';

const entryBytes = chunkNameBytes + 4;
const trailerBytes = 4;
const chunksAtOnce = 64;

export interface ChunkPack extends AsyncDisposable {
  /** Names of the chunks in their order, one after the other. */
  readonly names: Buffer;
  readonly count: number;
  /** Chunks as they were sent, from `first` on. */
  read(first: number, count: number): AsyncIterable<{ name: Buffer; packed: Buffer }>;
}

/** Undefined where there is no such file; what is no pack of ours counts as none. */
export async function openChunkPack(path: string): Promise<ChunkPack | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const index = await readIndex(file);
  if (index === undefined) {
    await file.close();
    return undefined;
  }
  const { names, ends } = index;
  return {
    names,
    count: ends.length,
    async *read(first, count) {
      for (let at = first; at < first + count; at += chunksAtOnce) {
        const upTo = Math.min(at + chunksAtOnce, first + count);
        const start = ends[at - 1] ?? 0;
        const block = await exactly(file, start, (ends[upTo - 1] ?? start) - start);
        for (let one = at; one < upTo; one += 1)
          yield {
            name: names.subarray(one * chunkNameBytes, (one + 1) * chunkNameBytes),
            packed: block.subarray((ends[one - 1] ?? 0) - start, (ends[one] ?? 0) - start),
          };
      }
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

async function readIndex(file: FileHandle): Promise<{ names: Buffer; ends: number[] } | undefined> {
  const { size } = await file.stat();
  if (size < trailerBytes) return undefined;
  const count = (await exactly(file, size - trailerBytes, trailerBytes)).readUInt32BE();
  const start = size - trailerBytes - count * entryBytes;
  if (count > mostBaseChunks || start < 0) return undefined;
  const entries = await exactly(file, start, count * entryBytes);
  const names = Buffer.alloc(count * chunkNameBytes);
  const ends: number[] = [];
  let end = 0;
  for (let at = 0; at < count; at += 1) {
    entries.copy(names, at * chunkNameBytes, at * entryBytes, at * entryBytes + chunkNameBytes);
    end += entries.readUInt32BE(at * entryBytes + chunkNameBytes);
    ends.push(end);
  }
  return end === start ? { names, ends } : undefined;
}

async function exactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error(`A pack of chunks ends before ${position + length} bytes.`);
  return buffer;
}

export interface ChunkPackWriter {
  add(name: Uint8Array, packed: Uint8Array): Promise<void>;
  /** Writes the index; of what is too large for a base nothing stays. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** `beforeWrite` is told how many bytes come; what it throws ends it. */
export async function createChunkPack(
  path: string,
  beforeWrite?: (bytes: number) => Promise<void>,
): Promise<ChunkPackWriter> {
  const file = await open(path, 'wx', 0o600);
  const entries: Buffer[] = [];
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const whole = Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
    await beforeWrite?.(whole.length);
    await file.writeFile(whole);
  };
  return {
    async add(name, packed) {
      if (entries.length > mostBaseChunks) return;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(packed.length);
      entries.push(Buffer.concat([name, length]));
      waiting.push(packed);
      bytes += packed.length;
      if (bytes > writeBytes) await flush();
    },
    async finish() {
      if (entries.length > mostBaseChunks) return file.truncate(0);
      const count = Buffer.alloc(trailerBytes);
      count.writeUInt32BE(entries.length);
      waiting.push(...entries, count);
      await flush();
    },
    close: () => file.close(),
  };
}

/** Bytes that are written at once. */
const writeBytes = 1024 * 1024;
