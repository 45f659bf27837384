/** The OpenAPI 3.1 document of form B, from the same definitions that answer the calls. */
import type { z } from 'zod';
import { isSchema, propertiesOf, type Schema } from '../../procedure/describe/describe-type.ts';
import { exampleInput, exampleOf } from '../../procedure/describe/example.ts';
import {
  definitionPrefix,
  inlineSchemaOf,
  jsonSchemaOf,
  literalParts,
  type ReferringSchema,
  resolved,
} from '../../procedure/describe/json-schema.ts';
import type { NamedProcedure } from '../../procedure/describe/listing.ts';
import { published } from '../../procedure/describe/published.ts';
import { listAnswers, pageInput, usualPage } from '../../procedure/input/page.ts';
import { classRule } from '../../domain/access/permissions.ts';
import { grantsOf, hostReachOf, type Procedure } from '../../procedure/procedure.ts';
import { errorComponents, errorResponses, errorSchemas } from './openapi-errors.ts';
import { fixedPaths, fixedTags } from './openapi-fixed.ts';
import { tagWords } from './tag-words.ts';
import { terminalContract } from '../../modules/terminal/contract.ts';
import { socketPaths } from '../streams/terminal.ts';
import { isRead, verbOf } from '../../procedure/procedure.ts';

const terminalTag = 'terminal';

const description =
  'The interface of Berth. Every procedure is served twice: at `/api/<router>.<procedure>` with the bare ' +
  'value as the answer, as described here, and at\n' +
  '`/api/trpc/<router>.<procedure>` wrapped as `{"result":{"data":…}}`, also in batches. Queries are GET ' +
  'with query-string parameters or `?input=<JSON>`, changes POST with a JSON body.\n' +
  'Unknown fields of an input are ignored. Lists are newest first and whole; their pages have an address ' +
  'of their own, `/api/<router>.<procedure>/page`. Times are ISO 8601 in UTC. Later versions may answer ' +
  'further fields; ignore those that you do not know.';

export function createOpenapi(
  procedures: readonly NamedProcedure[],
  version: string,
): Record<string, unknown> {
  const records = createRecords();
  const paths = Object.fromEntries(procedures.flatMap((named) => operations(named, records)));
  return {
    openapi: '3.1.0',
    info: { title: 'Berth', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }, { bearer: [] }, { session: [] }],
    tags: [...new Set([...fixedTags, terminalTag, ...procedures.map(({ router }) => router)])].map(
      (name) => ({ name, description: tagWords[name] }),
    ),
    paths: { ...fixedPaths(), ...socketOperations(records), ...paths },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'An API key of `user.createApiKey`',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'The same key as a bearer token' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'berth_session',
          description:
            'The cookie of a sign-in, `__Host-berth_session` below https; a change that a browser sends ' +
            'from a page of another address is refused',
        },
      },
      schemas: {
        ...Object.fromEntries(
          Object.entries(errorSchemas).map(([name, schema]) => [name, published(schema, name)]),
        ),
        ...records.schemas,
      },
      examples: records.examples,
      responses: errorComponents(),
    },
  };
}

/** Records that several procedures answer with: each once, by its id. */
interface Records {
  schemas: Record<string, Schema>;
  examples: Record<string, Schema>;
  /** The schema of what is answered. */
  schemaOf(type: z.ZodType, parent: string): Schema;
  /** The same, and an example of it. */
  answerOf(type: z.ZodType, parent: string): { schema: Schema; example: Schema };
}

