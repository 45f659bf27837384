/**
 * Compose files as plain values. What is read here is judged before another program reads the same text, so whatever two parsers could read differently (YAML 1.1 and 1.2, tags,
 * repeated keys, other line breaks) is refused; and nothing in the file makes reading it dear, neither its size nor its depth nor aliases of aliases.
 */
import type * as yaml from 'yaml';
import { badField, type AppError } from '../../domain/errors.ts';

export type Yaml = string | number | boolean | null | readonly Yaml[] | YamlMap;
export interface YamlMap {
  readonly [name: string]: Yaml;
}

export interface ComposeFile {
  /** Name → what the file says of the service. */
  services: YamlMap;
  /** The whole file. */
  whole: YamlMap;
}

/** Characters of a compose file. */
export const composeFileLimit = 256 * 1024;
/** Marks and words of the text: what the parser's time and memory grow with. */
const lexemeLimit = 30_000;
/** Values when every alias is written out. */
const valueLimit = 100_000;
const depthLimit = 64;

type Fault = (message: string) => AppError;
/** Loaded where a file is read: it costs 12 MB of memory. */
type YamlLibrary = typeof yaml;

/** Throws BAD_REQUEST naming `field` for anything that is no compose file. An empty file has no services. */
export async function readComposeFile(text: string, field = 'composeFile'): Promise<ComposeFile> {
  const fault: Fault = (message) => badField(field, message);
  if (text.length > composeFileLimit) throw fault(`must have at most ${composeFileLimit} characters`);
  // Line breaks of YAML 1.1 (5.4) are none in 1.2: where one parser sees a comment, another would see a key.
  if (/[^\P{Cc}\t\n\r]|[\u2028\u2029\uFEFF]/u.test(text)) throw fault('must not hold control characters, byte order marks or line breaks other than those of text files');
  const whole = read(await import('yaml'), text, fault);
  if (whole !== null && !isMap(whole)) throw fault('must be a map with the key services');
  const services = whole?.['services'] ?? {};
  if (!isMap(services) || !Object.values(services).every((service) => service === null || isMap(service))) throw fault('must have a map of services, each of them a map');
  return { whole: whole ?? {}, services };
}

export function isMap(value: Yaml | undefined): value is YamlMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tags that every parser resolves alike. `!reset` and the like, and `!!binary`, would change what stands there. */
const plainTags: readonly string[] = ['map', 'seq', 'str', 'int', 'float', 'bool', 'null'].map((name) => `tag:yaml.org,2002:${name}`);

function read(library: YamlLibrary, text: string, fault: Fault): Yaml {
  let lexemes = 0;
  for (const _lexeme of new library.Lexer().lex(text)) {
    lexemes += 1;
    if (lexemes > lexemeLimit) throw fault(`has more than ${lexemeLimit} parts`);
  }
  // Silent, the library would take a second document in the text for no error.
  const document = withoutStacks(() => library.parseDocument(text, { version: '1.2', schema: 'core', merge: false, uniqueKeys: false, prettyErrors: false, logLevel: 'error' }));
  const [error] = document.errors;
  if (error) throw fault(`is no valid YAML, line ${text.slice(0, error.pos[0]).split('\n').length}: ${error.message.slice(0, 200)}`);
  return createReader(library, fault)(document.contents, 0);
}

/** The library makes an Error of every fault in the text, and most of what each costs is a stack that nobody reads. */
function withoutStacks<T>(parse: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parse();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Gives a function that turns a node of the tree into its value, aliases and merge keys written out. */
function createReader(library: YamlLibrary, fault: Fault): (node: unknown, depth: number) => Yaml {
  /** Anchored values so far: an alias means the last one before it. `size`: the values in it. */
  const anchors = new Map<string, { value: Yaml; size: number }>();
  let spent = 0;

  function spend(values: number): void {
    spent += values;
    if (spent > valueLimit) throw fault(`has more than ${valueLimit} values when its aliases are written out`);
  }
  function valueOf(node: unknown, depth: number): Yaml {
    if (depth > depthLimit) throw fault(`is nested more than ${depthLimit} levels deep`);
    if (library.isAlias(node)) {
      const found = anchors.get(node.source);
      if (!found) throw fault(`has the alias *${node.source.slice(0, 50)} without an anchor before it`);
      spend(found.size);
      return found.value;
    }
    const before = spent;
    spend(1);
    if (!library.isScalar(node) && !library.isCollection(node)) return null;
    if (node.tag !== undefined && !plainTags.includes(node.tag)) throw fault(`uses the tag ${node.tag.slice(0, 50)}; write the value without it`);
    const value = library.isMap(node) ? mapOf(node.items, depth) : library.isSeq(node) ? node.items.map((item) => valueOf(item, depth + 1)) : library.isScalar(node) ? scalarOf(node.value) : null;
    if (node.anchor !== undefined) anchors.set(node.anchor, { value, size: spent - before });
    return value;
  }
  function mapOf(pairs: readonly { key: unknown; value: unknown }[], depth: number): Yaml {
    const own = new Map<string, Yaml>();
    const sources: YamlMap[] = [];
    for (const pair of pairs) {
      const key = valueOf(pair.key, depth + 1);
      if (typeof key === 'object' && key !== null) throw fault('has a key that is no text');
      const name = String(key);
      const value = valueOf(pair.value, depth + 1);
      const merged = name === '<<' ? mergeSources(value) : undefined;
      if (merged) sources.push(...merged);
      else if (own.has(name)) throw fault(`has the key ${JSON.stringify(name.slice(0, 50))} twice in one map`);
      else own.set(name, value);
    }
    // The map's own keys win, then the first source that has one (YAML merge key type, yaml.org/type/merge.html).
    const entries = [...sources.toReversed().flatMap((source) => Object.entries(source)), ...own];
    return Object.fromEntries(entries);
  }
  return valueOf;
}

/** What the key `<<` puts into its map: a map, or a list of them; undefined for anything else, which is an ordinary value. */
function mergeSources(value: Yaml): YamlMap[] | undefined {
  if (isMap(value)) return [value];
  if (!Array.isArray(value)) return undefined;
  const maps = value.filter((item: Yaml) => isMap(item));
  return maps.length === value.length ? maps : undefined;
}

function scalarOf(value: unknown): Yaml {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null ? value : null;
}
