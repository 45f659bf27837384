/**
 * The few routes that are no procedures, for the OpenAPI document: sign-in (decisions 2), health (decisions
 * 1), webhooks (decisions 11).
 */
import type { z } from 'zod';
import { errorCodes, type ErrorCode } from '../../domain/errors.ts';
import { propertiesOf, type Schema } from '../../procedure/describe/describe-type.ts';
import { exampleOf } from '../../procedure/describe/example.ts';
import { inlineSchemaOf } from '../../procedure/describe/json-schema.ts';
import { published } from '../../procedure/describe/published.ts';
import { invitationInput, signInInput, signUpInput } from '../entrance/auth-routes.ts';

interface FixedRoute {
  id: string;
  method: 'get' | 'post';
  tag: string;
  summary: string;
  description: string;
  input?: z.ZodType;
  /** The part of the path that is a token. */
  token?: string;
  answer: Schema;
  refusals: readonly ErrorCode[];
}

const text = { type: 'string' } as const;
const object = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const user = object({ id: text, email: text, name: text });
const opened = object({ user, organizationId: text, expiresAt: text });
/** Which of them: the guide on previews tells. */
const hookAnswer = {
  anyOf: [
    object({ queued: { const: true } }),
    object({ skipped: text }),
    object({ duplicate: { const: true } }),
    object({ ping: { const: true } }),
  ],
};
const hookRefusals = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'INTERNAL_SERVER_ERROR',
] as const;
const hookBody =
  'The body is what the git host sends: JSON, or a form with it as `payload`. A secret that was set ' +
  'must sign it. The guide on previews has what is answered when.';

const sessionCookies =
  'The session comes as the cookie `berth_session`, `__Host-berth_session` below https; `berth_device` is ' +
  'how the device is known again.';

const entering = [
  'BAD_REQUEST',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INTERNAL_SERVER_ERROR',
] as const;

/** The address of an application's webhook; `host` where it is that of one git host alone. */
const webhook = (id: string, host = ''): FixedRoute => ({
  id,
  method: 'post',
  tag: 'webhook',
  token: 'refreshToken',
  summary:
    `Deploys an application by a webhook${host === '' ? '' : ` of ${host}`}, or makes, updates or ` +
    'removes a preview of it',
  description: hookBody,
  answer: hookAnswer,
  refusals: hookRefusals,
});

