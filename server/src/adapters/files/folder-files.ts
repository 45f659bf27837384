/** Files in folders of this machine. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { FolderFiles } from '../../ports/host/folder-files.ts';

export const localFolderFiles: FolderFiles = {
  async list(path) {
    const entries = await readdir(path, { withFileTypes: true }).catch(absent);
    return entries?.map((entry) => ({
      name: entry.name,
      kind: entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other',
    }));
  },
  read: (path) => readFile(path, 'utf8').catch(absent),
  write: (path, content, mode) => writeFile(path, content, { mode }),
  async makeFolder(path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  renameFolder: (from, to) => rename(from, to).catch(present),
  remove: (path) => rm(path, { recursive: true, force: true }),
};

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
    return undefined;
  throw error;
}

function present(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && (error.code === 'EEXIST' || error.code === 'ENOTEMPTY')))
    throw error;
}
