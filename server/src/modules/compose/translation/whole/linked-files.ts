/**
 * Other files that a compose file brings in (compose-spec, include and extends): which ones, and where their
 * paths begin. Pure but for `read`.
 */
import { posix } from 'node:path';
import { badField } from '../../../../domain/errors.ts';
import { entriesOf, parseComposeFile, type ComposeFile, type YamlMap } from '../../compose-file.ts';
import { inFolder } from '../paths.ts';
import { profilePaths } from '../container/security.ts';
import { below, fault, listAt, textAt, textsAt, type Place } from '../values.ts';

/** Texts by their paths below the root of the repository. */
export type LinkedFiles = ReadonlyMap<string, string>;

const mostFiles = 50;
const mostCharacters = 1024 * 1024;

/** A file, and the folder that its paths begin in. */
export interface Rooted {
  file: ComposeFile;
  /** Below the root of the repository. */
  folder: string;
}

/** One entry of `include`: files that are merged, and what gives them variables of their own. */
export interface Included {
  /** At least one; each later one is merged over those before it. */
  paths: string[];
  /** Folder in which the paths of all of them begin. */
  folder: string;
  /** Their env files, in order; each has to be there if the file names it. */
  envFiles: { path: string; required: boolean }[];
  place: Place;
}

/** Reads every file that the text names, and that those name in turn; absent ones are left out. */
export async function readLinkedFiles(
  text: string,
  { field, folder, read }: { field: string; folder: string; read(path: string): Promise<string | undefined> },
): Promise<LinkedFiles> {
  const found = new Map<string, string>();
  const tried = new Set<string>();
  let size = 0;
  const take = async (path: string): Promise<string | undefined> => {
    if (tried.has(path)) return undefined;
    tried.add(path);
    if (tried.size > mostFiles) throw badField(field, `brings in more than ${mostFiles} other files`);
    const content = await read(path);
    if (content === undefined) return undefined;
    size += content.length;
    if (size > mostCharacters) throw badField(field, 'brings in other files of more than 1 MiB');
    found.set(path, content);
    return content;
  };
  const visit = async (rooted: Rooted): Promise<void> => {
    for (const { path, folder: base } of namedFiles(rooted, field)) {
      const content = await take(path);
      if (content !== undefined) await visit({ file: parseLinked(content, field, path), folder: base });
    }
    for (const { envFiles } of included(rooted, field)) for (const { path } of envFiles) await take(path);
    for (const path of seccompProfiles(rooted, field)) await take(path);
  };
  await visit({ file: parseComposeFile(text, field), folder });
  return found;
}

/** A file that another one names; `place` is for errors. */
export function linkedFile(
  path: string,
  { field, files, place }: { field: string; files: LinkedFiles; place: Place },
): ComposeFile {
  const text = files.get(path);
  if (text === undefined) throw fault(place, missing(path));
  return parseLinked(text, field, path);
}

/** A service of another file, as `extends` names it, with that file; `place` is for errors. */
export function otherFile(
  path: string,
  { folder, place, ...from }: { field: string; folder: string; files: LinkedFiles; place: Place },
): Rooted & { path: string } {
  const whole = inFolder(folder, plainPath(path, place), place);
  return { path: whole, file: linkedFile(whole, { ...from, place }), folder: folderOf(whole) };
}

/** The folder of a file, empty at the root. */
export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
}

export const missing = (path: string): string =>
  `names the file ${path}, which is not there. A file of the source raw has beside it what mount.create ` +
  `adds (type file, filePath ${path}); a repository has its own files`;

function parseLinked(text: string, field: string, path: string): ComposeFile {
  return parseComposeFile(text, `${field}: ${path}`);
}

interface Named {
  path: string;
  folder: string;
}

function namedFiles(rooted: Rooted, field: string): Named[] {
  const extending = [...rooted.file.services].flatMap(([name, service]) => {
    const base: unknown = service.get('extends');
    const file: unknown = base instanceof Map ? base.get('file') : undefined;
    if (file === undefined || file === null) return [];
    const place = { field, where: `services.${name}.extends.file` };
    const path = inFolder(rooted.folder, plainPath(textAt(file, place), place), place);
    return [{ path, folder: folderOf(path) }];
  });
  return [
    ...included(rooted, field).flatMap(({ paths, folder }) => paths.map((path) => ({ path, folder }))),
    ...extending,
  ];
}

function seccompProfiles({ file, folder }: Rooted, field: string): string[] {
  return [...file.services].flatMap(([name, service]) => {
    const place = { field, where: `services.${name}.security_opt` };
    return profilePaths(service)
      .filter((path) => !path.includes('$'))
      .map((path) => inFolder(folder, path, place));
  });
}

/** What the file includes. */
export function included({ file, folder }: Rooted, field: string): Included[] {
  const value: unknown = file.top.get('include');
  if (value === undefined || value === null) return [];
  const whole: Place = { field, where: 'include' };
  if (!Array.isArray(value)) throw fault(whole, 'must be a list of files');
  return value.map((item: unknown, index) => includedAt(item, below(whole, index), folder));
}

function includedAt(item: unknown, place: Place, folder: string): Included {
  const map: YamlMap = item instanceof Map ? item : new Map([['path', item]]);
  for (const [key] of entriesOf(map))
    if (!['path', 'project_directory', 'env_file'].includes(key))
      throw fault(below(place, key), 'is not known');
  const pathsAt = (key: string): string[] =>
    textsAt(listAt(map.get(key), below(place, key)), below(place, key)).map((path) =>
      inFolder(folder, plainPath(path, below(place, key)), below(place, key)),
    );
  const paths = pathsAt('path');
  const [first] = paths;
  if (first === undefined) throw fault(below(place, 'path'), 'names no file');
  const directory: unknown = map.get('project_directory');
  const at = below(place, 'project_directory');
  const base =
    directory === undefined || directory === null
      ? folderOf(first)
      : inFolder(folder, plainPath(textAt(directory, at), at), at);
  const named: unknown = map.get('env_file');
  // docker compose takes the .env of the project's folder, and nothing for /dev/null.
  const envFiles =
    named === undefined || named === null
      ? [{ path: posix.join(base, '.env'), required: false }]
      : textsAt(named, below(place, 'env_file'))
          .filter((path) => path !== '/dev/null')
          .map((path) => ({
            path: inFolder(folder, plainPath(path, below(place, 'env_file')), below(place, 'env_file')),
            required: true,
          }));
  return { paths, folder: base, envFiles, place };
}

function plainPath(path: string, place: Place): string {
  if (path.includes('$')) throw fault(place, 'must be a path without variables');
  return path;
}
