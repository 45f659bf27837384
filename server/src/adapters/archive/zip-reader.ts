/** The entries of a zip archive (PKWARE APPNOTE), from its list at the end of the file. */
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Entry } from 'yauzl';
import { AppError } from '../../domain/errors.ts';
import { damagedArchive, refusedEntry } from './archive-entry.ts';
import type { ArchiveEntry } from './archive-entry.ts';

/**
 * Throws BAD_REQUEST, naming the entry, for links, devices, encrypted files and compressions other than
 * deflate, and for a damaged archive.
 */
export async function* readZip(path: string): AsyncGenerator<ArchiveEntry> {
  try {
    // Loaded at the first upload, as few installations see one.
    const { openPromise } = await import('yauzl');
    const zip = await openPromise(path, { decodeStrings: false });
    try {
      for await (const entry of zip.eachEntry()) yield entryOf(entry, () => zip.openReadStreamPromise(entry));
    } finally {
      zip.close();
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw damagedArchive('it is not a zip archive, or it is damaged', error);
  }
}

/**
 * Kinds of a file in the upper half of the attributes (inode(7)); zero where the archive was not made on
 * Unix.
 */
const kindMask = 0o170000;
const kinds: Record<number, string> = {
  0o120000: 'is a symbolic link',
  0o020000: 'is a device',
  0o060000: 'is a device',
  0o010000: 'is a pipe',
  0o140000: 'is a socket',
};
const folder = 0o040000;

function entryOf(entry: Entry, open: () => Promise<Readable>): ArchiveEntry {
  const name = entry.fileNameRaw;
  const mode = entry.externalFileAttributes >>> 16;
  const other = kinds[mode & kindMask];
  if (other !== undefined) throw refusedEntry(name, other);
  if (name.at(-1) === 0x2f || (mode & kindMask) === folder)
    return { name, kind: 'directory', executable: false, body: nothing() };
  if (entry.isEncrypted()) throw refusedEntry(name, 'is encrypted');
  if (!entry.canDecodeFileData())
    throw refusedEntry(name, 'is compressed in a way that is not known (only deflate is)');
  return { name, kind: 'file', executable: (mode & 0o100) !== 0, body: read(entry, open) };
}

/** yauzl holds the size to what the list says; the checksum is ours to check. */
async function* read(entry: Entry, open: () => Promise<Readable>): AsyncGenerator<Uint8Array> {
  let sum = 0;
  try {
    for await (const chunk of await open()) {
      const bytes: Uint8Array = chunk;
      sum = crc32(bytes, sum);
      yield bytes;
    }
  } catch (error) {
    throw error instanceof AppError ? error : damagedEntry(entry, error);
  }
  if (sum !== entry.crc32) throw damagedEntry(entry, undefined);
}

function damagedEntry(entry: Entry, cause: unknown): AppError {
  return damagedArchive(
    `its entry ${JSON.stringify(entry.fileNameRaw.toString('utf8').slice(0, 200))} is damaged`,
    cause,
  );
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // A folder has no bytes.
}
