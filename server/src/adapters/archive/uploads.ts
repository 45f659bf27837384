/** Uploaded sources, each unpacked into a folder of its own below its application's. */
import type { Readable } from 'node:stream';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomId } from '../../ports/clock.ts';
import type { UnpackLimits } from './file-sink.ts';
import { unpackUpload } from './unpack-upload.ts';

export interface Uploads {
  /** Unpacks and gives the folder; nothing remains when the archive is refused. Throws as `unpackUpload`. */
  keep(applicationId: string, file: { content: Readable }): Promise<string>;
  forget(path: string): Promise<void>;
  forgetAll(applicationId: string): Promise<void>;
}

export function createUploads(root: string): (limits: () => Promise<UnpackLimits>) => Uploads {
  return (limits) => ({
    async keep(applicationId, file) {
      await mkdir(join(root, applicationId), { recursive: true, mode: 0o700 });
      const directory = join(root, applicationId, randomId(12));
      // How large the archive itself may be, the transport has seen to.
      await unpackUpload(file.content, directory, {
        ...(await limits()),
        packedBytes: Number.POSITIVE_INFINITY,
      });
      return directory;
    },
    forget: (path) => rm(path, { recursive: true, force: true }),
    forgetAll: (applicationId) => rm(join(root, applicationId), { recursive: true, force: true }),
  });
}
