/**
 * What forms of the dashboard know of each input, made from the contracts: the schemas themselves import
 * modules of the server and are too large for a browser.
 */
import {
  describeType,
  isSchema,
  propertiesOf,
  type Schema,
} from '../../server/src/procedure/describe/describe-type.ts';
import { inlineSchemaOf } from '../../server/src/procedure/describe/json-schema.ts';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';

/** Keys are short, since all of them go to the browser. */
export interface FormField {
  /** Its name. */
  n: string;
  /** text, number, switch, choice, list of texts, or JSON for what is made of parts. */
  t: 'text' | 'number' | 'switch' | 'choice' | 'list' | 'json';
  /** Whether it must be given. */
  r?: true;
  /** Whether null clears it. */
  z?: true;
  /** Of a choice, and of a list of choices. */
  o?: string[];
  /** Help. */
  d?: string;
  min?: number;
  max?: number;
  /** Longest text. */
  l?: number;
  /** What the server takes when it is not given. */
  v?: string | number | boolean;
  /** Of an object made of plain fields: these. */
  p?: FormField[];
}

/** Procedure → fields, of everything that changes something. */
export function formFieldsFile(procedures: readonly NamedProcedure[]): string {
  const lines = procedures
    .filter(({ procedure }) => procedure.kind !== 'query' && procedure.kind !== 'subscription')
    .map(({ path, procedure }) => {
      const fields = propertiesOf(inlineSchemaOf(procedure.input, 'input')).map(fieldOf);
      return ` ${JSON.stringify(path)}: ${JSON.stringify(fields)}`;
    });
  return `{\n${lines.join(',\n')}\n}\n`;
}

function fieldOf({ name, required, schema }: { name: string; required: boolean; schema: Schema }): FormField {
  const alternatives = Array.isArray(schema['anyOf']) ? schema['anyOf'].filter(isSchema) : [schema];
  const isNullable = alternatives.some(({ type }) => type === 'null');
  const [only, ...others] = alternatives.filter(({ type }) => type !== 'null');
  const main = others.length === 0 ? (only ?? {}) : {};
  const isText = others.length > 0 && alternatives.every(({ type }) => type === 'string' || type === 'null');
  const description = schema['description'] ?? main['description'];
  const number = (key: string): number | undefined =>
    typeof main[key] === 'number' && Math.abs(main[key]) < Number.MAX_SAFE_INTEGER ? main[key] : undefined;
  const field: Record<keyof FormField, unknown> = {
    n: name,
    t: isText ? 'text' : typeOf(main),
    r: required || undefined,
    z: isNullable || undefined,
    o: choicesOf(main) ?? (isSchema(main['items']) ? choicesOf(main['items']) : undefined),
    d: typeof description === 'string' ? description : undefined,
    min: number('minimum'),
    max: number('maximum'),
    l: number('maxLength'),
    v: defaultOf(schema) ?? defaultOf(main),
    p: partsOf(main),
  };
  return field as unknown as FormField;
}

function defaultOf({ default: value }: Schema): string | number | boolean | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined;
}

/** Of an object whose fields a person can fill in one by one. */
function partsOf(schema: Schema): FormField[] | undefined {
  if (schema['type'] !== 'object') return undefined;
  const parts = propertiesOf(schema).map(fieldOf);
  return parts.length > 0 && parts.every(({ t }) => t !== 'json') ? parts : undefined;
}

const isTexts = (items: unknown): boolean =>
  isSchema(items) && (describeType(items) === 'string' || choicesOf(items) !== undefined);

const choicesOf = (schema: Schema): string[] | undefined =>
  Array.isArray(schema['enum']) ? schema['enum'].map(String) : undefined;

function typeOf(schema: Schema): FormField['t'] {
  if (Array.isArray(schema['enum'])) return 'choice';
  const { type } = schema;
  if (type === 'string') return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'switch';
  if (type === 'array' && isTexts(schema['items'])) return 'list';
  return 'json';
}
