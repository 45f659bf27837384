import described from '../generated/form-fields.json';
import type { Path } from '../live/api.ts';

/** As tools/generate/form-fields.ts writes it. */
export interface Field {
  n: string;
  t: 'text' | 'number' | 'switch' | 'choice' | 'list' | 'json';
  r?: boolean;
  z?: boolean;
  o?: string[];
  d?: string;
  min?: number;
  max?: number;
  l?: number;
  v?: string | number | boolean;
  p?: Field[];
}

/** The parts of an object as fields of their own: `slack.url`. */
export function partsOf(field: Field): readonly Field[] {
  return (field.p ?? []).map((part) => ({ ...part, n: `${field.n}.${part.n}` }));
}

/** What stands at `slack.url` of a record. */
export function storedAt(stored: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  const [first = '', second] = name.split('.');
  const value = stored?.[first];
  if (second === undefined) return value;
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[second] : undefined;
}

/** Puts a value where `slack.url` says. */
export function putAt(input: Record<string, unknown>, name: string, value: unknown): void {
  const [first = '', second] = name.split('.');
  if (second === undefined) input[first] = value;
  else input[first] = { ...(input[first] as object | undefined), [second]: value };
}

export function fieldsOf(path: Path): readonly Field[] {
  const all: Record<string, unknown> = described;
  return (all[path] ?? []) as readonly Field[];
}

/** What a text of the page means as a value; throws a sentence when it means none. */
export function valueOf(field: Field, text: string): unknown {
  if (text === '' && field.z) return null;
  switch (field.t) {
    case 'number': {
      if (text.trim() === '' || Number.isNaN(Number(text))) throw new Error('Give a number.');
      return Number(text);
    }
    case 'list':
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    case 'json':
      try {
        return text.trim() === '' ? undefined : JSON.parse(text);
      } catch {
        throw new Error('This is not JSON yet.');
      }
    default:
      return text;
  }
}

/** What stands in a field for a stored value. */
export function textOf(field: Field, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (field.t === 'list' && Array.isArray(value)) return value.join('\n');
  if (typeof value === 'object') return JSON.stringify(value, null, 2);
  return String(value);
}

/** Words as one text that means the same again; the server takes it apart by a shell's quotes. */
export const shellWords = (words: readonly unknown[]): string =>
  words
    .map(String)
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
