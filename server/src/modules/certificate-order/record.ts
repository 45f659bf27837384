/** The record of a certificate order. */
import { z } from 'zod';

export const orderStatuses = ['waiting', 'issued', 'failed'] as const;

export const certificateOrderRecord = z
  .object({
    certificateOrderId: z.string(),
    name: z.string(),
    names: z.array(z.string()).describe('Host names that the certificate is for'),
    dnsProviderId: z.string(),
    certificateResolverId: z.string().nullable().describe('null: the authority of the settings'),
    serverId: z.string().nullable(),
    certificateId: z.string().nullable().describe('The certificate that is there; null before the first'),
    status: z
      .enum(orderStatuses)
      .describe('waiting: being asked for; failed: the newest attempt, while a former certificate may serve'),
    error: z.string().nullable().describe('Why the newest attempt failed'),
    attempts: z.number().int().describe('Failed attempts since the last success'),
    expirationDate: z.string().nullable().describe('End of the certificate that is there'),
    nextTryAt: z.string().nullable().describe('Next attempt or renewal; null while one goes on'),
    issuedAt: z.string().nullable(),
    isAutomatic: z
      .boolean()
      .describe(
        'Ordered by Berth itself for a base domain or a wildcard domain; its renewal ends when neither ' +
          'is there',
      ),
    createdAt: z.string(),
  })
  .meta({ id: 'CertificateOrder' });
