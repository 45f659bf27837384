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
  return { schema, definitions: Object.fromEntries(definitions) };
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
