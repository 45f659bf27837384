/** The caller's own account and API keys (interface document, Authentication-related and general). */
import { z } from 'zod';
import { roles } from '../../domain/permissions.ts';
import { mutation, query } from '../../procedure/procedure.ts';

const keyRecord = z.object({
  id: z.string(), name: z.string(), prefix: z.string().nullable(), start: z.string().describe('First characters, to recognise the key by'),
  enabled: z.boolean(), createdAt: z.string(), expiresAt: z.string().nullable(), lastRequestAt: z.string().nullable(),
  remaining: z.number().nullable(), refillAmount: z.number().nullable(), refillInterval: z.number().nullable(),
  rateLimitEnabled: z.boolean(), rateLimitTimeWindow: z.number().nullable(), rateLimitMax: z.number().nullable(),
}).meta({ id: 'ApiKey' });

const milliseconds = z.number().int().min(1).max(1e13);
const count = z.number().int().min(1).max(1e12);

export const userContract = {
  get: query({
    summary: 'The calling user with the API keys of the organization in use',
    access: { class: 'protected', resources: [] },
    input: z.object({}),
    output: z.object({
      id: z.string(), email: z.string(), name: z.string(), role: z.enum(roles), organizationId: z.string(), createdAt: z.string(), apiKeys: z.array(keyRecord),
    }),
  }),
  createApiKey: mutation({
    summary: 'Creates an API key; the full key is in this answer and never again',
    description: 'Needs a logged-in session. `expiresIn`, `rateLimitTimeWindow` and `refillInterval` are milliseconds. The window is fixed and begins with the first counted request. '
      + '`remaining` is a budget of requests; without it there is none. A refill adds `refillAmount` for every whole `refillInterval` since creation.',
    access: { class: 'protected', resources: [], sessionOnly: true, grant: 'canAccessToAPI', actsIn: 'metadata.organizationId' },
    input: z.object({
      name: z.string().min(1).max(100),
      prefix: z.string().regex(/^[a-zA-Z0-9_-]{1,32}$/, 'must be 1 to 32 letters, digits, - or _').nullish(),
      expiresIn: milliseconds.nullish(),
      metadata: z.object({ organizationId: z.string().min(1) }),
      rateLimitEnabled: z.boolean().nullish(), rateLimitTimeWindow: milliseconds.nullish(), rateLimitMax: count.nullish(),
      remaining: z.number().int().min(0).max(1e12).nullish(), refillAmount: count.nullish(), refillInterval: milliseconds.nullish(),
      permissions: z.record(z.string(), z.array(z.string())).nullish().describe('Narrows the key below its user: resource → actions (read, write)'),
    }).superRefine((input, context) => {
      for (const field of ['rateLimitTimeWindow', 'rateLimitMax'] as const) {
        if (input.rateLimitEnabled && input[field] == null) context.addIssue({ code: 'custom', path: [field], message: 'is required when rateLimitEnabled is true' });
      }
      if ((input.refillAmount == null) !== (input.refillInterval == null)) {
        const field = input.refillAmount == null ? 'refillAmount' : 'refillInterval';
        context.addIssue({ code: 'custom', path: [field], message: 'refillAmount and refillInterval go together' });
      }
    }),
    output: z.object({ id: z.string(), key: z.string(), name: z.string(), createdAt: z.string() }),
  }),
  deleteApiKey: mutation({
    summary: 'Revokes an API key at once',
    description: 'One\'s own keys; Owner and Admin any key of the organization.',
    access: { class: 'protected', resources: [{ kind: 'apiKey', field: 'apiKeyId' }] },
    input: z.object({ apiKeyId: z.string().min(1).max(100) }),
    output: keyRecord,
  }),
};
