/** The work folders of deployments on this server's file system. */
import { constants } from 'node:fs';
import { cp, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { badField } from '../../domain/errors.ts';
import type { WorkFiles } from '../../ports/host/work-files.ts';
import { CheckoutPath, requireInside } from './checkout-path.ts';
import { bytesIn } from './bytes-in.ts';
import { freeBytes } from './free-bytes.ts';

export function createWorkFiles(): WorkFiles {
  return {
    async fresh(directory) {
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory, { recursive: true, mode: 0o700 });
    },
    remove: (directory) => rm(directory, { recursive: true, force: true }),
    copy: (source, target) =>
      cp(source, target, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false }),
    async readInside(root, path, { field, maxBytes }) {
      const found = await CheckoutPath.resolve(root, path, { field });
      return found && readText(found, { field, maxBytes });
    },
    async copyInside(root, path, target, { field }) {
      const found = await CheckoutPath.resolve(root, path, { field });
      if (found === undefined) return false;
      await mkdir(dirname(target), { recursive: true, mode: 0o711 });
      await cp(found.path, target, { recursive: true, verbatimSymlinks: true });
      return true;
    },
    async writeInside(root, path, content, { field }) {
      const folder = await requireInside(root, dirname(path), { field, kind: 'folder' });
      return writeUnlessThere(folder, basename(path), content);
    },
    names: (directory) => readdir(directory).catch(() => []),
    bytesIn: (directory, most = Infinity) => bytesIn(directory, most),
    freeBytes,
  };
}

/** Not even a named pipe put there would hold the reader up. */
const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function readText(
  found: CheckoutPath,
  { field, maxBytes }: { field: string; maxBytes: number },
): Promise<string> {
  const { shown } = found;
  await using file = await open(found.path, readOnly);
  const state = await file.stat();
  if (!state.isFile()) throw badField(field, `"${shown}" is no file`);
  if (state.size > maxBytes)
    throw badField(field, `"${shown}" has ${state.size} bytes, and at most ${maxBytes} are read`);
  const bytes = await file.readFile();
  const text = bytes.toString('utf8');
  if (text.includes('\0') || Buffer.byteLength(text) !== bytes.length)
    throw badField(field, `"${shown}" is no text`);
  return text;
}

/** Exclusive: a link of that name, wherever it leads, counts as there. */
async function writeUnlessThere(folder: CheckoutPath, name: string, content: string): Promise<boolean> {
  try {
    await writeFile(join(folder.path, name), content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
