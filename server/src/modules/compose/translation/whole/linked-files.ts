/**
 * Other files that a compose file brings in (compose-spec, include and extends): which ones, and what they
 * add. Their relative paths become paths of the first file's folder. Pure but for `read`.
 */
import { posix } from 'node:path';
import { badField } from '../../../../domain/errors.ts';
import { entriesOf, parseComposeFile, type ComposeFile, type YamlMap } from '../../compose-file.ts';
import { inFolder } from '../paths.ts';
import { below, fault, textAt, type Place } from '../values.ts';

/** Texts by their paths below the root of the repository. */
export type LinkedFiles = ReadonlyMap<string, string>;

const mostFiles = 50;
const mostCharacters = 1024 * 1024;
const definitions = ['volumes', 'networks', 'configs', 'secrets'] as const;

/** A file, and the folder that its paths begin in. */
export interface Rooted {
  file: ComposeFile;
  /** Below the root of the repository. */
  folder: string;
}

/** Reads every file that the text names, and that those name in turn; absent ones are left out. */
export async function readLinkedFiles(
  text: string,
  { field, folder, read }: { field: string; folder: string; read(path: string): Promise<string | undefined> },
): Promise<LinkedFiles> {
  const found = new Map<string, string>();
  const tried = new Set<string>();
  let size = 0;
  const visit = async (rooted: Rooted): Promise<void> => {
    for (const { path, folder: base } of namedFiles(rooted, field)) {
      if (tried.has(path)) continue;
      tried.add(path);
      if (tried.size > mostFiles) throw badField(field, `brings in more than ${mostFiles} other files`);
      const content = await read(path);
      if (content === undefined) continue;
      size += content.length;
      if (size > mostCharacters) throw badField(field, 'brings in other files of more than 1 MiB');
      found.set(path, content);
      await visit({ file: parseLinked(content, field, path), folder: base });
    }
  };
  await visit({ file: parseComposeFile(text, field), folder });
  return found;
}

/** The file with the services and definitions of those that it includes. */
export function withIncluded(
  rooted: Rooted,
  { field, files, depth = 0 }: { field: string; files: LinkedFiles; depth?: number },
): ComposeFile {
  const top = new Map(rooted.file.top);
  const services = new Map(rooted.file.services);
  top.delete('include');
  if (depth > 10) throw badField(field, 'include is circular');
  for (const { path, folder, place } of included(rooted, field)) {
    const text = files.get(path);
    if (text === undefined) throw fault(place, missing(path));
    const other = withIncluded(
      { file: parseLinked(text, field, path), folder },
      { field, files, depth: depth + 1 },
    );
    const prefix = posix.relative(rooted.folder, folder);
    for (const [name, service] of other.services) {
      if (services.has(name)) throw fault(place, `brings in the service ${name}, which the file has as well`);
      services.set(name, rebased(service, prefix));
    }
    for (const key of definitions)
      top.set(key, new Map([...definitionsIn(other.top.get(key), prefix), ...mapOf(top.get(key))]));
  }
  for (const key of definitions) if (mapOf(top.get(key)).size === 0) top.delete(key);
  return { top, services };
}

/** A service of another file, as `extends` names it, with that file; `place` is for errors. */
export function otherFile(
  path: string,
  { field, folder, files, place }: { field: string; folder: string; files: LinkedFiles; place: Place },
): Rooted & { path: string } {
  const whole = inFolder(folder, plainPath(path, place), place);
  const text = files.get(whole);
  if (text === undefined) throw fault(place, missing(whole));
  return { path: whole, file: parseLinked(text, field, whole), folder: folderOf(whole) };
}

/** The folder of a file, empty at the root. */
export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
}

const missing = (path: string): string =>
  `names the file ${path}, which is not there. A file of the source raw has beside it what mount.create ` +
  `adds (type file, filePath ${path}); a repository has its own files`;

function parseLinked(text: string, field: string, path: string): ComposeFile {
  return parseComposeFile(text, `${field}: ${path}`);
}

/** Whether the file includes another, or extends a service of one. */
export const namesOtherFiles = ({ top, services }: ComposeFile): boolean =>
  top.has('include') || [...services.values()].some((service) => mapOf(service.get('extends')).has('file'));

interface Named {
  path: string;
  folder: string;
  place: Place;
}

