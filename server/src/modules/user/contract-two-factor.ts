/** The second factor of the caller's own account (decisions 2). */
import { z } from 'zod';
import { mutation, query } from '../../procedure/procedure.ts';
import { codeField } from './record.ts';

const own = { class: 'protected', resources: [], beforeTwoFactor: true } as const;
const ownSession = { ...own, sessionOnly: true } as const;
const password = z.string().min(1).max(1024);
const code = codeField.describe('Six digits of the app, or a recovery code');
const state = z.object({
  enabled: z.boolean(),
  recoveryCodesLeft: z.number(),
  required: z.boolean().describe('Whether the organization in use requires it'),
});
const recoveryCodes = z.object({
  recoveryCodes: z
    .array(z.string())
    .describe('Each takes the place of one code of the app, once; they are never shown again'),
});

export const twoFactorContract = {
  twoFactor: query({
    summary: 'Whether the user has two-factor sign-in',
    access: own,
    input: z.object({}),
    output: state,
  }),
  twoFactorSetUp: mutation({
    summary:
      'Makes a secret for an authenticator app; it takes effect once `user.twoFactorConfirm` is called ' +
      'with a code from it',
    description:
      'Needs a logged-in session and the password. Six digits, 30 seconds, SHA-1 (RFC 6238). Another call ' +
      'makes another secret, as long as none is confirmed.',
    access: ownSession,
    input: z.object({ password }),
    output: z.object({ secret: z.string(), otpauthUrl: z.string().describe('For a QR code') }),
    refusals: ['BAD_REQUEST', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS'],
  }),
  twoFactorConfirm: mutation({
    summary: 'Switches two-factor sign-in on with a first code of the app; returns the recovery codes',
    description:
      'Every other session of the user ends. From then on a sign-in needs `code` in addition to the ' +
      'password; API keys keep working without it.',
    access: ownSession,
    input: z.object({ code }),
    output: recoveryCodes,
    refusals: ['BAD_REQUEST', 'PRECONDITION_FAILED'],
  }),
  twoFactorDisable: mutation({
    summary: 'Switches two-factor sign-in off',
    description:
      'If the organization requires it, the only thing left to do then is to set it up again. A lost app ' +
      "without recovery codes: `./bin/berth reset-password --remove-two-factor` on Berth's own machine.",
    access: ownSession,
    input: z.object({ password, code }),
    output: state,
    refusals: ['BAD_REQUEST', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS'],
  }),
  twoFactorNewRecoveryCodes: mutation({
    summary: 'Makes new recovery codes; the former ones are void',
    access: ownSession,
    input: z.object({ password, code }),
    output: recoveryCodes,
    refusals: ['BAD_REQUEST', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS'],
  }),
};
