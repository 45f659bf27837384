/** A folder as one archive in a temporary file, which is read as it is sent. */
import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { chunkedMagic, chunkNameBytes, record } from '../../server/src/domain/chunked-archive.ts';
import { chunksOf } from './chunks.ts';
import { tarOf } from './tar.ts';
import { filesToSend } from './walk.ts';

export interface PackedFolder extends AsyncDisposable {
  file: File;
  /** Number of files in it. */
  files: number;
  /** Of the files, and of the archive. */
  bytes: number;
  packedBytes: number;
}

/** What Berth has of the last upload (`application.uploadedChunks`). */
export interface PackBase {
  upload: string;
  /** Names of its chunks, one after the other. */
  names: Buffer;
}

/**
 * As a chunked archive, in which what the base has is named only. Throws UsageError for what cannot be sent;
 * the temporary file goes with the value.
 */
export async function packFolder(
  folder: string,
  signal: AbortSignal,
  base?: PackBase,
): Promise<PackedFolder> {
  const files = await filesToSend(folder);
  const place = await mkdtemp(join(tmpdir(), 'berth-upload-'));
  const remove = (): Promise<void> => rm(place, { recursive: true, force: true });
  try {
    const path = join(place, 'source.berth');
    const file = await open(path, 'wx', 0o600);
    try {
      await writeAll(file, archiveOf(tarOf(files), base), signal);
    } finally {
      await file.close();
    }
    const blob = await openAsBlob(path);
    return {
      file: new File([blob], 'source.berth'),
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      packedBytes: blob.size,
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The records of a chunked archive (server/src/domain/chunked-archive.ts). */
function* archiveOf(tar: Iterable<Uint8Array>, base: PackBase | undefined): Generator<Uint8Array> {
  const upload = Buffer.from(base?.upload ?? '', 'latin1');
  yield Buffer.concat([Buffer.from(chunkedMagic), Buffer.of(upload.length), upload]);
  const find = finder(base?.names ?? Buffer.alloc(0));
  const whole = createHash('sha256');
  let run = { first: 0, count: 0 };
  for (const chunk of chunksOf(tar)) {
    whole.update(chunk);
    const next = run.first + run.count;
    const at = find(chunk, next);
    if (at !== undefined && at === next && run.count > 0) {
      run.count += 1;
      continue;
    }
    if (run.count > 0) yield runRecord(run);
    run = { first: at ?? 0, count: at === undefined ? 0 : 1 };
    if (at === undefined) yield* freshRecord(chunk);
  }
  if (run.count > 0) yield runRecord(run);
  yield Buffer.concat([Buffer.of(record.end), whole.digest()]);
}

/** Where the base has a chunk: at the expected place where it stands there, else where it stands first. */
function finder(names: Buffer): (chunk: Uint8Array, expected: number) => number | undefined {
  const nameAt = (at: number): string =>
    names.toString('latin1', at * chunkNameBytes, (at + 1) * chunkNameBytes);
  const places = new Map<string, number>();
  for (let at = names.length / chunkNameBytes - 1; at >= 0; at -= 1) places.set(nameAt(at), at);
  return (chunk, expected) => {
    if (places.size === 0) return undefined;
    const digest = createHash('sha256').update(chunk).digest();
    const name = digest.toString('latin1', 0, chunkNameBytes);
    return nameAt(expected) === name ? expected : places.get(name);
  };
}

function runRecord({ first, count }: { first: number; count: number }): Uint8Array {
  const bytes = Buffer.alloc(9);
  bytes[0] = record.ofBase;
  bytes.writeUInt32BE(first, 1);
  bytes.writeUInt32BE(count, 5);
  return bytes;
}

function* freshRecord(chunk: Uint8Array): Generator<Uint8Array> {
  // A fast level: what is saved on the way by a better one is less than it takes.
  const packed = deflateRawSync(chunk, { level: 3, windowBits: 14, memLevel: 6 });
  const head = Buffer.alloc(5);
  head[0] = record.fresh;
  head.writeUInt32BE(packed.length, 1);
  yield head;
  yield packed;
}

const writeBytes = 1024 * 1024;

async function writeAll(file: FileHandle, pieces: Iterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    signal.throwIfAborted();
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < writeBytes) continue;
    // An interruption is heard here, too.
    await file.writeFile(Buffer.concat(waiting));
    [waiting, bytes] = [[], 0];
  }
  await file.writeFile(Buffer.concat(waiting));
}
