/** Values for one place of an input: at the bounds of its schema, of another type, huge, or hostile. */
import { isSchema, propertiesOf, type Schema } from '../../server/src/procedure/describe/describe-type.ts';
import { hostileValues } from '../e2e/hostile/hostile-values.ts';
import type { Random } from './random.ts';

/** A place in an input, and what its schema allows there. */
export interface Spot {
  path: readonly string[];
  schema: Schema;
}

/** Every place of an input, at every depth; `0` is the item of a list, `key` the value of a record. */
export function spotsOf(schema: Schema, path: readonly string[] = []): Spot[] {
  const alternatives = [schema['anyOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? list.filter(isSchema) : [],
  );
  const below = [
    ...propertiesOf(schema).flatMap(({ name, schema: field }) => spotsOf(field, [...path, name])),
    ...(isSchema(schema['items']) ? spotsOf(schema['items'], [...path, '0']) : []),
    ...(isSchema(schema['additionalProperties'])
      ? spotsOf(schema['additionalProperties'], [...path, 'key'])
      : []),
    ...alternatives.flatMap((one) => spotsOf(one, path)),
  ];
  return path.length === 0 || alternatives.length > 0 ? below : [{ path, schema }, ...below];
}

/** The input with the value in its place; what is missing on the way is made. */
export function withValue(input: unknown, [first, ...rest]: readonly string[], value: unknown): unknown {
  if (first === undefined) return value;
  if (first === '0') return [withValue(Array.isArray(input) ? input[0] : undefined, rest, value)];
  const present =
    typeof input === 'object' && input !== null && !Array.isArray(input) ? Object.entries(input) : [];
  const inside = present.find(([name]) => name === first)?.[1];
  return Object.fromEntries([
    ...present.filter(([name]) => name !== first),
    [first, withValue(inside, rest, value)],
  ]);
}

export function boundaryValue(schema: Schema, random: Random): unknown {
  const least = numberOr(schema['minLength'] ?? schema['minimum'] ?? schema['minItems'], 0);
  const most = numberOr(schema['maxLength'] ?? schema['maximum'] ?? schema['maxItems'], 100);
  const types = [schema['type']].flat();
  if (Array.isArray(schema['enum']))
    return random.pickFrom([...schema['enum'], String(schema['enum'][0]).toUpperCase(), '', null]);
  const length = Math.min(random.pick([least, Math.max(0, least - 1), most, most + 1]), 600_000);
  if (types.includes('string')) return random.pick(['x', 'é', '9', '/', ' ']).repeat(length);
  if (types.includes('number') || types.includes('integer'))
    return random.pick([
      least,
      least - 1,
      most,
      most + 1,
      0,
      -0,
      0.5,
      -1,
      Number.MAX_SAFE_INTEGER,
      2 ** 53,
      1e308,
      -1e308,
      5e-324,
    ]);
  if (types.includes('array')) return Array.from({ length: Math.min(length, 5000) }, () => 'x');
  if (types.includes('boolean')) return random.pick([true, false, null]);
  return random.pick([null, {}]);
}

const others = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  '',
  'text',
  '0',
  'null',
  [],
  {},
  [[]],
  [null],
  [{}],
  { a: { b: [1] } },
  { length: 1 },
  { toString: 'x' },
  { valueOf: 'x' },
  { json: { a: 1 } },
  '2026-13-45T99:99:99Z',
  [1, 'a', null],
] as const;

export function otherType(random: Random): unknown {
  return random.pickFrom(others);
}

export function hugeValue(random: Random): unknown {
  switch (random.below(5)) {
    case 0:
      return 'x'.repeat(10_000 + random.below(900_000));
    case 1:
      return '\u{1f6a2}'.repeat(20_000);
    case 2:
      return Array.from({ length: 20_000 }, (_, index) => index);
    case 3:
      return Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key${index}`, 'value']));
    default:
      return nested(random.pick([30, 33, 100, 2000]));
  }
}

/** Lists in lists. */
function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

/** `touched` is the file that a command in the text would make. */
export function createHostile(touched: string): (random: Random) => unknown {
  const texts = hostileValues(() => touched)
    .map(({ text }) => text)
    .filter((text) => text.length < 100_000);
  return (random) => random.pickFrom(texts);
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