function createRecords(): Records {
  const schemas: Record<string, Schema> = {};
  const examples: Record<string, Schema> = {};
  const read = (type: z.ZodType, parent: string): ReferringSchema => {
    const { schema, definitions } = jsonSchemaOf(type, 'output');
    for (const [name, definition] of Object.entries(definitions)) {
      const shown = referring(published(open(definition), name));
      if (schemas[name] !== undefined && JSON.stringify(schemas[name]) !== JSON.stringify(shown))
        throw new Error(`Two records have the id ${name}. Give one of them another by .meta({ id }).`);
      schemas[name] = shown;
    }
    return { schema: published(open(schema), parent), definitions };
  };
  return {
    schemas,
    examples,
    schemaOf: (type, parent) => referring(read(type, parent).schema),
    answerOf(type, parent) {
      const { schema, definitions } = read(type, parent);
      const whole =
        typeof schema['$ref'] === 'string' ? schema['$ref'].slice(definitionPrefix.length) : undefined;
      if (whole !== undefined) examples[whole] ??= { value: exampleOf(schema, definitions) };
      const example =
        whole === undefined
          ? { example: exampleOf(schema, definitions) }
          : { examples: { [whole]: { $ref: `#/components/examples/${whole}` } } };
      return { schema: referring(schema), example };
    },
  };
}

/** Objects of answers may have further fields, so that a client made from an older document goes on. */
function open(schema: Schema): Schema {
  const opened = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(opened);
    return isSchema(value) ? open(value) : value;
  };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => name !== 'additionalProperties' || value !== false)
      .map(([name, value]) => [name, literalParts.has(name) ? value : opened(value)]),
  );
}

/** References lead to the document's components. */
function referring(schema: Schema): Schema {
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved);
    if (!isSchema(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        name === '$ref' && typeof item === 'string'
          ? item.replace(definitionPrefix, '#/components/schemas/')
          : moved(item),
      ]),
    );
  };
  const whole = moved(schema);
  return isSchema(whole) ? whole : {};
}

/** A list has two: the whole of it, and its pages, so that each answers with one shape. */
function operations({ path, router, procedure }: NamedProcedure, records: Records): [string, Schema][] {
  const verb = verbOf(procedure).toLowerCase();
  const one = (shown: Procedure, leftOut: readonly string[] = []): Schema =>
    operation(path, router, shown, records, leftOut);
  const answers = listAnswers(procedure.output);
  if (!answers) return [[`/api/${path}`, { [verb]: one(procedure) }]];
  const list = {
    ...procedure,
    output: answers.whole,
    description: joined(procedure.description, `Its pages: \`/api/${path}/page\`.`),
  };
  const page = {
    ...procedure,
    summary: `${procedure.summary}; one page`,
    output: answers.page,
    description: joined(
      procedure.description,
      `At most \`limit\` of them, ${usualPage} without it, after the one that \`cursor\` names. The same ` +
        `as \`/api/${path}\` with \`limit\`.`,
    ),
  };
  return [
    [`/api/${path}`, { [verb]: one(list, Object.keys(pageInput)) }],
    [`/api/${path}/page`, { [verb]: { ...one(page), operationId: `${operationId(path)}Page` } }],
  ];
}

