/** The destination record; accessKey and secretAccessKey are never in an answer (decisions 7). */
import { z } from 'zod';

export const destinationProviders = ['s3', 'local'] as const;

export const destinationRecord = z
  .object({
    destinationId: z.string(),
    name: z.string(),
    provider: z.enum(destinationProviders),
    bucket: z.string(),
    region: z.string(),
    endpoint: z.string(),
    path: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: 'Destination' });
