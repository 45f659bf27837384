/** The work folders of deployments on this server's file system. */
import { cp, mkdir, readdir, readFile, realpath, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { badField } from '../../domain/errors.ts';
import type { WorkFiles } from '../../ports/work-files.ts';

export function createWorkFiles(): WorkFiles {
  return {
    async fresh(directory) {
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory, { recursive: true, mode: 0o700 });
    },
    remove: (directory) => rm(directory, { recursive: true, force: true }),
    copy: (source, target) =>
      cp(source, target, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false }),
    writeNew: (path, content) => writeUnlessThere(path, content),
    async readInside(root, path, { field, maxBytes }) {
      const real = await realInside(root, path, field);
      if (real === undefined) return undefined;
      const state = await stat(real);
      if (!state.isFile()) throw badField(field, `"${path}" is no file`);
      if (state.size > maxBytes)
        throw badField(field, `"${path}" has ${state.size} bytes, and at most ${maxBytes} are read`);
      const bytes = await readFile(real);
      const text = bytes.toString('utf8');
      if (text.includes('\0') || Buffer.byteLength(text) !== bytes.length)
        throw badField(field, `"${path}" is no text`);
      return text;
    },
    async copyInside(root, path, target, { field }) {
      const real = await realInside(root, path, field);
      if (real === undefined) return false;
      await mkdir(dirname(target), { recursive: true, mode: 0o711 });
      await cp(real, target, { recursive: true, verbatimSymlinks: true });
      return true;
    },
    async writeInside(root, path, content, { field }) {
      const folder = await realInside(root, dirname(path), field);
      if (folder === undefined) throw badField(field, `there is no folder "${dirname(path)}" in the source`);
      return writeUnlessThere(join(folder, basename(path)), content);
    },
    names: (directory) => readdir(directory).catch(() => []),
    async freeBytes(directory) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const { bavail, bsize } = await statfs(directory);
      return bavail * bsize;
    },
  };
}

async function writeUnlessThere(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The real path; undefined when nothing is there. */
async function realInside(root: string, path: string, field: string): Promise<string | undefined> {
  const top = await realpath(root);
  const real = await realpath(join(top, path)).catch(() => undefined);
  if (real !== undefined && real !== top && !real.startsWith(top + sep))
    throw badField(field, `"${path}" leads out of the source`);
  return real;
}
