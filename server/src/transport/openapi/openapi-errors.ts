/** The error responses of the OpenAPI document: which codes can come, and how they look. */
import {
  errorCodes,
  flatRefusals,
  isFlatRefusal,
  type ErrorCode,
  type FlatRefusal,
} from '../../domain/errors.ts';
import type { Schema } from '../../procedure/describe/describe-type.ts';
import type { Procedure } from '../../procedure/procedure.ts';
import { errorAnswer } from '../envelope.ts';
import { AppError } from '../../domain/errors.ts';
import { verbOf } from '../../procedure/procedure.ts';

/**
 * What guard and transport can answer instead of the handler, then what the handler refuses with; by HTTP
 * status.
 */
export function refusalsOf({ kind, changes, access, refusals = [] }: Procedure): {
  codes: ErrorCode[];
  flat: FlatRefusal[];
} {
  const hasBody = verbOf({ kind, changes }) === 'POST';
  const codes = new Set<ErrorCode>([
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'FORBIDDEN',
    'PAYLOAD_TOO_LARGE',
    'TOO_MANY_REQUESTS',
    'INTERNAL_SERVER_ERROR',
    ...(access.resources.length > 0 ? ['NOT_FOUND' as const] : []),
    ...(hasBody ? ['UNSUPPORTED_MEDIA_TYPE' as const] : []),
    // Whatever reaches a machine may find a server without a usable SSH key.
    ...(refusals.includes('SERVICE_UNAVAILABLE') ? ['PRECONDITION_FAILED' as const] : []),
  ]);
  const flat: FlatRefusal[] = [];
  if (access.flatRefusal) {
    flat.push(access.flatRefusal);
    codes.delete(flatRefusals[access.flatRefusal]);
  }
  for (const refusal of refusals) {
    if (isFlatRefusal(refusal)) flat.push(refusal);
    else codes.add(refusal);
  }
  return {
    codes: [...codes].toSorted((left, right) => errorCodes[left].httpStatus - errorCodes[right].httpStatus),
    flat,
  };
}

/** The `responses` of one operation, without its success. */
export function errorResponses(procedure: Procedure): Schema {
  const { codes, flat } = refusalsOf(procedure);
  const statuses = new Map<number, Schema>(
    codes.map((code) => [errorCodes[code].httpStatus, { $ref: `#/components/responses/${code}` }]),
  );
  for (const [status, names] of Map.groupBy(flat, (name) => errorCodes[flatRefusals[name]].httpStatus))
    statuses.set(
      status,
      withFlat(
        names,
        codes.find((code) => errorCodes[code].httpStatus === status),
      ),
    );
  return Object.fromEntries([...statuses].toSorted(([left], [right]) => left - right));
}

/** One response for each code, for `components.responses`. */
export function errorComponents(): Schema {
  return Object.fromEntries(
    Object.entries(sentences).map(([code, { when, example }]) => [
      code,
      {
        description: when,
        ...(code === 'TOO_MANY_REQUESTS'
          ? {
              headers: {
                'Retry-After': {
                  description: 'Seconds until the same call may succeed; absent when it never will',
                  schema: { type: 'integer' },
                },
              },
            }
          : {}),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' }, example } },
      },
    ]),
  );
}

const exampleIssue = { path: 'name', message: 'must not be empty' };

/**
 * When each comes, and how it looks. The other verb (405) leads to another operation, so it stands with none.
 */
