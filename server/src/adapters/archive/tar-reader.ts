/**
 * The entries of a tar archive as they come. A reader of our own, since the libraries at hand hold an
 * extended header in memory whatever size it states, and a header of gigabytes would take the whole process
 * down.
 */
import { damagedArchive, refusedEntry } from './archive-entry.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import { createByteReader } from './byte-reader.ts';
import type { ByteReader } from './byte-reader.ts';
import { parsePaxRecords, parseTarHeader } from './tar-header.ts';
import type { TarHeader } from './tar-header.ts';

const blockSize = 512;
/** Bytes of an extended header; a path has 4,096 at most. */
const maxExtended = 64 * 1024;

/**
 * Throws BAD_REQUEST, naming the entry, for links, devices and everything else that is neither file nor
 * folder, and for a damaged archive.
 */
export async function* readTar(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const reader = createByteReader(stream, () => damagedArchive('it is cut off'));
  let extended: Extended = {};
  for (;;) {
    const block = await reader.take(blockSize);
    if (block === undefined || block.every((byte) => byte === 0)) return;
    const header = parseTarHeader(block);
    if (header.type in extensions) {
      extended = { ...extended, ...(await readExtended(reader, header)) };
      continue;
    }
    const name = extended.name ?? header.name;
    const size = extended.size ?? header.size;
    extended = {};
    const kind = kindOf(header, name);
    const padded = padding(size);
    const body = reader.body(size);
    yield { name, kind, executable: (header.mode & 0o100) !== 0, body: body.chunks };
    await body.finish();
    if (padded > 0) await reader.take(padded);
  }
}

interface Extended {
  name?: Buffer;
  size?: number;
}

/**
 * What each kind of extended header says about the entry after it; `g` speaks about all of them and is passed
 * over.
 */
const extensions: Record<string, (data: Buffer) => Extended> = {
  x: paxOf,
  g: () => ({}),
  L: (data) => ({ name: untilNul(data) }),
  K: () => ({}),
};

async function readExtended(reader: ByteReader, header: TarHeader): Promise<Extended> {
  if (header.size > maxExtended) throw damagedArchive('one of its extended headers is larger than 64 KiB');
  const data = header.size === 0 ? Buffer.alloc(0) : await reader.take(header.size + padding(header.size));
  if (data === undefined) throw damagedArchive('it is cut off');
  return extensions[header.type]?.(data.subarray(0, header.size)) ?? {};
}

function paxOf(data: Buffer): Extended {
  const records = parsePaxRecords(data);
  const name = records.get('path');
  const size = records.get('size')?.toString('latin1');
  if ([...records.keys()].some((key) => key.startsWith('GNU.sparse.')))
    throw refusedEntry(name ?? '', 'is a sparse file');
  if (size !== undefined && !/^[0-9]{1,15}$/.test(size))
    throw damagedArchive('one of its extended headers states an impossible size');
  return { ...(name === undefined ? {} : { name }), ...(size === undefined ? {} : { size: Number(size) }) };
}

const otherKinds: Record<string, string> = {
  '1': 'is a hard link',
  '2': 'is a symbolic link',
  '3': 'is a device',
  '4': 'is a device',
  '6': 'is a pipe',
  S: 'is a sparse file',
};

function kindOf(header: TarHeader, name: Buffer): 'file' | 'directory' {
  // Tar of 1979 had no type for folders: they were files whose name ends with a slash.
  if (header.type === '5' || (header.type === '0' && name.at(-1) === 0x2f)) return 'directory';
  if (header.type === '0' || header.type === '7') return 'file';
  throw refusedEntry(name, otherKinds[header.type] ?? 'is neither a file nor a folder');
}

function padding(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize;
}

function untilNul(data: Buffer): Buffer {
  const end = data.indexOf(0);
  return end === -1 ? data : data.subarray(0, end);
}
