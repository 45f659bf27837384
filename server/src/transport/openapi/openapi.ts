/** The OpenAPI 3.1 document of form B, from the same definitions that answer the calls. */
import type { z } from 'zod';
import { isSchema, propertiesOf, type Schema } from '../../procedure/describe/describe-type.ts';
import { exampleInput, exampleOf } from '../../procedure/describe/example.ts';
import { definitionPrefix, inlineSchemaOf, jsonSchemaOf } from '../../procedure/describe/json-schema.ts';
import type { NamedProcedure } from '../../procedure/describe/listing.ts';
import { classRule } from '../../domain/access/permissions.ts';
import { grantsOf, hostReachOf, type Procedure } from '../../procedure/procedure.ts';
import { errorComponents, errorResponses, errorSchemas } from './openapi-errors.ts';
import { fixedPaths, fixedTags } from './openapi-fixed.ts';
import { terminalContract } from '../../modules/terminal/contract.ts';
import { socketPaths } from '../streams/terminal.ts';
import { isRead, verbOf } from '../../procedure/procedure.ts';

const terminalTag = 'terminal';

const description =
  'The interface of Berth. Every procedure is served twice: at `/api/<router>.<procedure>` with the bare ' +
  'value as the answer, as described here, and at\n' +
  '`/api/trpc/<router>.<procedure>` wrapped as `{"result":{"data":…}}`, also in batches. Queries are GET ' +
  'with query-string parameters or `?input=<JSON>`, changes POST with a JSON body.\n' +
  'Unknown fields of an input are ignored. Lists are newest first; with `limit` they come in pages.';

export function createOpenapi(
  procedures: readonly NamedProcedure[],
  version: string,
): Record<string, unknown> {
  const records = createRecords();
  const paths = Object.fromEntries(
    procedures.map(({ path, router, procedure }) => [
      `/api/${path}`,
      {
        [verbOf(procedure).toLowerCase()]: operation(path, router, procedure, records),
      },
    ]),
  );
  return {
    openapi: '3.1.0',
    info: { title: 'Berth', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }, { bearer: [] }, { session: [] }],
    tags: [...fixedTags, terminalTag, ...new Set(procedures.map(({ router }) => router))].map((name) => ({
      name,
    })),
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
      schemas: { ...errorSchemas, ...records.schemas },
      examples: records.examples,
      responses: errorComponents(),
    },
  };
}

/** Records that several procedures answer with: each once, by its id. */
interface Records {
  schemas: Record<string, Schema>;
  examples: Record<string, Schema>;
  /** The schema of an answer, and an example of it. */
  answerOf(type: z.ZodType): { schema: Schema; example: Schema };
}

function createRecords(): Records {
  const schemas: Record<string, Schema> = {};
  const examples: Record<string, Schema> = {};
  return {
    schemas,
    examples,
    answerOf(type) {
      const { schema, definitions } = jsonSchemaOf(type, 'output');
      for (const [name, definition] of Object.entries(definitions)) {
        const shown = referring(definition);
        if (schemas[name] !== undefined && JSON.stringify(schemas[name]) !== JSON.stringify(shown))
          throw new Error(`Two records have the id ${name}. Give one of them another by .meta({ id }).`);
        schemas[name] = shown;
        examples[name] ??= { value: exampleOf(definition, definitions) };
      }
      const whole =
        typeof schema['$ref'] === 'string' ? schema['$ref'].slice(definitionPrefix.length) : undefined;
      const example =
        whole === undefined
          ? { example: exampleOf(schema, definitions) }
          : { examples: { [whole]: { $ref: `#/components/examples/${whole}` } } };
      return { schema: referring(schema), example };
    },
  };
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

function operation(path: string, router: string, procedure: Procedure, records: Records): Schema {
  const { access } = procedure;
  const who = classRule(access.class).words;
  const restrictions = [
    access.sessionOnly ? ', with a session' : '',
    ...grantsOf(access).map((grant) => `; a member needs ${grant}`),
    ...hostReachOf(access).map((words) => `; ${classRule('hostReach').words} when ${words}`),
  ].join('');
  return {
    operationId: path.replace('.', '_'),
    tags: [router],
    summary: procedure.summary,
    description: [procedure.description, `Access: ${who}${restrictions}.`].filter(Boolean).join('\n\n'),
    ...(access.sessionOnly ? { security: [{ session: [] }] } : {}),
    ...parametersOrBody(procedure),
    responses: {
      200: { description: 'Success', content: success(procedure, records) },
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

function parametersOrBody(procedure: Procedure): Schema {
  const input = inlineSchemaOf(procedure.input, 'input');
  const fields = propertiesOf(input);
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

function wholeAnswer(output: z.ZodType, records: Records): Schema {
  const { schema, example } = records.answerOf(output);
  return { schema, ...example };
}

function success({ kind, output, whole }: Procedure, records: Records): Schema {
  const { schema, example } = records.answerOf(output);
  if (kind !== 'subscription') return { 'application/json': { schema, ...example } };
  const { schema: one, definitions } = jsonSchemaOf(output, 'output');
  const event = exampleOf(one, definitions);
  return {
    'application/json':
      whole === undefined
        ? {
            schema: {
              type: 'object',
              required: ['lines', 'lastEventId'],
              properties: {
                lines: { type: 'array', items: schema },
                lastEventId: { type: ['string', 'null'], description: 'Position of the last line' },
                note: {
                  type: 'string',
                  description: 'Only where there is more than one answer holds (setting logAnswerLimit)',
                },
              },
            },
            example: { lines: [event], lastEventId: '1' },
          }
        : wholeAnswer(whole.output, records),
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          'With `Accept: text/event-stream`: events `line`, each with its position as `id`, then `end` ' +
          'with the outcome; a comment every 15 s. Resume with `Last-Event-ID` or `lastEventId`',
      },
      example: `event: line\nid: 1\ndata: ${JSON.stringify(event)}\n\n`,
    },
  };
}
