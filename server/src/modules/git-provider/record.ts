/** The git provider record; keys, tokens and secrets are never in an answer. */
import { z } from 'zod';

import { gitProviderNames } from '../../domain/git/git-host.ts';

export const gitProviderRecord = z
  .object({
    gitProviderId: z.string(),
    provider: z.enum(gitProviderNames),
    name: z.string(),
    baseUrl: z.string().describe('Address of the git host'),
    apiUrl: z.string().describe('Address of its API'),
    appId: z.string().nullable(),
    installationId: z.string().nullable(),
    username: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'GitProvider' });
