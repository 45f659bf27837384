/** Who changed what (decisions 12). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { query } from '../../procedure/procedure.ts';

const auditRecord = z
  .object({
    auditId: z.string(),
    at: z.string(),
    userId: z.string().nullable(),
    apiKeyId: z.string().nullable(),
    procedure: z.string(),
    resourceId: z.string().nullable(),
    outcome: z.string().describe('`done`, or the code of the refusal'),
    ip: z.string().describe("Address of the caller; `host` for a command on Berth's own machine"),
  })
  .meta({ id: 'AuditEntry' });

const id = z.string().min(1).max(100).optional();

export const auditContract = {
  all: query({
    summary: 'Every change in the organization, newest first: who, what, when, from where, and how it ended',
    description:
      'Changes that were refused are there with the code of their refusal (invalid input is not ' +
      'recorded), and so are sign-up, sign-in, failed sign-ins and sign-out ' +
      ('(`auth.signUp`, `auth.signIn`, `auth.signOut`) and passwords reset on the host ' +
        '(`auth.resetPassword`). `userId` is empty if nobody was signed in. Failed sign-ins with an ' +
        'unknown address stand ') +
      "in the log of the installation's first organization. Entries are kept for 400 days.",
    access: { class: 'admin', resources: [] },
    input: z.object({
      userId: id.describe('Only what this user did'),
      procedure: id.describe('Only this procedure, such as `application.deploy`'),
      resourceId: id.describe('Only what was done to this resource'),
      since: z.iso
        .datetime({ offset: true })
        .max(50)
        .optional()
        .describe('Only what was done at this time or later (ISO 8601)'),
      ...pageInput,
    }),
    output: listOf(auditRecord),
  }),
};
