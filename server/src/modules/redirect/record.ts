/** The redirect record (decisions 5). */
import { z } from 'zod';

export const redirectRecord = z
  .object({
    redirectId: z.string(),
    applicationId: z.string(),
    regex: z.string(),
    replacement: z.string(),
    permanent: z.boolean(),
    createdAt: z.string(),
  })
  .meta({ id: 'Redirect' });
