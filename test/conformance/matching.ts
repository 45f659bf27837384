/** Compares an answer with what a row says of it. */

/**
 * The first place where the answer is otherwise, in words; undefined when it fits. Objects may have more
 * fields than the row says, lists no more items.
 */
export function mismatch(actual: unknown, expected: unknown, at = 'the answer'): string | undefined {
  if (isKind(expected)) return kindMismatch(actual, expected, at);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return `${at} is no list: ${shown(actual)}`;
    if (actual.length !== expected.length)
      return `${at} has ${actual.length} items instead of ${expected.length}: ${shown(actual)}`;
    return first(expected.map((item: unknown, index) => mismatch(actual[index], item, `${at}[${index}]`)));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return `${at} is no object: ${shown(actual)}`;
    return first(
      Object.entries(expected).map(([name, value]) =>
        mismatch(Reflect.get(actual, name), value, `${at}.${name}`),
      ),
    );
  }
  return Object.is(actual, expected) ? undefined : `${at} is ${shown(actual)} instead of ${shown(expected)}`;
}

interface Kind {
  any: string;
  pattern?: RegExp;
  item?: unknown;
}

function isKind(value: unknown): value is Kind {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'any') === 'string';
}

const isTime = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);

const kinds: Readonly<Record<string, (value: unknown, kind: Kind) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  time: isTime,
  list: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  id: (value) => typeof value === 'string' && value !== '',
  textOrNull: (value) => value === null || typeof value === 'string',
  numberOrNull: (value) => value === null || typeof value === 'number',
  matching: (value, { pattern }) => typeof value === 'string' && (pattern?.test(value) ?? false),
  absent: (value) => value === undefined,
};

function kindMismatch(actual: unknown, kind: Kind, at: string): string | undefined {
  if (kind.any === 'listOf') {
    if (!Array.isArray(actual)) return `${at} is no list: ${shown(actual)}`;
    return actual.length === 0
      ? `${at} is empty`
      : first(actual.map((item: unknown, index) => mismatch(item, kind.item, `${at}[${index}]`)));
  }
  return kinds[kind.any]?.(actual, kind)
    ? undefined
    : `${at} is ${shown(actual)} instead of ${kind.pattern ? String(kind.pattern) : kind.any}`;
}

function first(found: readonly (string | undefined)[]): string | undefined {
  return found.find((fault) => fault !== undefined);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 300);
}