const joined = (...texts: (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== '').join('\n\n');

const operationId = (path: string): string => path.replace('.', '_');

function operation(
  path: string,
  router: string,
  procedure: Procedure,
  records: Records,
  leftOut: readonly string[] = [],
): Schema {
  const { access } = procedure;
  const who = classRule(access.class).words;
  const restrictions = [
    access.sessionOnly ? ', with a session' : '',
    ...grantsOf(access).map((grant) => `; a member needs ${grant}`),
    ...hostReachOf(access).map((words) => `; ${classRule('hostReach').words} when ${words}`),
  ].join('');
  return {
    operationId: operationId(path),
    tags: [router],
    summary: procedure.summary,
    description: joined(procedure.description, `Access: ${who}${restrictions}.`),
    ...(access.sessionOnly ? { security: [{ session: [] }] } : {}),
    ...parametersOrBody(path, procedure, leftOut),
    responses: {
      200: { description: 'Success', content: success(path, procedure, records) },
      ...errorResponses(procedure),
    },
  };
}

/** A handshake, which is a GET, and no answer with a body. */
function socketOperations(records: Records): Record<string, Schema> {
  return Object.fromEntries(
    socketPaths.map(({ path, procedure }) => [path, { get: socketOperation(procedure, records) }]),
  );
}

function socketOperation(name: keyof typeof terminalContract, records: Records): Schema {
  const procedure: Procedure = { ...terminalContract[name], kind: 'query' };
  const { responses, ...shared } = operation(`${terminalTag}.${name}`, terminalTag, procedure, records);
  const { 200: _none, ...refusals } = Object(responses);
  return { ...shared, responses: { 101: { description: 'Switching Protocols' }, ...refusals } };
}

function parametersOrBody(path: string, procedure: Procedure, leftOut: readonly string[]): Schema {
  const input = published(inlineSchemaOf(procedure.input, 'input'), nameIn(path));
  const fields = propertiesOf(input).filter(({ name }) => !leftOut.includes(name));
  const example = exampleInput(procedure);
  if (procedure.kind === 'mutation' || (procedure.kind === 'subscription' && !isRead(procedure)))
    return {
      requestBody: {
        required: fields.some(({ required }) => required),
        content: { 'application/json': { schema: input, example } },
      },
    };
  if (procedure.kind === 'upload') {
    const form = {
      ...input,
      properties: {
        ...Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
        file: {
          type: 'string',
          contentMediaType: 'application/octet-stream',
          description: 'The file; it comes after the other fields',
        },
      },
    };
    return {
      requestBody: {
        required: true,
        content: { 'multipart/form-data': { schema: form, example: { ...example, file: '…' } } },
      },
    };
  }
  return {
    parameters: fields.map(({ name, required, schema }) => ({
      name,
      in: 'query',
      required,
      ...(typeof schema['description'] === 'string' ? { description: schema['description'] } : {}),
      schema,
      example: example[name] ?? exampleOf(schema, {}, name),
    })),
  };
}

/** The procedure's name without its router, which stands for the object that its fields are in. */
const nameIn = (path: string): string => path.slice(path.indexOf('.') + 1);

function wholeAnswer(path: string, output: z.ZodType, records: Records): Schema {
  const { schema, example } = records.answerOf(output, nameIn(path));
  return { schema, ...example };
}

function success(path: string, { kind, output, whole }: Procedure, records: Records): Schema {
  if (kind !== 'subscription') return { 'application/json': wholeAnswer(path, output, records) };
  const schema = records.schemaOf(output, nameIn(path));
  const { schema: one, definitions } = jsonSchemaOf(output, 'output');
  const event = exampleOf(one, definitions);
  const names = eventNames(resolved(one, definitions));
  return {
    'application/json':
      whole === undefined
        ? {
            schema: {
              type: 'object',
              required: ['lines', 'lastEventId'],
              properties: {
                lines: { type: 'array', items: schema, description: 'The events in order' },
                lastEventId: { type: ['string', 'null'], description: 'Position of the last line' },
                note: {
                  type: 'string',
                  description: 'Only where there is more than one answer holds (setting logAnswerLimit)',
                },
              },
            },
            example: { lines: [event], lastEventId: '1' },
          }
        : wholeAnswer(path, whole.output, records),
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          `With \`Accept: text/event-stream\`: events named ${listed(names)}, each with its position as ` +
          '`id` and this as `data`; a comment every 15 s. Resume with `Last-Event-ID` or `lastEventId`',
      },
      example: `event: ${names[0]}\nid: 1\ndata: ${JSON.stringify(event)}\n\n`,
    },
  };
}

/** Names of the events of a stream: the `type` of each alternative, else `line` (transport/streams). */
function eventNames({ anyOf, oneOf }: Schema): readonly [string, ...string[]] {
  const alternatives: unknown = oneOf ?? anyOf;
  const types = (Array.isArray(alternatives) ? alternatives : []).flatMap((one: unknown) => {
    const properties: unknown = isSchema(one) ? one['properties'] : undefined;
    const type: unknown = isSchema(properties) ? properties['type'] : undefined;
    return isSchema(type) && typeof type['const'] === 'string' ? [type['const']] : [];
  });
  const [first = 'line', ...others] = types;
  return [first, ...others];
}

const listed = (names: readonly string[]): string => {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
};
