/** A user of an application's sign-in; the password is never in an answer (decisions 5). */
import { z } from 'zod';

export const basicAuthRecord = z
  .object({ basicAuthId: z.string(), applicationId: z.string(), username: z.string(), createdAt: z.string() })
  .meta({ id: 'BasicAuth' });
