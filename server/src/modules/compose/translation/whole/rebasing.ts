/** Relative paths of a file that stands in another folder than the one that brings it in. Pure. */
import { posix } from 'node:path';
import type { YamlMap } from '../../compose-file.ts';

export const mapOf = (value: unknown): YamlMap =>
  value instanceof Map ? value : new Map<unknown, unknown>();

/** Definitions of the kind with the paths that they have beside their file. */
export function definitionsIn(value: unknown, prefix: string): Map<unknown, unknown> {
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
