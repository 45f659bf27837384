/** The record of a log drain; its password is never in an answer. */
import { z } from 'zod';

export const drainTypes = ['syslogTcp', 'syslogUdp', 'loki'] as const;
export type DrainType = (typeof drainTypes)[number];

export const logDrainRecord = z
  .object({
    logDrainId: z.string(),
    name: z.string(),
    type: z.enum(drainTypes),
    address: z.string(),
    projectId: z.string().nullable().describe('Whose services; null: those of the whole organization'),
    username: z.string().nullable(),
    enabled: z.boolean(),
    sent: z.number().int().describe('Lines that were taken at the address'),
    dropped: z.number().int().describe('Lines that were given up, since more came than the address took'),
    lastSentAt: z.string().nullable(),
    lastError: z.string().nullable().describe('Why the newest attempt failed; null when it did not'),
    lastErrorAt: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'LogDrain' });
