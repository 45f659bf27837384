/** The OpenAPI 3.1 document of form B, from the same definitions that answer the calls. */
import { z } from 'zod';
import { errorCodes } from '../domain/errors.ts';
import type { NamedProcedure } from '../procedure/listing.ts';
import type { Procedure } from '../procedure/procedure.ts';

type Schema = Record<string, unknown>;

export function createOpenapi(procedures: readonly NamedProcedure[], version: string): Record<string, unknown> {
  const paths: Record<string, unknown> = {};
  for (const { path, router, procedure } of procedures) {
    const method = procedure.kind === 'query' || procedure.kind === 'subscription' ? 'get' : 'post';
    paths[`/api/${path}`] = { [method]: operation(path, router, procedure) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Berth', version, description: 'The interface of Berth. Every procedure is also served under /api/trpc/<router>.<procedure>, wrapped as {"result":{"data":…}}.', license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }, { bearer: [] }, { session: [] }],
    tags: [...new Set(procedures.map(({ router }) => router))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 'berth_session' },
      },
      schemas: { Error: errorSchema },
      responses: Object.fromEntries(documentedErrors.map((code) => [code, { description: code, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }])),
    },
  };
}

const documentedErrors = ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'] as const;

const errorSchema: Schema = {
  type: 'object',
  required: ['error', 'message', 'code'],
  properties: {
    message: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errorCodes) },
    error: {
      type: 'object',
      required: ['message', 'code', 'data'],
      properties: {
        message: { type: 'string', description: 'A sentence: what happened, why, what to do' },
        code: { type: 'string' },
        data: {
          type: 'object',
          required: ['httpStatus'],
          properties: {
            httpStatus: { type: 'integer' }, path: { type: 'string' }, retryAfterMs: { type: 'integer' },
            issues: { type: 'array', items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } } },
          },
        },
      },
    },
  },
};

function operation(path: string, router: string, procedure: Procedure): Schema {
  const input = jsonSchema(procedure.input, 'input');
  const output = jsonSchema(procedure.output, 'output');
  const { access } = procedure;
  const who = access.class === 'protected' ? 'any authenticated user' : access.class === 'admin' ? 'Owner or Admin' : 'Owner';
  return {
    operationId: path.replace('.', '_'),
    tags: [router],
    summary: procedure.summary,
    description: [procedure.description, `Access: ${who}${access.sessionOnly ? ', with a session' : ''}${access.grant ? `; a member needs ${access.grant}` : ''}.`].filter(Boolean).join('\n\n'),
    ...parametersOrBody(procedure, input),
    responses: {
      200: { description: 'Success', content: responseContent(procedure, output) },
      ...Object.fromEntries(documentedErrors.map((code) => [errorCodes[code].httpStatus, { $ref: `#/components/responses/${code}` }])),
    },
  };
}

function parametersOrBody(procedure: Procedure, input: Schema): Schema {
  if (procedure.kind === 'mutation') return { requestBody: { required: true, content: { 'application/json': { schema: input } } } };
  if (procedure.kind === 'upload') {
    const form = { ...input, properties: { ...propertiesOf(input), file: { type: 'string', contentMediaType: 'application/octet-stream' } } };
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema: form } } } };
  }
  const required = Array.isArray(input['required']) ? input['required'] : [];
  return { parameters: Object.entries(propertiesOf(input)).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema })) };
}

function responseContent(procedure: Procedure, output: Schema): Schema {
  if (procedure.kind !== 'subscription') return { 'application/json': { schema: output } };
  return {
    'application/json': { schema: { type: 'object', properties: { lines: { type: 'array', items: output }, lastEventId: { type: ['string', 'null'] } } } },
    'text/event-stream': { schema: { type: 'string', description: 'Events `line` with an id, then `end`; resume with Last-Event-ID' } },
  };
}

function propertiesOf(schema: Schema): Record<string, unknown> {
  return typeof schema['properties'] === 'object' && schema['properties'] !== null ? { ...schema['properties'] } : {};
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any' });
  return rest;
}
