/** The port record (decisions 5). */
import { z } from 'zod';

export const portRecord = z
  .object({
    portId: z.string(),
    applicationId: z.string(),
    publishedPort: z.number(),
    targetPort: z.number(),
    protocol: z.enum(['tcp', 'udp']),
    publishMode: z.enum(['ingress', 'host']),
    createdAt: z.string(),
  })
  .meta({ id: 'Port' });
