/** The registry record; the password is never in an answer (decisions 12). */
import { z } from 'zod';

export const registryRecord = z
  .object({
    registryId: z.string(),
    name: z.string(),
    registryUrl: z.string(),
    username: z.string(),
    imagePrefix: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: 'Registry' });
