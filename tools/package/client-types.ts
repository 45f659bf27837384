/**
 * The types of the published client, written out from the contracts' JSON Schemas: a program that uses it
 * needs neither zod nor the server's sources.
 */
import { errorCodes } from '../../server/src/domain/errors.ts';
import { isSchema, propertiesOf, type Schema } from '../../server/src/procedure/describe/describe-type.ts';
import {
  inlineSchemaOf,
  definitionPrefix,
  jsonSchemaOf,
} from '../../server/src/procedure/describe/json-schema.ts';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';

/** Declarations of every record, every router and `Client`. Throws where two records have one name. */
export function clientTypes(procedures: readonly NamedProcedure[]): string {
  const records = new Map<string, string>();
  const routers = [...Map.groupBy(procedures, ({ router }) => router)].map(([router, own]) => {
    const calls = own.map((one) => callType(one, records));
    return { router, type: `export interface ${typeName(router)} {\n${calls.join('')}}\n` };
  });
  const codes = Object.keys(errorCodes).map((code) => JSON.stringify(code));
  return [
    `export type ErrorCode = ${codes.join(' | ')};\n`,
    '/** One fault of an input: `path` names the field (dots between levels). */\n' +
      'export interface Issue {\n  path: string;\n  message: string;\n}\n',
    '/** An event of a stream, with the position after which a later call goes on. */\n' +
      'export interface StreamEvent<T> {\n  id: string;\n  data: T;\n}\n',
    ...records.values(),
    ...routers.map(({ type }) => type),
    'export interface Client {\n' +
      routers.map(({ router }) => `  readonly ${router}: ${typeName(router)};\n`).join('') +
      '}\n',
    '/** Every router of the interface. */\n' +
      'export declare function createClient(connection: Connection): Client;\n',
    ...routers.map(
      ({ router }) => `export declare function ${router}(connection: Connection): ${typeName(router)};\n`,
    ),
  ].join('\n');
}

const typeName = (router: string): string => `${router.slice(0, 1).toUpperCase()}${router.slice(1)}Calls`;

function callType({ path, router, procedure }: NamedProcedure, records: Map<string, string>): string {
  const { kind, summary, description } = procedure;
  const input = inlineSchemaOf(procedure.input, 'input');
  const output = jsonSchemaOf(procedure.output, 'output');
  for (const [name, definition] of Object.entries(output.definitions)) {
    const text = `export type ${name} = ${typeOf(definition)};\n`;
    if ((records.get(name) ?? text) !== text)
      throw new Error(`Two records have the id ${name}. Give one of them another by .meta({ id }).`);
    records.set(name, text);
  }
  const given = typeOf(input);
  const mayBeAbsent = kind !== 'subscription' && !propertiesOf(input).some(({ required }) => required);
  const taken = [
    `input${mayBeAbsent && kind !== 'upload' ? '?' : ''}: ${given}`,
    ...(kind === 'upload' ? ['file: Blob'] : []),
    `options?: ${kind === 'subscription' ? 'FollowOptions' : 'CallOptions'}`,
  ];
  const answer = typeOf(output.schema);
  const result = kind === 'subscription' ? `AsyncIterable<StreamEvent<${answer}>>` : `Promise<${answer}>`;
  const says = [`${summary}.`, ...(description === undefined ? [] : [description])].join('\n\n');
  const doc = says
    .split('\n')
    .map((line) => `   * ${line.replaceAll('*/', '* /')}`.trimEnd())
    .join('\n');
  const name = path.slice(router.length + 1);
  return `  /**\n${doc}\n   */\n  readonly ${name}: (${taken.join(', ')}) => ${result};\n`;
}

/** A JSON Schema as a type. */
export function typeOf(schema: unknown): string {
  if (!isSchema(schema)) return 'unknown';
  const { $ref, type, anyOf, oneOf, allOf } = schema;
  if (typeof $ref === 'string') return $ref.slice(definitionPrefix.length);
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map((value) => JSON.stringify(value)));
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return union(alternatives.map(typeOf));
  if (Array.isArray(allOf)) return allOf.map((one) => `(${typeOf(one)})`).join(' & ');
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one })));
  if (type === 'array') return arrayType(schema);
  if (type === 'object') return objectType(schema);
  if (type === 'integer') return 'number';
  // A pattern without a type stands where zod gives several patterns of one text.
  if (typeof schema['pattern'] === 'string') return 'string';
  return typeof type === 'string' ? type : 'unknown';
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

function arrayType(schema: Schema): string {
  const { prefixItems, items } = schema;
  if (Array.isArray(prefixItems)) return `[${prefixItems.map(typeOf).join(', ')}]`;
  return `(${typeOf(items)})[]`;
}

function objectType(schema: Schema): string {
  const fields = propertiesOf(schema);
  const { additionalProperties, propertyNames } = schema;
  if (fields.length === 0 && isSchema(additionalProperties)) {
    const keys = isSchema(propertyNames) && 'enum' in propertyNames ? typeOf(propertyNames) : 'string';
    return `{ [name in ${keys}]${keys === 'string' ? '' : '?'}: ${typeOf(additionalProperties)} }`;
  }
  if (fields.length === 0) return '{}';
  const written = fields.map(({ name, required, schema: field }) => {
    const says = typeof field['description'] === 'string' ? docOf(field['description']) : '';
    const [mark, absent] = required ? ['', ''] : ['?', ' | undefined'];
    return `${says}${JSON.stringify(name)}${mark}: ${typeOf(field)}${absent}`;
  });
  return `{ ${written.join('; ')} }`;
}

const docOf = (text: string): string => `/** ${text.replaceAll('*/', '* /')} */ `;
