/**
 * A compose file as data: YAML of bounded size and depth, one document, no key twice (compose-spec, Compose
 * file reference). Pure.
 */
import { isMap, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { badField, sentenceOf } from '../../domain/errors.ts';

export type YamlMap = ReadonlyMap<unknown, unknown>;

export interface ComposeFile {
  top: YamlMap;
  /** By their names, in the order of the file. */
  services: ReadonlyMap<string, YamlMap>;
}

/** References within a file; more would only make it grow. */
const maxAliases = 100;
const serviceName = /^[a-zA-Z0-9._-]{1,100}$/;
const reservedLabels = /^(berth|com\.docker)\./;

/**
 * The file; throws BAD_REQUEST naming `field` for what is no compose file, or has labels that belong to Berth
 * and the engine.
 */
export function parseComposeFile(text: string, field = 'composeFile'): ComposeFile {
  const top = rootOf(text, field);
  if (!(top instanceof Map)) throw badField(field, 'must be a map with services, as in "services:"');
  const listed: unknown = top.get('services') ?? new Map();
  if (!(listed instanceof Map)) throw badField(field, 'services: must be a map of names');
  const services = new Map<string, YamlMap>();
  for (const [key, service] of listed) {
    const name = String(key);
    if (!serviceName.test(name))
      throw badField(
        field,
        `services: ${JSON.stringify(name.slice(0, 40))} is no name of a service; it has letters, ` +
          'digits, ".", "_" and "-"',
      );
    if (!(service instanceof Map)) throw badField(field, `services.${name}: must be a map`);
    refuseReservedLabels(service, `services.${name}`, field);
    services.set(name, service);
  }
  return { top, services };
}

/** The values of a map in the file; none when it is absent or no map. */
export function entriesOf(value: unknown): [string, unknown][] {
  return value instanceof Map ? [...value].map(([key, item]) => [String(key), item]) : [];
}

function rootOf(text: string, field: string): unknown {
  try {
    // Keys are compared below: the library's own comparison of each with each takes seconds for a large map
    // (measured).
    const document = parseDocument(text, {
      merge: true,
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    });
    const [fault] = document.errors;
    if (fault) throw badField(field, `is no YAML: ${fault.message.slice(0, 200)}`);
    refuseDoubleKeys(document, field);
    return document.toJS({ mapAsMap: true, maxAliasCount: maxAliases });
  } catch (error) {
    // Too deep for the stack, or too many references.
    if (error instanceof RangeError || error instanceof ReferenceError)
      throw badField(field, `cannot be read: ${sentenceOf(error).slice(0, 200)}`);
    throw error;
  }
}

function refuseDoubleKeys(document: Document, field: string): void {
  visit(document, {
    Map(_key, map) {
      const seen = new Set<string>();
      for (const { key } of isMap(map) ? map.items : []) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name === undefined || name === '<<') continue;
        if (seen.has(name))
          throw badField(field, `has the key ${JSON.stringify(name.slice(0, 40))} twice in one map`);
        seen.add(name);
      }
    },
  });
}

/**
 * Whose container is whose is told by labels (decisions 10), so nobody writes those of Berth and of the
 * engine.
 */
function refuseReservedLabels(service: YamlMap, where: string, field: string): void {
  const deploy = service.get('deploy');
  for (const labels of [service.get('labels'), deploy instanceof Map ? deploy.get('labels') : undefined]) {
    const names = Array.isArray(labels)
      ? labels.map((label) => String(label).split('=')[0] ?? '')
      : entriesOf(labels).map(([name]) => name);
    const reserved = names.find((name) => reservedLabels.test(name.trim()));
    if (reserved !== undefined)
      throw badField(field, `${where}: the label ${reserved.slice(0, 60)} is reserved`);
  }
}

/** The line of a key, from 1; undefined where the text does not have it itself (an alias, a merge). */
export function lineOf(text: string, path: readonly string[]): number | undefined {
  const lineCounter = new LineCounter();
  let node: unknown = parseDocument(text, { lineCounter, logLevel: 'error', uniqueKeys: false }).contents;
  let line: number | undefined;
  for (const part of path) {
    const pair = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
      : undefined;
    if (!pair || !isScalar(pair.key) || !pair.key.range) return undefined;
    line = lineCounter.linePos(pair.key.range[0]).line;
    node = pair.value;
  }
  return line;
}
