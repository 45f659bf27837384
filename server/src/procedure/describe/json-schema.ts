/**
 * zod → JSON Schema, in one place: records with an id of their own (`.meta({ id })`) stand apart and are
 * referred to.
 */
import { z } from 'zod';
import { isSchema, type Schema } from './describe-type.ts';

export interface ReferringSchema {
  schema: Schema;
  /** Records by their id; the schema and they themselves refer to them as `#/$defs/<id>`. */
  definitions: Readonly<Record<string, Schema>>;
}

export type Direction = 'input' | 'output';

export function jsonSchemaOf(type: z.ZodType, io: Direction): ReferringSchema {
  const {
    $schema: _dialect,
    $defs,
    ...schema
  } = z.toJSONSchema(type, { target: 'draft-2020-12', io, unrepresentable: 'any' });
  const definitions = isSchema($defs)
    ? Object.entries($defs).flatMap(([name, definition]) =>
        isSchema(definition) ? [[name, withoutId(definition)] as const] : [],
      )
    : [];
  const shown = (one: Schema): Schema => plain(io === 'output' ? withoutDefaults(one) : one);
  return {
    schema: shown(schema),
    definitions: Object.fromEntries(definitions.map(([name, definition]) => [name, shown(definition)])),
  };
}

/** Formats that JSON Schema knows. zod has names of its own for others, such as `starts_with`. */
const formats = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
]);

/**
 * Keeps to what every reader of JSON Schema knows: no inner names of zod, a type beside each pattern, nothing
 * twice.
 */
function plain(schema: Schema): Schema {
  const { format, anyOf, pattern, ...rest } = schema;
  const alternatives = Array.isArray(anyOf) ? unlike(anyOf.map((one) => plainPart('anyOf', one))) : [];
  const [only] = alternatives;
  return {
    ...(alternatives.length === 1 && isSchema(only) ? only : {}),
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, plainPart(key, value)])),
    ...(alternatives.length > 1 ? { anyOf: alternatives } : {}),
    ...(typeof format === 'string' && formats.has(format) ? { format } : {}),
    ...(typeof pattern === 'string' ? { pattern: withPlainSlashes(pattern) } : {}),
    ...(typeof pattern === 'string' && schema['type'] === undefined ? { type: 'string' } : {}),
  };
}

/** A pattern stands between quotes and not between slashes; some generators escape `\/` a second time. */
const withPlainSlashes = (pattern: string): string =>
  pattern.replaceAll(/\\(.)/gs, (whole, character: string) => (character === '/' ? '/' : whole));

/** Fields of an answer are there: a default would say what is put in place of an absent one. */
function withoutDefaults(schema: Schema): Schema {
  const { default: _default, ...rest } = schema;
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      key === 'properties' && isSchema(value)
        ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, partWithoutDefaults(field)]))
        : literalParts.has(key)
          ? value
          : partWithoutDefaults(value),
    ]),
  );
}

function partWithoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(partWithoutDefaults);
  return isSchema(value) ? withoutDefaults(value) : value;
}

function plainPart(key: string, value: unknown): unknown {
  if (literalParts.has(key)) return value;
  if (Array.isArray(value)) return value.map((item) => plainPart('', item));
  if (!isSchema(value)) return value;
  return key === 'properties'
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plainPart('', field)]))
    : plain(value);
}

/** Parts of a schema that are values and not schemas. */
export const literalParts: ReadonlySet<string> = new Set([
  'const',
  'default',
  'enum',
  'example',
  'examples',
  'required',
]);

function unlike(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** The same with each record written out where it is referred to. */
export function inlineSchemaOf(type: z.ZodType, io: Direction): Schema {
  const { schema, definitions } = jsonSchemaOf(type, io);
  const written = inlined(schema, definitions);
  return isSchema(written) ? written : {};
}

export const definitionPrefix = '#/$defs/';

/** The schema itself, or the record it refers to. */
export function resolved(schema: Schema, definitions: ReferringSchema['definitions']): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith(definitionPrefix)) return schema;
  return definitions[reference.slice(definitionPrefix.length)] ?? {};
}

function inlined(value: unknown, definitions: ReferringSchema['definitions']): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, definitions));
  if (!isSchema(value)) return value;
  return Object.fromEntries(
    Object.entries(resolved(value, definitions)).map(([name, item]) => [name, inlined(item, definitions)]),
  );
}

function withoutId({ id: _id, ...definition }: Schema): Schema {
  return definition;
}
