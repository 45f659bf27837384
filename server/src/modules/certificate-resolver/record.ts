/** The record of a certificate resolver (decisions 9); its secret is never in an answer. */
import { z } from 'zod';

export const certificateResolverRecord = z
  .object({
    certificateResolverId: z.string(),
    name: z.string(),
    directoryUrl: z.string(),
    email: z.string(),
    eab: z
      .object({ keyId: z.string() })
      .nullable()
      .describe('External account binding; its key is write-only'),
    rootCertificates: z.string().nullable().describe('PEM; roots to verify its HTTPS'),
    createdAt: z.string(),
  })
  .meta({ id: 'CertificateResolver' });
