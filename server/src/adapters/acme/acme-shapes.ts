/** Objects of ACME (RFC 8555, 7.1). */
import { z } from 'zod';

export const acmeDirectory = z.object({
  newNonce: z.string(),
  newAccount: z.string(),
  newOrder: z.string(),
});

/** RFC 7807; parts of a compound one (RFC 8555, 6.7.1) name the identifier that they are about. */
export const acmeProblem = z.object({
  type: z.string().default(''),
  detail: z.string().default(''),
  subproblems: z
    .array(
      z.object({
        type: z.string().default(''),
        detail: z.string().default(''),
        identifier: z.object({ value: z.string() }).optional(),
      }),
    )
    .optional(),
});

const identifier = z.object({ type: z.string(), value: z.string() });

/** What a new account is answered with; only its address counts. */
export const acmeAccount = z.object({});

export const acmeOrder = z.object({
  status: z.string(),
  authorizations: z.array(z.string()).max(200),
  finalize: z.string(),
  certificate: z.string().optional(),
  error: acmeProblem.optional(),
});

export const acmeChallenge = z.object({
  type: z.string(),
  url: z.string(),
  status: z.string().optional(),
  token: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,200}$/)
    .optional(),
  error: acmeProblem.optional(),
});

export const acmeAuthorization = z.object({
  identifier,
  status: z.string(),
  challenges: z.array(acmeChallenge).default([]),
});
