/** Uploaded sources, each unpacked into a folder of its own below its application's. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadedFile } from '../../procedure/procedure.ts';
import { randomId } from '../../ports/clock.ts';
import { AppError } from '../../domain/errors.ts';

export interface UploadLimits {
  /** Bytes of all files, unpacked. */
  unpackedBytes: number;
  /** Files and folders. */
  entries: number;
}

export interface Uploads {
  /** Unpacks and gives the folder; nothing remains when the archive is refused. */
  keep(applicationId: string, file: UploadedFile): Promise<string>;
  forget(path: string): Promise<void>;
  forgetAll(applicationId: string): Promise<void>;
}

export function createUploads(root: string): (limits: () => Promise<UploadLimits>) => Uploads {
  return (limits) => ({
    async keep(applicationId, file) {
      const directory = join(root, applicationId, randomId(12));
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await limits();
      file.content.resume();
      throw new AppError('NOT_IMPLEMENTED', 'Uploads are not here yet.');
    },
    forget: (path) => rm(path, { recursive: true, force: true }),
    forgetAll: (applicationId) => rm(join(root, applicationId), { recursive: true, force: true }),
  });
}
