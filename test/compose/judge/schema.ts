/** The keys of the compose specification, as docker compose itself has them: its program holds the schema. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

interface Schema {
  $ref?: string | undefined;
  properties?: Record<string, Schema> | undefined;
  patternProperties?: Record<string, Schema> | undefined;
  items?: Schema | undefined;
  oneOf?: Schema[] | undefined;
  anyOf?: Schema[] | undefined;
}
const schemaShape: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    properties: z.record(z.string(), schemaShape).optional(),
    patternProperties: z.record(z.string(), schemaShape).optional(),
    items: schemaShape.optional(),
    oneOf: z.array(schemaShape).optional(),
    anyOf: z.array(schemaShape).optional(),
  }),
);
const wholeShape = z.looseObject({ definitions: z.record(z.string(), schemaShape) });

/**
 * Paths of all keys, in their order: `*` stands for a name, or for an item of a list
 * (`services.*.ports.*.target`).
 */
export async function specifiedKeys(program: string): Promise<string[]> {
  const whole: unknown = JSON.parse(objectAround(await readFile(program), '"$id": "compose_spec.json"'));
  const { definitions } = wholeShape.parse(whole);
  const found = new Set<string>();
  const walk = (schema: Schema, path: string, within: readonly string[]): void => {
    const name = schema.$ref?.replace('#/definitions/', '');
    // What holds itself is known after its first time.
    if (name !== undefined && !within.includes(name)) walk(definitions[name] ?? {}, path, [...within, name]);
    for (const other of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) walk(other, path, within);
    if (schema.items) walk(schema.items, `${path}.*`, within);
    for (const [key, inner] of Object.entries(schema.properties ?? {})) {
      const at = path === '' ? key : `${path}.${key}`;
      found.add(at);
      walk(inner, at, within);
    }
    for (const [pattern, inner] of Object.entries(schema.patternProperties ?? {}))
      if (pattern !== '^x-') walk(inner, `${path}.*`, within);
  };
  walk(schemaShape.parse(whole), '', []);
  return [...found].toSorted();
}

/** The JSON object that the text stands in at its first level. */
function objectAround(bytes: Buffer, text: string): string {
  const begin = bytes.lastIndexOf('{', bytes.indexOf(text));
  let depth = 0;
  let isText = false;
  for (let at = begin; at < bytes.length; at += 1) {
    const letter = String.fromCharCode(bytes[at] ?? 0);
    if (isText && letter === '\\') at += 1;
    else if (letter === '"') isText = !isText;
    else if (!isText && letter === '{') depth += 1;
    else if (!isText && letter === '}') depth -= 1;
    if (depth === 0) return bytes.subarray(begin, at + 1).toString();
  }
  throw new Error(`The program holds no whole object around ${text}.`);
}
