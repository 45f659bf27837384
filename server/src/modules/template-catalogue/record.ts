/** A catalogue of templates as it is answered. */
import { z } from 'zod';

export const templateCatalogueRecord = z
  .object({
    templateCatalogueId: z.string(),
    organizationId: z.string(),
    name: z.string(),
    url: z.string().describe('Git repository, or a folder that the setting localRepositoryPaths allows'),
    branch: z.string().describe('Branch or tag; empty: the default branch'),
    folder: z.string().describe('Folder of the repository that is read; empty: all of it'),
    username: z.string().nullable().describe('Signs in to the repository; null: nobody does'),
    commit: z.string().nullable().describe('That was read last'),
    readAt: z.string().nullable().describe('When it was read last'),
    templateCount: z.number().describe('Templates that it gives'),
    leftOut: z
      .array(z.object({ name: z.string(), reason: z.string() }))
      .describe('Templates that Berth cannot take, the first 100, with the reason'),
    lastError: z.string().nullable().describe('Why the newest attempt to read it failed; what it gave stays'),
    createdAt: z.string(),
  })
  .meta({ id: 'TemplateCatalogue' });
