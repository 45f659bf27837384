/**
 * Paths of a checkout. Whoever wrote the repository chose its links; so nothing of it is read or written by
 * name, but by a path that was walked part by part.
 */
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { badField } from '../../domain/errors.ts';
import { parseSourcePath } from '../../domain/git/git-source.ts';

export interface ResolveOptions {
  /** Input that named it, for the refusal. */
  field: string;
  /** Folder that the path counts from; absent: the source itself. */
  from?: CheckoutPath;
}

/** A file or folder that is there, is no link, and stands in its source: only `resolve` makes one. */
export class CheckoutPath {
  readonly #path: string;
  readonly #root: string;

  private constructor(root: string, path: string) {
    this.#root = root;
    this.#path = path;
  }

  /** Absolute. */
  get path(): string {
    return this.#path;
  }

  /** As people name it: from the source. */
  get shown(): string {
    return relative(this.#root, this.#path);
  }

  /**
   * The file or folder behind the path, its links followed; undefined when nothing is there. Throws
   * BAD_REQUEST naming `field`, the path and the link that points outside the source.
   */
  static async resolve(
    root: string,
    path: string,
    { field, from }: ResolveOptions,
  ): Promise<CheckoutPath | undefined> {
    const top = await realpath(root);
    const start = from === undefined ? [] : relative(top, from.path).split(sep).filter(Boolean);
    const parts = await walk(top, start, { path: parseSourcePath(path, field), field });
    return parts && new CheckoutPath(top, join(top, ...parts));
  }
}

/** The same for what must be there, as a folder or a file; BAD_REQUEST naming `field` when it is not. */
export async function requireInside(
  root: string,
  path: string,
  { kind, ...options }: ResolveOptions & { kind: 'folder' | 'file' },
): Promise<CheckoutPath> {
  const { field } = options;
  const shown = parseSourcePath(path, field);
  const found = await CheckoutPath.resolve(root, path, options);
  if (found === undefined) throw badField(field, `there is no ${kind} "${shown}" in the source`);
  const state = await stat(found.path);
  if (kind === 'folder' ? !state.isDirectory() : !state.isFile())
    throw badField(field, `"${shown}" is no ${kind}`);
  return found;
}

/**
 * Throws BAD_REQUEST for any link of the source that leads out of it: for programs that read a source as they
 * like, on this machine and with Berth's rights.
 */
export async function refuseLinksOut(root: string, field: string): Promise<void> {
  const top = await realpath(root);
  const folders: string[][] = [[]];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of await readdir(join(top, ...folder), { withFileTypes: true })) {
      if (entry.isDirectory()) folders.push([...folder, entry.name]);
      if (entry.isSymbolicLink())
        await walk(top, folder, { path: entry.name, field, shown: join(...folder, entry.name) });
    }
}

/** As Linux itself (path_resolution(7)). */
const mostLinks = 40;

interface Walk {
  path: string;
  field: string;
  /** The path from the source, for the refusal. */
  shown?: string;
}

async function walk(
  top: string,
  start: readonly string[],
  { path, field, shown = path }: Walk,
): Promise<string[] | undefined> {
  const done = [...start];
  const left = path.split('/');
  let links = 0;
  let link = '';
  const refusal = (): Error =>
    badField(
      field,
      `"${shown}" points outside the source${link === '' ? '' : ` through the symbolic link "${link}"`}`,
    );
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (done.pop() === undefined) throw refusal();
      continue;
    }
    const state = await lstat(join(top, ...done, part)).catch(absent);
    if (state === undefined) return undefined;
    if (!state.isSymbolicLink()) {
      done.push(part);
      continue;
    }
    links += 1;
    link = join(...done, part);
    if (links > mostLinks) throw badField(field, `"${shown}" is a loop of symbolic links`);
    const target = await readlink(join(top, link));
    if (target.startsWith('/')) throw refusal();
    left.unshift(...target.split('/'));
  }
  return done;
}

function absent(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
  throw error;
}
