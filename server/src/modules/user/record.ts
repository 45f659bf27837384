/** What accounts, sessions and keys look like, and the rules of their fields. */
import { z } from 'zod';

/** Of a new account or invitation; addresses differ in more than the case of their letters. */
export const emailField = z.email('must be an e-mail address').max(254);
/** A password that is set; signing in takes whatever is given. */
export const newPasswordField = z.string().min(8, 'must have at least 8 characters').max(1024);
/** Of an invitation, as `organization.invite` showed it. */
export const tokenField = z.string().min(1).max(200);

/** Of the second factor: six digits of the app, or a recovery code. */
export const codeField = z.string().min(1).max(100);

export const keyRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().nullable(),
    start: z.string().describe('First characters, to recognise the key by'),
    enabled: z.boolean(),
    createdAt: z.string(),
    expiresAt: z.string().nullable(),
    lastRequestAt: z.string().nullable(),
    remaining: z.number().nullable(),
    refillAmount: z.number().nullable(),
    refillInterval: z.number().nullable(),
    rateLimitEnabled: z.boolean(),
    rateLimitTimeWindow: z.number().nullable(),
    rateLimitMax: z.number().nullable(),
  })
  .meta({ id: 'ApiKey' });

export const sessionRecord = z
  .object({
    sessionId: z.string(),
    createdAt: z.string(),
    expiresAt: z.string(),
    ip: z.string().describe('Address it was opened from'),
    userAgent: z.string().describe('Program it was opened with, as it identified itself'),
    current: z.boolean().describe('Whether this call uses it'),
  })
  .meta({ id: 'Session' });
