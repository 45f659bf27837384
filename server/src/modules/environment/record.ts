/** The environment record (interface document, Environment). */
import { z } from 'zod';

export const environmentRecord = z
  .object({
    environmentId: z.string(),
    name: z.string(),
    description: z.string(),
    projectId: z.string(),
    env: z.string(),
    isDefault: z.boolean(),
    createdAt: z.string(),
  })
  .meta({ id: 'Environment' });
