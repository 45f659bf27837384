import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { badField } from '../../domain/errors.ts';
import { parseSourcePath } from '../../domain/git-source.ts';

/**
 * The real path of a folder or file of the source. Throws BAD_REQUEST naming `field` when it is not there, is of the other kind, or when a symbolic link leads out
 * of the source.
 */
export async function resolveInside(
  source: string,
  base: string,
  path: string,
  options: { field: string; kind: 'folder' | 'file' },
): Promise<string> {
  const { field, kind } = options;
  const relative = parseSourcePath(path, field);
  const root = await realpath(source);
  const found = await realpath(join(base, relative)).catch(() => undefined);
  if (found === undefined) throw badField(field, `there is no ${kind} "${relative}" in the source`);
  if (found !== root && !found.startsWith(root + sep))
    throw badField(field, `"${relative}" leads out of the source through a symbolic link`);
  const state = await stat(found);
  if (kind === 'folder' ? !state.isDirectory() : !state.isFile())
    throw badField(field, `"${relative}" is no ${kind}`);
  return found;
}
