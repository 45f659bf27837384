/** The few routes that are no procedures, for the OpenAPI document: sign-in (decisions 2) and health (decisions 1). */
import type { z } from 'zod';
import { errorCodes, type ErrorCode } from '../domain/errors.ts';
import { propertiesOf, type Schema } from '../procedure/describe-type.ts';
import { exampleOf } from '../procedure/example.ts';
import { inlineSchemaOf } from '../procedure/json-schema.ts';
import { signInInput, signUpInput } from './auth-routes.ts';

interface FixedRoute {
  id: string;
  method: 'get' | 'post';
  tag: string;
  summary: string;
  description: string;
  input?: z.ZodType;
  answer: Schema;
  refusals: readonly ErrorCode[];
}

const text = { type: 'string' } as const;
const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties, required: Object.keys(properties) });
const user = object({ id: text, email: text, name: text });
const opened = object({ user, organizationId: text, expiresAt: text });
const entering = ['BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INTERNAL_SERVER_ERROR'] as const;

const routes: Readonly<Record<string, FixedRoute>> = {
  '/api/auth/sign-up/email': {
    id: 'auth_signUp', method: 'post', tag: 'auth', summary: 'Makes an account and opens a session', input: signUpInput, answer: opened, refusals: [...entering, 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    description: 'Open until the first user exists, who becomes Owner of a new organization; later with the token of an invitation only. The session comes as the cookie `berth_session`.',
  },
  '/api/auth/sign-in/email': {
    id: 'auth_signIn', method: 'post', tag: 'auth', summary: 'Opens a session', input: signInInput, answer: opened, refusals: [...entering, 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS'],
    description: 'The session comes as the cookie `berth_session`. Guesses are slowed down per account and address. With the token of an invitation the account joins its organization.',
  },
  '/api/auth/sign-out': {
    id: 'auth_signOut', method: 'post', tag: 'auth', summary: 'Ends the session of the cookie', answer: object({ success: { const: true } }), refusals: ['INTERNAL_SERVER_ERROR'], description: 'Without a session nothing changes.',
  },
  '/api/auth/get-session': {
    id: 'auth_getSession', method: 'get', tag: 'auth', summary: 'The session of the cookie; null when there is none', refusals: ['INTERNAL_SERVER_ERROR'], description: 'Needs no login.',
    answer: { anyOf: [object({ user, session: object({ id: text, activeOrganizationId: text, expiresAt: text }) }), { type: 'null' }] },
  },
  '/api/health': { id: 'health', method: 'get', tag: 'health', summary: 'Whether Berth answers, and its version', description: 'Needs no login.', answer: object({ ok: { const: true }, version: text }), refusals: [] },
};

export function fixedPaths(): Record<string, Schema> {
  return Object.fromEntries(Object.entries(routes).map(([path, route]) => [path, { [route.method]: operation(route) }]));
}

export const fixedTags: readonly string[] = [...new Set(Object.values(routes).map(({ tag }) => tag))];

function operation({ id, tag, summary, description, input, answer, refusals }: FixedRoute): Schema {
  return {
    operationId: id, tags: [tag], summary, description, security: [],
    ...(input === undefined ? {} : { requestBody: body(inlineSchemaOf(input, 'input')) }),
    responses: {
      200: { description: 'Success', content: { 'application/json': { schema: answer, example: exampleOf(answer) } } },
      ...Object.fromEntries(refusals.map((code) => [errorCodes[code].httpStatus, { $ref: `#/components/responses/${code}` }])),
    },
  };
}

function body(schema: Schema): Schema {
  const required = propertiesOf(schema).filter((field) => field.required);
  return { required: true, content: { 'application/json': { schema, example: Object.fromEntries(required.map(({ name, schema: field }) => [name, exampleOf(field, {}, name)])) } } };
}
