/** `berth.yml` from its text: what is wrong with it is told with line and column. */
import { isMap, LineCounter, parseDocument, type Document } from 'yaml';
import {
  readBerthFile,
  type BerthFile,
  type FileEnvironment,
} from '../../server/src/modules/berth-file/record.ts';
import { UsageError } from '../usage-error.ts';

/** The file with every environment under `environments`. */
export interface WholeFile extends BerthFile {
  environments: Readonly<Record<string, FileEnvironment>>;
  /** Where something of a service stands, `berth.yml:3:5`, and how the file calls it. */
  placeOf(environment: string, service: string, path: readonly PropertyKey[]): NamedPlace;
}

interface NamedPlace {
  place: string;
  name: string;
}

export const defaultEnvironment = 'production';

/** Throws UsageError naming file, line and column of everything that is wrong. */
export function parseBerthFile(text: string, path: string): WholeFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const [fault] = document.errors;
  if (fault) {
    const [sentence = 'is no YAML'] = fault.message.split('\n');
    throw new UsageError(`${path}:${fault.linePos?.[0].line ?? 1}: ${sentence.replace(/:$/, '')}`);
  }
  const read = readBerthFile(valueOf(document, path));
  if ('issues' in read)
    throw new UsageError(
      read.issues
        .map(({ path: at, message }) => {
          const what = at.length === 0 ? 'the file' : at.join('.');
          return `${path}${placeOf(document, lines, at)}: ${what} ${message}`;
        })
        .join('\n'),
    );
  const { services } = read.file;
  return {
    ...wholeOf(read.file, path),
    placeOf(environment, service, below) {
      const isAtTop = services !== undefined && environment === defaultEnvironment;
      const at = [...(isAtTop ? [] : ['environments', environment]), 'services', service, ...below];
      return { place: `${path}${placeOf(document, lines, at)}`, name: at.join('.') };
    },
  };
}

/** Aliases of aliases (`&a [*b, *b]`) make a small file larger than any memory; the parser counts them. */
function valueOf(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new UsageError(
      `${path}: its aliases cannot be resolved: one has no anchor before it, or they repeat too much. ` +
        'Write out what they stand for.',
      { cause },
    );
  }
}

function wholeOf(file: BerthFile, path: string): Omit<WholeFile, 'placeOf'> {
  const { services, environments = {}, ...rest } = file;
  if (services === undefined) return { ...rest, environments };
  const present = environments[defaultEnvironment];
  if (present?.services !== undefined)
    throw new UsageError(
      `${path}: services are given at the top level and in environments.${defaultEnvironment}; both mean ` +
        'the same environment. Keep one.',
    );
  return { ...rest, environments: { ...environments, [defaultEnvironment]: { ...present, services } } };
}

/** `:line:column` of the nearest thing that is there. */
function placeOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): string {
  for (let length = path.length; length > 0; length -= 1) {
    const parent: unknown =
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const name = path[length - 1];
    const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === String(name)) : undefined;
    const at = rangeOf(pair?.key) ?? rangeOf(document.getIn(path.slice(0, length), true));
    if (at === undefined) continue;
    const { line, col } = lines.linePos(at);
    return `:${line}:${col}`;
  }
  return '';
}

function rangeOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined;
  return Array.isArray(node.range) && typeof node.range[0] === 'number' ? node.range[0] : undefined;
}
