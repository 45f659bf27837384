/** The compose record (decisions 8); credentials and the webhook's secret are write-only. */
import { z } from 'zod';
import { applicationStatuses } from '../../domain/lifecycle.ts';
import { deploymentRecord } from '../deployment/record.ts';
import { domainRecord } from '../domain/record.ts';
import { mountRecord } from '../mount/record.ts';
import { environmentOfService } from '../service/record-environment.ts';

const optional = z.string().nullable();

export const composeTypes = ['compose', 'stack'] as const;
export const composeSourceTypes = ['raw', 'git', 'github', 'gitlab', 'bitbucket', 'gitea'] as const;

export const composeRecord = z
  .object({
    composeId: z.string(),
    name: z.string(),
    appName: z.string(),
    description: z.string(),
    environmentId: z.string(),
    serverId: optional,
    composeType: z.enum(composeTypes),
    sourceType: z.enum(composeSourceTypes),
    composeFile: z.string(),
    composePath: z.string(),
    env: z.string(),
    createEnvFile: z.boolean(),
    composeStatus: z.enum(applicationStatuses),
    refreshToken: z.string(),
    autoDeploy: z.boolean(),
    randomize: z.boolean(),
    suffix: z.string(),
    repository: optional,
    owner: optional,
    branch: optional,
    gitHost: optional,
    githubId: optional,
    customGitUrl: optional,
    customGitBranch: optional,
    customGitSSHKeyId: optional,
    enableSubmodules: z.boolean(),
    watchPaths: z.array(z.string()),
    triggerType: z.enum(['push', 'tag']),
    createdAt: z.string(),
  })
  .meta({ id: 'Compose' });

export const wholeCompose = composeRecord
  .extend({
    environment: environmentOfService,
    domains: z.array(domainRecord),
    mounts: z.array(mountRecord),
    deployments: z.array(deploymentRecord),
  })
  .meta({ id: 'ComposeDetails' });

export const deletedCompose = composeRecord
  .extend({ keptVolumes: z.array(z.string()).describe('Names in the engine of the volumes that stay') })
  .meta({ id: 'DeletedCompose' });