const routes: Readonly<Record<string, FixedRoute>> = {
  '/api/deploy/github': {
    id: 'webhook_githubApp',
    method: 'post',
    tag: 'webhook',
    summary: 'Webhooks of a GitHub App, for every application whose git provider it is',
    description: hookBody,
    answer: hookAnswer,
    refusals: hookRefusals,
  },
  '/api/deploy/{refreshToken}': webhook('webhook_any'),
  '/api/deploy/compose/{refreshToken}': {
    ...webhook('webhook_compose'),
    summary: 'Deploys a compose service by a webhook',
  },
  '/api/deploy/gitlab/{refreshToken}': webhook('webhook_gitlab', 'GitLab'),
  '/api/deploy/gitea/{refreshToken}': webhook('webhook_gitea', 'Gitea'),
  '/api/deploy/bitbucket/{refreshToken}': webhook('webhook_bitbucket', 'Bitbucket'),
  '/api/auth/sign-up/email': {
    id: 'auth_signUp',
    method: 'post',
    tag: 'auth',
    summary: 'Makes an account and opens a session',
    input: signUpInput,
    answer: opened,
    refusals: [...entering, 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    description:
      'Open until the first user exists, who becomes Owner of a new organization: with the one-time token ' +
      'that set-up printed, or without on the machine itself; later with the token of an invitation only. ' +
      sessionCookies,
  },
  '/api/auth/sign-in/email': {
    id: 'auth_signIn',
    method: 'post',
    tag: 'auth',
    summary: 'Opens a session',
    input: signInInput,
    answer: opened,
    refusals: [
      ...entering,
      'UNAUTHORIZED',
      'FORBIDDEN',
      'NOT_FOUND',
      'CONFLICT',
      'PRECONDITION_FAILED',
      'TOO_MANY_REQUESTS',
    ],
    description:
      sessionCookies +
      ' Guesses are slowed down per account, whatever the address; a device that signed in before is ' +
      'counted by itself. An account with two-factor sign-in needs `code` besides: without it, or with a ' +
      'wrong one, the answer is 401 with `error.data.needs` = `code`, and no session is opened. With the ' +
      'token of an invitation the account joins its organization.',
  },
  '/api/auth/sign-out': {
    id: 'auth_signOut',
    method: 'post',
    tag: 'auth',
    summary: 'Ends the session of the cookie',
    answer: object({ success: { const: true } }),
    refusals: ['FORBIDDEN', 'INTERNAL_SERVER_ERROR'],
    description: 'Without a session nothing changes.',
  },
  '/api/auth/get-session': {
    id: 'auth_getSession',
    method: 'get',
    tag: 'auth',
    summary: 'The session of the cookie; null when there is none',
    refusals: ['UNAUTHORIZED', 'INTERNAL_SERVER_ERROR'],
    description:
      'Needs no login. 401 when two cookies of this name come that are both good: one may be planted by ' +
      'another program of this host.',
    answer: {
      anyOf: [
        object({ user, session: object({ id: text, activeOrganizationId: text, expiresAt: text }) }),
        { type: 'null' },
      ],
    },
  },
  '/api/auth/invitation': {
    id: 'auth_invitation',
    method: 'post',
    tag: 'auth',
    summary: 'The open invitation of a token: organization, inviter, address and role',
    input: invitationInput,
    refusals: ['BAD_REQUEST', 'FORBIDDEN', 'PAYLOAD_TOO_LARGE', 'INTERNAL_SERVER_ERROR'],
    description: 'Needs no login. null for every token that cannot be used, whatever the reason.',
    answer: {
      anyOf: [
        object({
          organization: { ...text, description: 'Name of the organization' },
          invitedBy: { ...text, description: 'Name of the person who sent it' },
          email: text,
          role: text,
          expiresAt: text,
        }),
        { type: 'null' },
      ],
    },
  },
  '/api/auth/state': {
    id: 'auth_state',
    method: 'get',
    tag: 'auth',
    summary: 'Whether the first account is still to be made, and whether a sign-up from here needs a token',
    refusals: ['INTERNAL_SERVER_ERROR'],
    description: 'Needs no login.',
    answer: object({ awaitsFirstAccount: { type: 'boolean' }, needsToken: { type: 'boolean' } }),
  },
  '/api/health': {
    id: 'health',
    method: 'get',
    tag: 'health',
    summary: 'Whether Berth answers, and its version',
    description: 'Needs no login.',
    answer: object({ ok: { const: true }, version: text }),
    refusals: [],
  },
};

export function fixedPaths(): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(routes).map(([path, route]) => [path, { [route.method]: operation(route) }]),
  );
}

export const fixedTags: readonly string[] = [...new Set(Object.values(routes).map(({ tag }) => tag))];

function operation({ id, tag, summary, description, input, token, answer, refusals }: FixedRoute): Schema {
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: [],
    ...(token === undefined
      ? {}
      : {
          parameters: [
            {
              name: token,
              in: 'path',
              required: true,
              description: 'Token of the webhook, which names the service',
              schema: text,
              example: 'qV3xT9bWm2Lk7RfHn4Ys8Pc6Dj1Ga5Ze',
            },
          ],
        }),
    ...(input === undefined ? {} : { requestBody: body(published(inlineSchemaOf(input, 'input'), 'email')) }),
    responses: {
      200: {
        description: 'Success',
        content: { 'application/json': { schema: published(answer, id), example: exampleOf(answer) } },
      },
      ...Object.fromEntries(
        refusals.map((code) => [errorCodes[code].httpStatus, { $ref: `#/components/responses/${code}` }]),
      ),
    },
  };
}

function body(schema: Schema): Schema {
  const required = propertiesOf(schema).filter((field) => field.required);
  return {
    required: true,
    content: {
      'application/json': {
        schema,
        example: Object.fromEntries(
          required.map(({ name, schema: field }) => [name, exampleOf(field, {}, name)]),
        ),
      },
    },
  };
}
