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
import { published } from '../../server/src/procedure/describe/published.ts';
import { listAnswers } from '../../server/src/procedure/input/page.ts';

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
  const name = path.slice(router.length + 1);
  const input = published(inlineSchemaOf(procedure.input, 'input'), name);
  const output = jsonSchemaOf(procedure.output, 'output');
  for (const [id, definition] of Object.entries(output.definitions)) {
    const text = `export type ${id} = ${typeOf(published(definition, id))};\n`;
    if ((records.get(id) ?? text) !== text)
      throw new Error(`Two records have the id ${id}. Give one of them another by .meta({ id }).`);
    records.set(id, text);
  }
  const given = typeOf(input);
  const mayBeAbsent = kind !== 'subscription' && !propertiesOf(input).some(({ required }) => required);
  const taken = [
    `input${mayBeAbsent && kind !== 'upload' ? '?' : ''}: ${given}`,
    ...(kind === 'upload' ? ['file: Blob'] : []),
    `options?: ${kind === 'subscription' ? 'FollowOptions' : 'CallOptions'}`,
  ];
  const shown = published(output.schema, name);
  const answer = typeOf(shown);
  const result = kind === 'subscription' ? `AsyncIterable<StreamEvent<${answer}>>` : `Promise<${answer}>`;
  const says = [`${summary}.`, ...(description === undefined ? [] : [description])].join('\n\n');
  const doc = says
    .split('\n')
    .map((line) => `   * ${line.replaceAll('*/', '* /')}`.trimEnd())
    .join('\n');
  const type = listAnswers(procedure.output)
    ? listType({
        input,
        mark: mayBeAbsent ? '?' : '',
        list: typeOf(answersOf(shown)[0]),
        page: typeOf(answersOf(shown)[1]),
        last: `(${taken.join(', ')}): ${result}`,
      })
    : `(${taken.join(', ')}) => ${result}`;
  return `  /**\n${doc}\n   */\n  readonly ${name}: ${type};\n`;
}

/** The two answers of a list, whole and a page. */
const answersOf = ({ anyOf }: Schema): unknown[] => (Array.isArray(anyOf) ? anyOf : []);

/** A list answers whole, and with `limit` one page: an overload each, and one for whoever decides later. */
function listType({
  input,
  mark,
  list,
  page,
  last,
}: Record<'mark' | 'list' | 'page' | 'last', string> & { input: Schema }): string {
  const properties = isSchema(input['properties']) ? input['properties'] : {};
  const { limit: _limit, cursor: _cursor, ...others } = properties;
  const plainInput = typeOf({ ...input, properties: others });
  const required = Array.isArray(input['required']) ? input['required'] : [];
  const pageInput = typeOf({ ...input, required: [...required, 'limit'] });
  return (
    `{ (input${mark}: ${plainInput} & { limit?: undefined; cursor?: undefined }, options?: CallOptions): ` +
    `Promise<${list}>; (input: ${pageInput}, options?: CallOptions): Promise<${page}>; ${last} }`
  );
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
