/** Where a service stands, as its record shows it (interface document, Application). */
import { z } from 'zod';

export const environmentOfService = z.object({
  environmentId: z.string(),
  name: z.string(),
  projectId: z.string(),
  project: z.object({ projectId: z.string(), name: z.string(), organizationId: z.string() }),
});
