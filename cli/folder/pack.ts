/** A folder as one compressed archive in a temporary file, which is read as it is sent. */
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
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

/** Throws UsageError for what cannot be sent; the temporary file goes with the value. */
export async function packFolder(folder: string, signal: AbortSignal): Promise<PackedFolder> {
  const files = await filesToSend(folder);
  const place = await mkdtemp(join(tmpdir(), 'berth-upload-'));
  const remove = (): Promise<void> => rm(place, { recursive: true, force: true });
  try {
    const path = join(place, 'source.tar.gz');
    // A fast level: what is saved on the way by a better one is less than it takes.
    await pipeline(Readable.from(tarOf(files)), createGzip({ level: 3 }), createWriteStream(path), {
      signal,
    });
    const { size } = await stat(path);
    return {
      file: new File([await openAsBlob(path)], 'source.tar.gz'),
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      packedBytes: size,
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
