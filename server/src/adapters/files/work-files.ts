/** The work folders of deployments on this server's file system. */
import { cp, mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import type { WorkFiles } from '../../ports/work-files.ts';

export function createWorkFiles(): WorkFiles {
  return {
    async fresh(directory) {
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory, { recursive: true, mode: 0o700 });
    },
    remove: (directory) => rm(directory, { recursive: true, force: true }),
    copy: (source, target) => cp(source, target, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false }),
    async writeNew(path, content) {
      try {
        await writeFile(path, content, { flag: 'wx', mode: 0o600 });
        return true;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
        throw error;
      }
    },
    async freeBytes(directory) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const { bavail, bsize } = await statfs(directory);
      return bavail * bsize;
    },
  };
}
