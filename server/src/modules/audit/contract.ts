/** Who changed what (decisions 12). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/page.ts';
import { query } from '../../procedure/procedure.ts';

const auditRecord = z.object({
  auditId: z.string(), at: z.string(), userId: z.string().nullable(), apiKeyId: z.string().nullable(), procedure: z.string(), resourceId: z.string().nullable(),
  outcome: z.string().describe('`done`, or the code of the refusal'), ip: z.string(),
}).meta({ id: 'AuditEntry' });

export const auditContract = {
  all: query({
    summary: 'Every change in the organization, newest first: who, what, when, from where, and how it ended',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(auditRecord),
  }),
};
