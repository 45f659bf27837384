/** Uploaded sources, each unpacked into a folder of its own below its application's. */
import type { Readable } from 'node:stream';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { requireFreeDisk } from '../../domain/resources/free-disk.ts';
import { randomId } from '../../ports/clock.ts';
import { openChunkPack, type ChunkPack } from './chunk-pack.ts';
import type { UnpackLimits } from './file-sink.ts';
import { packPath, unpackUpload } from './unpack-upload.ts';

export interface Uploads {
  /**
   * Unpacks and gives the folder; nothing remains when the archive is refused. The folder is in hand until it
   * is settled or forgotten. Throws as `unpackUpload`, and PRECONDITION_FAILED when the disk would be too
   * full. `current` is the application's source, of which a chunked archive may name chunks.
   */
  keep(applicationId: string, file: UploadedSource, current: string | null): Promise<string>;
  /** What a chunked archive may name of that source; undefined where it came as another archive. */
  chunksOf(applicationId: string, current: string | null): Promise<UploadedChunks | undefined>;
  /**
   * The folder is the application's source from now on: removes what former uploads left, but the one that is
   * current and those that are still in hand.
   */
  settle(applicationId: string, path: string, current: () => Promise<string | null>): Promise<void>;
  forget(path: string): Promise<void>;
  forgetAll(applicationId: string): Promise<void>;
  /** What a crash left: removes every folder but the current one of each application. */
  tidy(currentOf: (applicationId: string) => Promise<string | null>): Promise<void>;
}

export interface UploadedChunks {
  /** The name of the base. */
  upload: string;
  /** Of its chunks in their order, one after the other. */
  names: Buffer;
}

export interface UploadedSource {
  content: Readable;
  /** As far as the request said. */
  bytes?: number | undefined;
}

export interface UploadRules extends UnpackLimits {
  /** Bytes of disk that stay free. */
  keptFree: number;
}

/** Bytes that are written between two looks at the disk. */
const lookEvery = 32 * 1024 * 1024;

export interface UploadPorts {
  root: string;
  freeBytes(directory: string): Promise<number>;
  rules(): Promise<UploadRules>;
}

export function createUploads({ root, freeBytes, rules }: UploadPorts): Uploads {
  const inHand = new Set<string>();
  const folderOf = (applicationId: string): string => join(root, applicationId);
  const requireRoom = async (kept: number, needed: number): Promise<void> =>
    requireFreeDisk(
      { free: await freeBytes(root), kept },
      {
        what: 'the upload',
        needed,
        cure: 'Free some space, for example with application.clearDeployments, and upload again.',
      },
    );

  /** Removes what is there, unless it is in hand; the current one is asked for after the look. */
  async function removeOthers(applicationId: string, current: () => Promise<string | null>): Promise<void> {
    const settled = (await readdir(folderOf(applicationId)).catch(none))
      .map((name) => join(folderOf(applicationId), name))
      .filter((path) => !inHand.has(path.replace(/\.(packed|chunks)$/, '')));
    // What is settled and not current now is never current again.
    const kept = await current();
    for (const path of settled)
      if (path.replace(/\.chunks$/, '') !== kept) await rm(path, { recursive: true, force: true });
  }

  return {
    async keep(applicationId, file, current) {
      const { keptFree, ...limits } = await rules();
      await requireRoom(keptFree, file.bytes ?? 0);
      await mkdir(folderOf(applicationId), { recursive: true, mode: 0o700 });
      const directory = join(folderOf(applicationId), randomId(12));
      inHand.add(directory);
      try {
        // How large the archive itself may be, the transport has seen to.
        await unpackUpload(file.content, directory, {
          ...limits,
          packedBytes: Number.POSITIVE_INFINITY,
          beforeWrite: every(lookEvery, () => requireRoom(keptFree, 0)),
          openBase: (name) => openBase(folderOf(applicationId), current, name),
        });
      } catch (error) {
        inHand.delete(directory);
        throw error;
      }
      return directory;
    },
    async chunksOf(applicationId, current) {
      const upload = basename(current ?? '');
      await using pack = await openBase(folderOf(applicationId), current, upload);
      return pack && { upload, names: pack.names };
    },
    async settle(applicationId, path, current) {
      inHand.delete(path);
      await removeOthers(applicationId, current);
    },
    async forget(path) {
      inHand.delete(path);
      for (const one of [path, packPath(path)]) await rm(one, { recursive: true, force: true });
    },
    forgetAll: (applicationId) => rm(folderOf(applicationId), { recursive: true, force: true }),
    async tidy(currentOf) {
      for (const applicationId of await readdir(root).catch(none))
        await removeOthers(applicationId, () => currentOf(applicationId));
    },
  };
}

/** Of the application's own source, in its own folder, and of nothing else, whatever name is asked for. */
async function openBase(
  folder: string,
  current: string | null,
  name: string,
): Promise<ChunkPack | undefined> {
  if (current === null || dirname(current) !== folder || basename(current) !== name) return undefined;
  return openChunkPack(packPath(current));
}

/** Calls `look` each time that so many bytes have gone by. */
function every(bytes: number, look: () => Promise<void>): (written: number) => Promise<void> {
  let since = 0;
  return async (written) => {
    since += written;
    if (since < bytes) return;
    since = 0;
    await look();
  };
}

function none(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}
