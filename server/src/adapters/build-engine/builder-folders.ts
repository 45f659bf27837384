/** The folders that builders have their sockets in. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuilderFolders } from '../../ports/host/host-connection.ts';

/** Of a builder's engine, and of whoever gives parts of its images. */
export const engineSocketName = 'docker.sock';
export const partsSocketName = 'images.sock';
export const builderSockets = [engineSocketName, partsSocketName] as const;

/** Folders of this machine. */
export const localBuilderFolders = (folder: string): BuilderFolders => ({
  async make(name) {
    await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  },
  async remove(name) {
    for (const own of [join(folder, name), heldFolderOf(folder, name)])
      await rm(own, { recursive: true, force: true });
  },
});

/** Beside those that builders see; no organization's id begins with a dot. */
export const heldFolderOf = (folder: string, name: string): string => join(folder, '.held', name);
