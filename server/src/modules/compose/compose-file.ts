/**
 * A compose file as data: YAML of bounded size and depth, one document, no key twice (compose-spec, Compose
 * file reference). Pure.
 */
import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Alias,
  type Document,
  type Pair,
  type ScalarTag,
  type Tags,
} from 'yaml';
import { AppError, badField, sentenceOf } from '../../domain/errors.ts';

export type YamlMap = ReadonlyMap<unknown, unknown>;

export interface ComposeFile {
  top: YamlMap;
  /** By their names, in the order of the file. */
  services: ReadonlyMap<string, YamlMap>;
}

/** Values of a file with its aliases put in: many more than any file needs, few enough to walk at once. */
const mostValues = 200_000;
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
  const lines = new LineCounter();
  try {
    // Keys are compared below: the library's own comparison of each with each takes seconds for a large map
    // (measured).
    const document = parseDocument(text, {
      merge: true,
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
      lineCounter: lines,
      customTags: (tags) => [octalInteger, groupedInteger, ...resetTags, ...overrideTags, ...tags],
    });
    const [fault] = document.errors;
    if (fault)
      throw badField(
        field,
        `is not valid YAML: ${placeOf(lines, fault.pos[0])}: ${fault.message.slice(0, 200)}`,
      );
    refuseDoubleKeys(document, field, lines);
    refuseGrowth(document, field, lines);
    return document.toJS({ mapAsMap: true, maxAliasCount: -1 });
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The library throws errors of several classes for text that is too deep, or has aliases without anchor.
    throw badField(field, `cannot be read: ${sentenceOf(error).slice(0, 200)}`);
  }
}

const placeOf = (lines: LineCounter, offset: number | undefined): string => {
  const { line, col } = lines.linePos(offset ?? 0);
  return `line ${line}, column ${col}`;
};

/** `0440`, as YAML 1.1 and docker compose read it: octal, where YAML 1.2 reads 440 (go-yaml v3, resolve). */
const octalInteger: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?0[0-7_]*[0-7]$/,
  resolve: (text) => Number.parseInt(text.replaceAll('_', ''), 8),
};

type Tag = Exclude<Tags[number], string>;

/** Of a key with `!reset`: it takes away what the extended service has there (compose-spec, Merge). */
export const resetValue: YamlMap = new Map();

const overriding = new WeakSet<object>();

/** Whether a list or map has `!override`: it stands in the place of what is extended, joined with nothing. */
export const isOverriding = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && overriding.has(value);

/** A changed list or map, with the tag of the one that it is made from. */
export function withTagOf<T extends object>(former: object, changed: T): T {
  if (overriding.has(former)) overriding.add(changed);
  return changed;
}

const resetTags = ([undefined, 'map', 'seq'] as const).map(
  (collection): Tag => ({ tag: '!reset', ...(collection && { collection }), resolve: () => resetValue }),
);

/** A scalar replaces what it meets anyway. */
const overrideTags: Tag[] = [
  { tag: '!override', resolve: (text: string) => text },
  ...(['map', 'seq'] as const).map(
    (collection): Tag => ({
      tag: '!override',
      collection,
      resolve: (node) => {
        const toJson = node.toJSON.bind(node);
        node.toJSON = (arg?: unknown, context?: Parameters<typeof toJson>[1]) => {
          const value = toJson(arg, context);
          overriding.add(value);
          return value;
        };
        return node;
      },
    }),
  ),
];

/** `1_000`, likewise. */
const groupedInteger: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?[1-9][0-9]*(?:_+[0-9]+)+$/,
  resolve: (text) => Number(text.replaceAll('_', '')),
};

/**
 * Counts the values with every alias put in, each anchor once, before any of them is copied. Refuses an alias
 * inside its own anchor, and a `<<` that merges no map, where the library throws a plain error.
 */
function refuseGrowth(document: Document, field: string, lines: LineCounter): void {
  const counted = new Map<unknown, number>();
  const anchors = new Map<string, unknown>();
  const open = new Set<unknown>();
  const fail = (node: unknown, what: string): AppError =>
    badField(field, `${placeOf(lines, isNode(node) ? node.range?.[0] : undefined)}: ${what}`);
  const count = (node: unknown): number => {
    if (isAlias(node)) return countAlias(node);
    if (isNode(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
    if (!isMap(node) && !isSeq(node)) return 1;
    open.add(node);
    let sum = 1;
    for (const item of node.items) sum += isPair(item) ? countPair(item) : count(item);
    open.delete(node);
    counted.set(node, sum);
    if (sum > mostValues) throw fail(node, `has more than ${mostValues} values once its aliases are put in`);
    return sum;
  };
  const countAlias = (alias: Alias): number => {
    const target = anchors.get(alias.source);
    if (open.has(target)) throw fail(alias, `the alias ${alias.source.slice(0, 40)} contains itself`);
    return counted.get(target) ?? 1;
  };
  const countPair = ({ key, value }: Pair): number => {
    const sum = count(key) + count(value);
    const sources = isSeq(value) ? value.items : [value];
    if (
      keyName(key) === '<<' &&
      !sources.every((source) => isMap(isAlias(source) ? anchors.get(source.source) : source))
    )
      throw fail(key, '"<<" merges a map, or a list of maps, and this is neither');
    return sum;
  };
  count(document.contents);
}

/** The library reads the key `<<` as a symbol. */
function keyName(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  return typeof key.value === 'symbol' ? key.value.description : String(key.value);
}

function refuseDoubleKeys(document: Document, field: string, lines: LineCounter): void {
  visit(document, {
    Map(_key, map) {
      const seen = new Set<string>();
      for (const { key } of isMap(map) ? map.items : []) {
        const name = keyName(key);
        if (name === undefined) continue;
        if (seen.has(name))
          throw badField(
            field,
            `${placeOf(lines, isScalar(key) ? key.range?.[0] : undefined)}: has the key ` +
              `${JSON.stringify(name.slice(0, 40))} twice in one map`,
          );
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
export const lineOf = (text: string, path: readonly string[]): number | undefined => linesOf(text)(path);

/** Finds lines of keys as `lineOf` does, in a text that is read once. */
export function linesOf(text: string): (path: readonly string[]) => number | undefined {
  const lineCounter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter, logLevel: 'error', uniqueKeys: false });
  return (path) => {
    let node: unknown = contents;
    let line: number | undefined;
    for (const part of path) {
      if (isSeq(node)) {
        const item: unknown = node.items[Number(part)];
        node = item;
        continue;
      }
      const pair = isMap(node)
        ? node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
        : undefined;
      if (!pair || !isScalar(pair.key) || !pair.key.range) return undefined;
      line = lineCounter.linePos(pair.key.range[0]).line;
      node = pair.value;
    }
    return line;
  };
}
