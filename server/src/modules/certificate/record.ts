/** The certificate record (decisions 9); the private key is never in an answer. */
import { z } from 'zod';
import { certificateStatuses } from '../../domain/certificates/certificate.ts';

export const certificateRecord = z
  .object({
    certificateId: z.string(),
    name: z.string(),
    expirationDate: z.string().meta({ examples: ['2026-12-31T23:59:59.000Z'] }),
    notBefore: z.string().meta({ examples: ['2026-01-01T00:00:00.000Z'] }),
    commonName: z.string(),
    subjectAlternativeNames: z.array(z.string()).describe('Host names and addresses it serves'),
    issuer: z.string(),
    serverId: z.string().nullable(),
    status: z.enum(certificateStatuses).describe('expiring soon: within 30 days'),
    domains: z
      .array(z.object({ domainId: z.string(), host: z.string(), path: z.string() }))
      .describe('The domains that use it, newest first'),
  })
  .meta({ id: 'Certificate' });
