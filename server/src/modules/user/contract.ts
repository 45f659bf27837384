/**
 * The caller's own account, sessions and API keys (interface document, Authentication-related and general;
 * decisions 2 and 12).
 */
import { z } from 'zod';
import { roles } from '../../domain/access/permissions.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { grantsRecord } from '../organization/record.ts';
import { twoFactorContract } from './contract-two-factor.ts';
import { codeField, keyRecord, newPasswordField, sessionRecord } from './record.ts';
import { name } from '../service/contract-fields.ts';

const milliseconds = z.number().int().min(1).max(1e13);
const count = z.number().int().min(1).max(1e12);
const scopes = z.record(z.string().max(100), z.array(z.string().max(100)).max(20));
const anybody = { class: 'protected', resources: [] } as const;
const account = { id: z.string(), email: z.string(), name: z.string() };

export const userContract = {
  get: query({
    summary: 'The calling user with the API keys of the organization in use',
    description: 'The grants are those there; Owner and Admin need none of them but canReadSecrets.',
    access: { ...anybody, beforeTwoFactor: true },
    input: z.object({}),
    output: z.object({
      ...account,
      role: z.enum(roles),
      grants: grantsRecord,
      twoFactor: z.boolean(),
      organizationId: z.string(),
      createdAt: z.string(),
      apiKeys: z.array(keyRecord),
    }),
  }),
  changePassword: mutation({
    summary: 'Sets a new password and ends every other session of the user',
    description:
      'The session of this call stays valid, and so do API keys. A wrong `currentPassword` counts as a ' +
      'failed sign-in: after several the answer is 429 for a while. A forgotten password is reset with a ' +
      "command on Berth's own machine: `./bin/berth reset-password`.",
    access: anybody,
    input: z.object({ currentPassword: z.string().min(1).max(1024), newPassword: newPasswordField }),
    output: z.object({ ...account, createdAt: z.string() }),
    refusals: ['BAD_REQUEST', 'CONFLICT', 'TOO_MANY_REQUESTS'],
  }),
  delete: mutation({
    summary: 'Deletes an account with its sessions, API keys, memberships and invitations; irreversible',
    description:
      'Your own, with `password` and, if you have a second factor, `code`. The Owner of the ' +
      "installation's organization deletes others' by `userId`, as long as they belong to no organization. " +
      'The last Owner of an organization stays. What the person made stays; the audit log keeps the id.',
    access: { class: 'protected', resources: [{ kind: 'user', field: 'userId' }] },
    input: z.object({
      userId: z.string().min(1).max(100).optional().describe('Absent: your own account'),
      password: z.string().min(1).max(1024).optional().describe('Your own; required for your own account'),
      code: codeField.nullish().describe('Six digits of the authenticator app, or a recovery code'),
    }),
    output: z.object({ ...account, createdAt: z.string() }),
    refusals: ['BAD_REQUEST', 'FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS'],
  }),
  ...twoFactorContract,
  sessions: query({
    summary: 'The sessions of the user that have not ended, newest first',
    description: "With an API key: those in the key's organization.",
    access: anybody,
    input: z.object(pageInput),
    output: listOf(sessionRecord),
  }),
  endSession: mutation({
    summary: "Ends a session of the user at once; another person's is refused",
    description: "With an API key: one in the key's organization.",
    access: anybody,
    input: z.object({ sessionId: z.string().min(1).max(100) }),
    output: sessionRecord,
    refusals: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  createApiKey: mutation({
    summary: 'Creates an API key; the full key is in this answer and never again',
    description:
      "Needs a logged-in session. The key acts in `metadata.organizationId`, one of the user's " +
      "organizations, with the user's rights there. " +
      ('`expiresIn`, `rateLimitTimeWindow` and `refillInterval` are milliseconds. The window is fixed ' +
        'and begins with the first counted request. ') +
      ('`remaining` is a budget of requests; without it there is none. A refill adds `refillAmount` for ' +
        'every whole `refillInterval` since creation.'),
    access: { ...anybody, sessionOnly: true, grant: 'canAccessToAPI', actsIn: 'metadata.organizationId' },
    input: z
      .object({
        name,
        prefix: z
          .string()
          .regex(/^[a-zA-Z0-9_-]{1,32}$/, 'must be 1 to 32 letters, digits, - or _')
          .nullish(),
        expiresIn: milliseconds.nullish(),
        metadata: z.object({ organizationId: z.string().min(1).max(100) }),
        rateLimitEnabled: z.boolean().nullish(),
        rateLimitTimeWindow: milliseconds.nullish(),
        rateLimitMax: count.nullish(),
        remaining: z.number().int().min(0).max(1e12).nullish(),
        refillAmount: count.nullish(),
        refillInterval: milliseconds.nullish(),
        permissions: scopes
          .nullish()
          .describe(
            'Restricts the key further than its user: router → actions, such as {"application": ["read", ' +
              '"write"]}; what is not named is denied',
          ),
      })
      .superRefine((input, context) => {
        for (const field of ['rateLimitTimeWindow', 'rateLimitMax'] as const) {
          if (input.rateLimitEnabled && input[field] == null)
            context.addIssue({
              code: 'custom',
              path: [field],
              message: 'is required when rateLimitEnabled is true',
            });
        }
        if ((input.refillAmount == null) !== (input.refillInterval == null)) {
          const field = input.refillAmount == null ? 'refillAmount' : 'refillInterval';
          context.addIssue({
            code: 'custom',
            path: [field],
            message: 'refillAmount and refillInterval go together',
          });
        }
      }),
    output: z.object({ id: z.string(), key: z.string(), name: z.string(), createdAt: z.string() }),
  }),
  deleteApiKey: mutation({
    summary: 'Revokes an API key at once',
    description:
      'Your own keys, with a session those for your other organizations as well; Owner and Admin any key ' +
      'of the organization.',
    access: { class: 'protected', resources: [{ kind: 'apiKey', field: 'apiKeyId', ownAnywhere: true }] },
    input: z.object({ apiKeyId: z.string().min(1).max(100) }),
    output: keyRecord,
  }),
};