const sentences: Record<Exclude<ErrorCode, 'METHOD_NOT_SUPPORTED'>, { when: string; example: unknown }> = {
  BAD_REQUEST: said(
    'BAD_REQUEST',
    'The input is not valid; `issues` names each field that is at fault',
    `The input is not valid. ${exampleIssue.path}: ${exampleIssue.message}`,
    { issues: [exampleIssue] },
  ),
  UNAUTHORIZED: said(
    'UNAUTHORIZED',
    'No credentials, or a key or session that is wrong, expired or revoked',
    'No credentials came with the request. Send an API key in the header x-api-key, or sign in.',
  ),
  FORBIDDEN: said(
    'FORBIDDEN',
    "The role, a grant or the key's permissions do not suffice, or a thing belongs to another organization",
    'The application named in applicationId belongs to another organization.',
  ),
  NOT_FOUND: said(
    'NOT_FOUND',
    'A thing that the input names does not exist',
    'There is no application with the id given in applicationId. It may have been removed.',
  ),
  CONFLICT: said(
    'CONFLICT',
    'A name, host or port is taken',
    'appName: shop is the name of another service. Choose another one.',
  ),
  PRECONDITION_FAILED: said(
    'PRECONDITION_FAILED',
    'The current state does not allow it, it is not available here, or the server has no usable SSH key',
    'Nothing is deployed yet: deploy first.',
  ),
  PAYLOAD_TOO_LARGE: said(
    'PAYLOAD_TOO_LARGE',
    'The body is larger than 1 MiB, the address and headers than 64 KiB, or an upload than its limit',
    'The body is larger than 1 MiB. Send less; files go through an upload.',
  ),
  UNSUPPORTED_MEDIA_TYPE: said(
    'UNSUPPORTED_MEDIA_TYPE',
    'The body is of another content type',
    'The body must be JSON with the header Content-Type: application/json.',
  ),
  TOO_MANY_REQUESTS: said(
    'TOO_MANY_REQUESTS',
    "The key's window or budget is used up",
    'This key may make 100 requests in 60 s. Try again in 12 s.',
    { retryAfterMs: 12_000 },
  ),
  INTERNAL_SERVER_ERROR: said(
    'INTERNAL_SERVER_ERROR',
    'A fault inside Berth; the log has the details under the id',
    'Something went wrong inside Berth. The log has the details under the id 7hK2mQ9xT4bW.',
  ),
  SERVICE_UNAVAILABLE: said(
    'SERVICE_UNAVAILABLE',
    'The container engine or a server cannot be reached',
    'The container engine does not answer. Look at its service and try again.',
  ),
};

function said(
  code: ErrorCode,
  when: string,
  sentence: string,
  details: ConstructorParameters<typeof AppError>[2] = {},
): { when: string; example: unknown } {
  return { when, example: errorAnswer(new AppError(code, sentence, details), undefined, 'form-b').body };
}

/** A status that has a flat form, with the envelope beside it where the status has that too. */
function withFlat(names: readonly FlatRefusal[], code: ErrorCode | undefined): Schema {
  const flat = { $ref: '#/components/schemas/FlatRefusal' };
  return {
    description: names.join(', '),
    content: {
      'application/json': {
        schema: code === undefined ? flat : { anyOf: [flat, { $ref: '#/components/schemas/Refusal' }] },
        examples: Object.fromEntries(
          names.map((name) => [name, { value: { error: name, message: flatSentences[name] } }]),
        ),
      },
    },
  };
}

const flatSentences: Record<FlatRefusal, string> = {
  'Invalid certificate': 'certificateData is not a PEM certificate.',
  'Key mismatch': 'The private key does not belong to the certificate.',
  'Certificate expired': 'The certificate expired on 2026-01-31.',
  'Certificate in use': 'The certificate is used by shop.example.com. Change its domain first.',
  'Node not found': 'There is no node with this id in the swarm.',
  'Swarm not available': 'The server is not part of a swarm.',
  Unauthorized: 'You have no permission to see the swarm of this server.',
};

export const errorSchemas = {
  Refusal: {
    type: 'object',
    required: ['error', 'message', 'code'],
    description: 'Under form A only `error` is there; form B repeats `message` and `code` beside it.',
    properties: {
      message: { type: 'string', description: 'A sentence: what happened, why, what to do' },
      code: { type: 'string', enum: Object.keys(errorCodes) },
      error: {
        type: 'object',
        required: ['message', 'code', 'data'],
        properties: {
          message: { type: 'string' },
          code: { type: 'string', enum: Object.keys(errorCodes) },
          data: {
            type: 'object',
            required: ['httpStatus'],
            properties: {
              httpStatus: { type: 'integer' },
              path: { type: 'string', description: '`router.procedure`' },
              retryAfterMs: { type: 'integer', description: 'Milliseconds until the same call may succeed' },
              needs: { const: 'code', description: 'Field that the same call must carry besides (sign-in)' },
              issues: {
                type: 'array',
                description: 'One for each fault of the input',
                items: {
                  type: 'object',
                  required: ['path', 'message'],
                  properties: {
                    path: { type: 'string', description: 'The field, with dots between levels' },
                    message: { type: 'string' },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
  FlatRefusal: {
    type: 'object',
    required: ['error', 'message'],
    description: 'The refusals that certificates and swarm have of their own.',
    properties: { error: { type: 'string', enum: Object.keys(flatRefusals) }, message: { type: 'string' } },
  },
} as const;