function namedFiles(rooted: Rooted, field: string): Named[] {
  const extending = [...rooted.file.services].flatMap(([name, service]) => {
    const base: unknown = service.get('extends');
    const file: unknown = base instanceof Map ? base.get('file') : undefined;
    if (file === undefined || file === null) return [];
    const place = { field, where: `services.${name}.extends.file` };
    const path = inFolder(rooted.folder, plainPath(textAt(file, place), place), place);
    return [{ path, folder: folderOf(path), place }];
  });
  return [...included(rooted, field), ...extending];
}

function included({ file, folder }: Rooted, field: string): Named[] {
  const value: unknown = file.top.get('include');
  if (value === undefined || value === null) return [];
  const whole: Place = { field, where: 'include' };
  if (!Array.isArray(value)) throw fault(whole, 'must be a list of files');
  return value.map((item: unknown, index) => {
    const place = below(whole, index);
    const map: YamlMap = item instanceof Map ? item : new Map([['path', item]]);
    for (const [key] of entriesOf(map))
      if (key === 'env_file')
        throw fault(below(place, key), 'is not read; put its variables into those of the compose service');
      else if (key !== 'path' && key !== 'project_directory') throw fault(below(place, key), 'is not known');
    const given: unknown = map.get('path');
    const [first, ...others]: unknown[] = Array.isArray(given) ? given : [given];
    if (others.length > 0)
      throw fault(below(place, 'path'), 'lists several files, which are not merged; include one whole file');
    const path = inFolder(folder, plainPath(textAt(first, below(place, 'path')), place), place);
    const base =
      map.has('project_directory') && map.get('project_directory') !== null
        ? inFolder(folder, textAt(map.get('project_directory'), below(place, 'project_directory')), place)
        : folderOf(path);
    return { path, folder: base, place };
  });
}

function plainPath(path: string, place: Place): string {
  if (path.includes('$')) throw fault(place, 'must be a path without variables');
  return path;
}

const mapOf = (value: unknown): YamlMap => (value instanceof Map ? value : new Map<unknown, unknown>());

function definitionsIn(value: unknown, prefix: string): Map<unknown, unknown> {
  return new Map(
    [...mapOf(value)].map(([name, definition]) => {
      const file: unknown = definition instanceof Map ? definition.get('file') : undefined;
      return [
        name,
        definition instanceof Map && typeof file === 'string'
          ? new Map([...definition, ['file', moved(file, prefix)]])
          : definition,
      ];
    }),
  );
}

/** The service with the paths that it has beside its file. */
export function rebased(service: YamlMap, prefix: string): YamlMap {
  if (prefix === '') return service;
  return new Map(
    [...service].map(([key, value]) => {
      switch (key) {
        case 'build':
          return [key, movedBuild(value, prefix)];
        case 'env_file':
          return [key, eachItem(value, (item) => movedAt(item, 'path', prefix))];
        case 'volumes':
          return [key, eachItem(value, (item) => movedMount(item, prefix))];
        default:
          return [key, value];
      }
    }),
  );
}

const eachItem = (value: unknown, change: (item: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(change) : change(value);

function movedAt(item: unknown, key: string, prefix: string): unknown {
  if (typeof item === 'string') return moved(item, prefix);
  const path: unknown = item instanceof Map ? item.get(key) : undefined;
  return item instanceof Map && typeof path === 'string'
    ? new Map([...item, [key, moved(path, prefix)]])
    : item;
}

function movedBuild(value: unknown, prefix: string): unknown {
  if (!(value instanceof Map)) return typeof value === 'string' ? movedContext(value, prefix) : value;
  const context: unknown = value.get('context') ?? '.';
  return new Map([
    ...value,
    ['context', typeof context === 'string' ? movedContext(context, prefix) : context],
  ]);
}

const movedContext = (context: string, prefix: string): string =>
  /^[a-z+-]+:|^git@/i.test(context) ? context : moved(context, prefix);

function movedMount(item: unknown, prefix: string): unknown {
  if (typeof item === 'string') {
    const [source = '', ...rest] = item.split(':');
    return source.startsWith('.') && rest.length > 0 ? [moved(source, prefix), ...rest].join(':') : item;
  }
  const source: unknown = item instanceof Map ? item.get('source') : undefined;
  const isPath = typeof source === 'string' && (source.startsWith('.') || mapOf(item).get('type') === 'bind');
  return isPath ? movedAt(item, 'source', prefix) : item;
}

/** A path without a folder of its own begins in another one. */
function moved(path: string, prefix: string): string {
  if (path.startsWith('/') || path.startsWith('~') || path.startsWith('$')) return path;
  const whole = posix.join(prefix, path);
  return whole.startsWith('..') ? whole : `./${whole}`;
}
