/** Objects as files below a folder of this server. */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { ObjectStore, StoredObject } from '../../ports/object-store.ts';
import { deviceOf, freeBytes } from '../files/free-bytes.ts';

/** `own` is a folder of Berth's own. */
export function folderStore(root: string, own: string): ObjectStore {
  const place = (path: string): string => join(root, path);
  const failed = (cause: unknown): Error => folderError(root, cause);
  return {
    async room() {
      try {
        const [free, device, ownDevice] = await Promise.all([freeBytes(root), deviceOf(root), deviceOf(own)]);
        return { free, isOwnDisk: device === ownDevice };
      } catch (error) {
        throw failed(error);
      }
    },
    async write(path, source, signal) {
      try {
        await mkdir(dirname(place(path)), { recursive: true, mode: 0o700 });
        await writeFile(place(path), source, signal);
      } catch (error) {
        throw failed(error);
      }
    },
    async *read(path, signal) {
      try {
        yield* createReadStream(place(path), { signal, highWaterMark: 256 * 1024 });
      } catch (error) {
        signal.throwIfAborted();
        throw isAbsent(error) ? absent(root, path) : failed(error);
      }
    },
    find: (path) => look(root, place(path)).catch((error: unknown) => Promise.reject(failed(error))),
    list: (path) => list(root, place(path)).catch((error: unknown) => Promise.reject(failed(error))),
    async rename(from, to) {
      try {
        await mkdir(dirname(place(to)), { recursive: true, mode: 0o700 });
        await rename(place(from), place(to));
        await flush(dirname(place(to)));
      } catch (error) {
        throw isAbsent(error) ? absent(root, from) : failed(error);
      }
    },
    async remove(path) {
      try {
        await rm(place(path), { force: true });
        await removeEmpty(root, dirname(place(path)));
      } catch (error) {
        throw failed(error);
      }
    },
  };
}

/** The file is whole and on the disk, or it is not there. */
async function writeFile(
  path: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for await (const chunk of source) {
      signal.throwIfAborted();
      await file.writeFile(chunk);
    }
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

async function look(root: string, path: string): Promise<StoredObject | undefined> {
  const found = await stat(path).catch((error: unknown) =>
    isAbsent(error) ? undefined : Promise.reject(error),
  );
  return found?.isFile()
    ? { path: relative(root, path), bytes: found.size, modifiedAt: found.mtime.toISOString() }
    : undefined;
}

async function list(root: string, folder: string): Promise<StoredObject[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) =>
    isAbsent(error) ? [] : Promise.reject(error),
  );
  const objects: StoredObject[] = [];
  for (const entry of entries) {
    const object = entry.isFile() ? await look(root, join(entry.parentPath, entry.name)) : undefined;
    if (object) objects.push(object);
  }
  return objects;
}

/** Folders of prefixes that hold nothing any more; the root itself stays. */
async function removeEmpty(root: string, folder: string): Promise<void> {
  for (let one = folder; one.length > root.length && one.startsWith(`${root}/`); one = dirname(one)) {
    const isGone = await rmdir(one).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

/** A new name is durable only when its folder is. */
async function flush(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function absent(root: string, path: string): AppError {
  return new AppError('NOT_FOUND', `There is no object ${path} in the folder ${root}.`);
}

function isAbsent(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

const reasons: Record<string, string> = {
  ENOSPC: 'its disk is full. Free some space on it, or keep fewer backups',
  EDQUOT: 'the quota of its disk is used up. Free some space on it, or keep fewer backups',
  EROFS: 'its disk is mounted read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EIO: "its disk reports a fault (EIO); see the kernel's log",
};

/** What is no error of the file system (the source's own, an abort) goes on as it is. */
function folderError(root: string, cause: unknown): Error {
  const code = codeOf(cause);
  if (
    !(cause instanceof Error) ||
    cause instanceof AppError ||
    typeof code !== 'string' ||
    !/^E[A-Z]+$/.test(code)
  )
    return cause instanceof Error ? cause : new Error(String(cause));
  return new AppError('PRECONDITION_FAILED', `The folder ${root} cannot be used: ${reasons[code] ?? code}.`, {
    cause,
  });
}
