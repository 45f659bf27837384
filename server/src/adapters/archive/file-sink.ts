import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { refusedEntry } from './archive-entry.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import { parseEntryPath } from './entry-path.ts';

export interface UnpackLimits {
  /** Bytes of all files together. */
  unpackedBytes: number;
  /** Files and folders, those that are only named on the way included. */
  entries: number;
  /** Told of each piece before it is written; what it throws ends the unpacking. */
  beforeWrite?: (bytes: number) => Promise<void>;
}

export interface FileSink {
  write(entry: ArchiveEntry): Promise<void>;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Writes entries below a new, empty folder. It never makes a link, and every file must be new, so that no
 * path can lead elsewhere. Names that differ in case or in the form of their accents only are refused: on
 * another system they are one file, and one of them would win unseen. Throws BAD_REQUEST naming the entry and
 * PAYLOAD_TOO_LARGE at the limits.
 */
export function createFileSink(directory: string, limits: UnpackLimits, signal: AbortSignal): FileSink {
  const state: State = { directory, limits, signal, taken: new Map(), files: 0, bytes: 0 };
  return {
    get files() {
      return state.files;
    },
    get bytes() {
      return state.bytes;
    },
    write: async (entry) => {
      signal.throwIfAborted();
      const parts = parseEntryPath(entry.name);
      for (let depth = 1; depth < parts.length; depth += 1)
        await take(state, entry, parts.slice(0, depth).join('/'), 'directory');
      const path = parts.join('/');
      if (path === '') {
        if (entry.kind === 'file') throw refusedEntry(entry.name, 'has no name');
        return;
      }
      await take(state, entry, path, entry.kind);
      if (entry.kind === 'file') await writeEntry(state, entry, path);
    },
  };
}

interface State {
  directory: string;
  limits: UnpackLimits;
  signal: AbortSignal;
  /** Folded path → what stands there. */
  taken: Map<string, { path: string; kind: 'file' | 'directory' }>;
  files: number;
  bytes: number;
}

async function take(
  { taken, limits, directory }: State,
  entry: ArchiveEntry,
  path: string,
  kind: 'file' | 'directory',
): Promise<void> {
  const key = path.normalize('NFC').toLowerCase();
  const there = taken.get(key);
  if (there !== undefined) {
    if (there.path !== path)
      throw refusedEntry(
        entry.name,
        `differs from ${JSON.stringify(there.path)} only in the form of its letters`,
      );
    if (there.kind !== kind || kind === 'file') throw refusedEntry(entry.name, 'occurs twice');
    return;
  }
  if (taken.size >= limits.entries)
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      `The upload holds more than ${limits.entries} files and folders; leave out what is not needed ` +
        'to build, such as node_modules.',
    );
  taken.set(key, { path, kind });
  if (kind === 'directory') await mkdir(join(directory, path), { mode: 0o755 });
}

async function writeEntry(state: State, entry: ArchiveEntry, path: string): Promise<void> {
  const { directory, limits, signal } = state;
  const file = await open(join(directory, path), 'wx', 0o600);
  try {
    for await (const chunk of entry.body) {
      signal.throwIfAborted();
      state.bytes += chunk.length;
      if (state.bytes > limits.unpackedBytes)
        throw new AppError(
          'PAYLOAD_TOO_LARGE',
          `The upload is larger than ${Math.floor(limits.unpackedBytes / 1024 / 1024)} MiB when ` +
            'unpacked; leave out what is not needed to build.',
        );
      await limits.beforeWrite?.(chunk.length);
      await file.writeFile(chunk);
    }
    await file.chmod(entry.executable ? 0o755 : 0o644);
  } finally {
    await file.close();
  }
  state.files += 1;
}
