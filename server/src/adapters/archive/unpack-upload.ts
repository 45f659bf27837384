/** An uploaded source becomes a folder: zip, tar, tar.gz or a chunked archive, told by its first bytes. */
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { chunkedMagic } from '../../domain/chunked-archive.ts';
import { AppError } from '../../domain/errors.ts';
import { damagedArchive } from './archive-entry.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import { createChunkPack, type ChunkPack } from './chunk-pack.ts';
import { readChunked } from './chunked-reader.ts';
import { createFileSink } from './file-sink.ts';
import type { UnpackLimits } from './file-sink.ts';
import { isTarHeader } from './tar-header.ts';
import { readTar } from './tar-reader.ts';
import { readZip } from './zip-reader.ts';

export interface UploadLimits extends UnpackLimits {
  /** Bytes of the archive itself. */
  packedBytes: number;
  /** The chunks of the upload that a chunked archive names as its base; without it there are none. */
  openBase?: (name: string) => Promise<ChunkPack | undefined>;
}

/** Where the chunks of a chunked archive are kept: beside its folder. */
export const packPath = (directory: string): string => `${directory}.chunks`;

/** Decisions 5: 512 MiB packed, 2 GiB and 100,000 entries unpacked. */
export const defaultUploadLimits: UploadLimits = {
  packedBytes: 512 * 1024 ** 2,
  unpackedBytes: 2 * 1024 ** 3,
  entries: 100_000,
};

/**
 * Unpacks an archive, given as a stream or as the path of a file, into `directory`, which is made anew. Only
 * files and folders, with modes 0644 and 0755. Throws BAD_REQUEST naming the entry for links, devices,
 * absolute paths, `..` and whatever else is no plain file or folder, PAYLOAD_TOO_LARGE at the limits, and the
 * signal's reason when aborted. On failure nothing of `directory` remains. Memory stays bounded whatever the
 * archive states.
 */
export async function unpackUpload(
  source: AsyncIterable<Uint8Array> | string,
  directory: string,
  limits: UploadLimits = defaultUploadLimits,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ files: number; bytes: number }> {
  const packed = typeof source === 'string' ? source : `${directory}.packed`;
  try {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // A zip's list stands at its end, so that it cannot be read as it comes.
    if (typeof source !== 'string') await spool(source, packed, limits, signal);
    const sink = createFileSink(directory, limits, signal);
    for await (const entry of await entriesOf(packed, directory, limits)) await sink.write(entry);
    if (sink.files === 0) throw damagedArchive('it holds no files');
    return { files: sink.files, bytes: sink.bytes };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    await rm(packPath(directory), { force: true });
    throw fullDisk(error) ?? error;
  } finally {
    if (typeof source !== 'string') await rm(packed, { force: true });
  }
}

async function spool(
  source: AsyncIterable<Uint8Array>,
  path: string,
  { packedBytes: limit, beforeWrite }: UploadLimits,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of source) {
      signal.throwIfAborted();
      bytes += chunk.length;
      if (bytes > limit)
        throw new AppError(
          'PAYLOAD_TOO_LARGE',
          `The upload is larger than ${Math.floor(limit / 1024 / 1024)} MiB; leave out what is not ` +
            'needed to build, or raise the limit in the settings.',
        );
      await beforeWrite?.(chunk.length);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
}

async function entriesOf(
  path: string,
  directory: string,
  limits: UploadLimits,
): Promise<AsyncIterable<ArchiveEntry>> {
  const head = await headOf(path);
  if (head.length === 0) throw damagedArchive('it is empty');
  if (head.subarray(0, 2).toString('latin1') === 'PK') return readZip(path);
  if (head[0] === 0x1f && head[1] === 0x8b) return readTar(gunzip(path, limits));
  if (isTarHeader(head)) return readTar(createReadStream(path));
  if (head.subarray(0, chunkedMagic.length).toString('latin1') === chunkedMagic)
    return readChunkedTar(unchunked(path, directory, limits));
  throw damagedArchive('it is neither zip nor tar nor tar.gz');
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Bytes of a tar archive beside its files' own: headers, names and padding of each entry. */
const overhead = 4096;

const mostTarBytes = ({ unpackedBytes, entries }: UploadLimits): number =>
  unpackedBytes + entries * overhead + 1024 * 1024;

/** Read to its very end, since its digest stands there. */
async function* readChunkedTar(tar: AsyncGenerator<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  try {
    yield* readTar(tar);
    while (!(await tar.next()).done);
  } finally {
    await tar.return(undefined);
  }
}

async function* unchunked(path: string, directory: string, limits: UploadLimits): AsyncGenerator<Uint8Array> {
  const pack = await createChunkPack(packPath(directory), limits.beforeWrite);
  try {
    yield* readChunked(path, {
      pack,
      mostBytes: mostTarBytes(limits),
      openBase: limits.openBase ?? (async () => undefined),
    });
  } finally {
    await pack.close();
  }
}

async function* gunzip(path: string, limits: UploadLimits): AsyncGenerator<Uint8Array> {
  const most = mostTarBytes(limits);
  const stream = pipeline(createReadStream(path), createGunzip(), () => undefined);
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      const piece: Uint8Array = chunk;
      bytes += piece.length;
      if (bytes > most)
        throw new AppError(
          'PAYLOAD_TOO_LARGE',
          `The upload is larger than ${Math.floor(limits.unpackedBytes / 1024 / 1024)} MiB when ` +
            'unpacked; leave out what is not needed to build.',
        );
      yield piece;
    }
  } catch (error) {
    throw error instanceof AppError ? error : damagedArchive('its compression is damaged', error);
  } finally {
    stream.destroy();
  }
}

function fullDisk(error: unknown): AppError | undefined {
  if (!(error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')))
    return undefined;
  return new AppError(
    'PRECONDITION_FAILED',
    'The disk of this server filled up while unpacking the upload; free some space and upload again.',
    { cause: error },
  );
}
