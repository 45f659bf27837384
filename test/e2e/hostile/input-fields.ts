/**
 * Where text can stand in the input of a procedure: a walk over its JSON Schema, so that no field can be
 * forgotten.
 */
import { inlineSchemaOf } from '../../../server/src/procedure/describe/json-schema.ts';
import type { Procedure } from '../../../server/src/procedure/procedure.ts';

/**
 * The way to a value: names of fields, `0` for an item of a list; a record's own key is the way to its value.
 */
export interface TextField {
  path: readonly string[];
  /** The text stands as the key of a record at `path`. */
  isKey: boolean;
}

/** Stands in a path for the key of a record. */
const anyKey = 'team';

export function textFields(procedure: Procedure): TextField[] {
  const schema: unknown = inlineSchemaOf(procedure.input, 'input');
  return distinct(walk(schema, []));
}

/** The name for people: `labels.team`, and `labels (key)`. */
export function nameOf({ path, isKey }: TextField): string {
  return `${path.join('.')}${isKey ? ' (key)' : ''}`;
}

/** The input with this text in the field; what stands beside it in lists and records goes. */
export function withText(
  input: Record<string, unknown>,
  { path, isKey }: TextField,
  text: string,
): Record<string, unknown> {
  const value = isKey ? Object.fromEntries([[text, valueBesideKey(path)]]) : text;
  return put(input, path, value);
}

/**
 * What stands at the field's place in an answer; for a key, the key itself. Undefined when the answer has no
 * such place.
 */
export function textAt(record: unknown, { path, isKey }: TextField): unknown {
  let value = record;
  for (const name of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return isKey && typeof value === 'object' && value !== null ? Object.keys(value)[0] : value;
}

function walk(schema: unknown, path: readonly string[]): TextField[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const get = (name: string): unknown => Reflect.get(schema, name);
  const alternatives = [get('anyOf'), get('oneOf'), get('allOf')]
    .filter((list) => Array.isArray(list))
    .flat();
  const found = alternatives.flatMap((alternative) => walk(alternative, path));
  const type = get('type');
  // A place without a type takes anything, text too; a constraint beside a type (`allOf` of patterns) is no
  // place of its own.
  const takesText =
    type === 'string' ||
    (Array.isArray(type) && type.includes('string')) ||
    (type === undefined && alternatives.length === 0 && get('pattern') === undefined);
  if (takesText) found.push({ path, isKey: false });
  for (const [name, property] of Object.entries(get('properties') ?? {}))
    found.push(...walk(property, [...path, name]));
  if (get('items') !== undefined) found.push(...walk(get('items'), [...path, '0']));
  if (get('propertyNames') !== undefined) found.push({ path, isKey: true });
  if (get('additionalProperties') !== undefined)
    found.push(...walk(get('additionalProperties'), [...path, anyKey]));
  return found;
}

function distinct(fields: readonly TextField[]): TextField[] {
  return [...new Map(fields.map((field) => [nameOf(field), field])).values()];
}

/** A record of lists needs a list beside its key. */
function valueBesideKey(path: readonly string[]): unknown {
  return path[0] === 'permissions' ? ['read'] : 'value';
}

function put(target: unknown, path: readonly string[], value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path;
  const present =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? Object.entries(target) : [];
  return Object.fromEntries([
    ...present,
    [name, rest.length === 0 ? value : nested(rest, target, name, value)],
  ]);
}

function nested(rest: readonly string[], target: unknown, name: string, value: unknown): unknown {
  const inside: unknown =
    typeof target === 'object' && target !== null ? Reflect.get(target, name) : undefined;
  if (rest[0] === '0') {
    const first: unknown = Array.isArray(inside) ? inside[0] : undefined;
    return [rest.length === 1 ? value : put(first, rest.slice(1), value)];
  }
  return put(rest[0] === anyKey ? {} : inside, rest, value);
}
