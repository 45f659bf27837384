/**
 * Flags become a procedure's input, each by the schema of its field. What does not fit stays text: Berth
 * names the fault.
 */
import { isSchema, propertiesOf, type Schema } from '../../server/src/procedure/describe/describe-type.ts';
import { inlineSchemaOf } from '../../server/src/procedure/describe/json-schema.ts';
import type { Procedure } from '../../server/src/procedure/procedure.ts';
import type { Flag, Flags } from '../flags.ts';
import { UsageError } from '../usage-error.ts';

/** Options of the CLI itself; every other flag is a field of the input. */
export const ownOptions = ['help', 'follow', 'input', 'file'] as const;

export interface FieldSources {
  /** Content of a file, or of the standard input for `-`; for values written as `@path`. */
  read(path: string): Promise<string>;
  exists(path: string): Promise<boolean>;
}

export async function inputFrom(
  path: string,
  procedure: Procedure,
  flags: Flags,
  sources: FieldSources,
): Promise<Record<string, unknown>> {
  const fields = propertiesOf(inlineSchemaOf(procedure.input, 'input'));
  const input = await wholeInput(flags, sources);
  for (const [name, flag] of flags.flags) {
    if (ownOptions.some((own) => own === name)) continue;
    const field = fields.find((one) => one.name === name);
    if (!field)
      throw new UsageError(
        `${path} takes no --${name}. It takes: ` +
          `${fields.map((one) => `--${one.name}`).join(' ') || 'nothing'}.`,
      );
    input[name] = await valueOf(name, field.schema, flag, sources);
  }
  return input;
}

async function wholeInput(flags: Flags, sources: FieldSources): Promise<Record<string, unknown>> {
  const flag = flags.flags.get('input');
  if (!flag) return {};
  const text = 'texts' in flag ? (flag.texts.at(-1) ?? '') : '';
  const value = parseJson('input', await content(text, sources));
  if (!isSchema(value))
    throw new UsageError(
      '--input takes a JSON object, or @file that holds one, or @- for the standard input.',
    );
  return { ...value };
}

async function valueOf(name: string, schema: Schema, flag: Flag, sources: FieldSources): Promise<unknown> {
  if ('off' in flag) return accepts(schema, 'null') ? null : false;
  const texts = await Promise.all(flag.texts.map((text) => content(text, sources)));
  const [only = ''] = texts;
  if (accepts(schema, 'array') && texts.length === 1) {
    if (only === 'null' && accepts(schema, 'null') && !accepts(schema, 'string')) return null;
    if (only.startsWith('[')) return parseJson(name, only);
    // Of a command that is given as one text Berth takes the words apart.
    if (accepts(schema, 'string')) return only;
  }
  if (accepts(schema, 'array')) return texts.map((text) => single(name, itemsOf(schema), text));
  if (texts.length > 1)
    throw new UsageError(`--${name} is given ${texts.length} times, but takes one value.`);
  return single(name, schema, only);
}

function single(name: string, schema: Schema, text: string): unknown {
  if (accepts(schema, 'object') && text.startsWith('{')) return parseJson(name, text);
  // Of a field that takes texts, "null" may be one of them; --no-field says null there.
  if (text === 'null' && accepts(schema, 'null') && !accepts(schema, 'string')) return null;
  if (accepts(schema, 'string')) return text;
  if (
    (accepts(schema, 'number') || accepts(schema, 'integer')) &&
    text.trim() !== '' &&
    !Number.isNaN(Number(text))
  )
    return Number(text);
  if (accepts(schema, 'boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/**
 * `@path` is the content of the file there, `@-` of the standard input, `@@…` a text that begins with @.
 * Where no file of that name is, the text itself is meant (`@daily`), unless it can only be a path.
 */
async function content(text: string, sources: FieldSources): Promise<string> {
  if (text.startsWith('@@')) return text.slice(1);
  if (!text.startsWith('@')) return text;
  const path = text.slice(1);
  const isPath = path === '-' || /^\.{0,2}\//.test(path) || (await sources.exists(path));
  return isPath ? sources.read(path) : text;
}

function accepts(schema: Schema, type: string): boolean {
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives)) return alternatives.some((one) => isSchema(one) && accepts(one, type));
  const own = schema['type'];
  return own === type || (Array.isArray(own) && own.includes(type));
}

function itemsOf(schema: Schema): Schema {
  const alternatives: unknown[] = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [schema];
  const list = alternatives.find((one) => isSchema(one) && one['type'] === 'array');
  return isSchema(list) && isSchema(list['items']) ? list['items'] : {};
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`--${name} is not valid JSON: ${text.slice(0, 100)}`, { cause });
  }
}
