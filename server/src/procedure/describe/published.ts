/**
 * Schemas as the published documents have them: every field described, times marked as such. The tools inside
 * the house (forms, command line, tools for assistants) read the plain ones, which are shorter.
 */
import { isSchema, type Schema } from './describe-type.ts';
import { fieldWords, isTimeName } from './field-words.ts';
import { literalParts } from './json-schema.ts';

/** `parent` is the name of the record or procedure that the schema stands in. */
export function published(schema: Schema, parent: string): Schema {
  const shown = withWords(schema, parent);
  return isSchema(shown) ? shown : {};
}

/** One field, such as a parameter of a query. */
export function publishedField(name: string, schema: Schema, parent: string): Schema {
  const shown = published(isTimeName(name) ? asTime(schema) : schema, name);
  if (typeof shown['description'] === 'string' || typeof shown['$ref'] === 'string') return shown;
  const description = fieldWords(name, parent);
  return description === undefined ? shown : { ...shown, description };
}

function withWords(value: unknown, parent: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withWords(item, parent));
  if (!isSchema(value)) return value;
  const told = Object.entries(value).filter(([key, item]) => !(bounds.has(key) && isEveryNumber(item)));
  return Object.fromEntries(
    told.map(([key, item]) => {
      if (key === 'properties' && isSchema(item))
        return [
          key,
          Object.fromEntries(
            Object.entries(item).map(([name, field]) => [
              name,
              publishedField(name, isSchema(field) ? field : {}, parent),
            ]),
          ),
        ];
      return [key, literalParts.has(key) ? item : withWords(item, parent)];
    }),
  );
}

const bounds = new Set(['minimum', 'maximum']);

/** The bound that zod gives each integer; generators for other languages find it too large for theirs. */
const isEveryNumber = (bound: unknown): boolean =>
  typeof bound === 'number' && Math.abs(bound) === Number.MAX_SAFE_INTEGER;

/** A text becomes a time; null, lists and objects stay what they are. */
function asTime(schema: Schema): Schema {
  const alternatives = schema['anyOf'];
  if (Array.isArray(alternatives))
    return { ...schema, anyOf: alternatives.map((one) => (isSchema(one) ? asTime(one) : one)) };
  const isText = [schema['type']].flat().includes('string') && !('const' in schema) && !('enum' in schema);
  return isText && schema['format'] === undefined ? { ...schema, format: 'date-time' } : schema;
}
