/** The compose record (decisions 8); credentials and the webhook's secret are write-only. */
import { revision, serviceStatus } from '../service/contract-fields.ts';
import { z } from 'zod';
import { composeSourceTypes } from '../../domain/git/source-type.ts';
import { accesses, builtHere, dangerKinds } from '../../domain/access/danger.ts';
import { secretLines, secretText } from '../../procedure/secret-fields.ts';
import { deploymentRecord } from '../deployment/record.ts';
import { domainRecord } from '../domain/record.ts';
import { mountRecord } from '../mount/record.ts';
import { environmentOfService } from '../service/record-environment.ts';
import { liveRecord, pendingChanges, secretEnvNames } from '../service/record-live.ts';
import { previewDatabaseRecord } from '../preview-deployment/contract-databases.ts';

const optional = z.string().nullable();

export const composeTypes = ['compose', 'stack'] as const;

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
    composeFile: secretText(),
    composePath: z.string(),
    env: secretLines(),
    secretEnvNames,
    createEnvFile: z.boolean(),
    composeStatus: serviceStatus,
    refreshToken: secretText('Token of its webhook address'),
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
    isPreviewDeploymentsActive: z.boolean(),
    previewWildcard: optional,
    previewLimit: z.number(),
    previewLabels: z.array(z.string()),
    previewEnv: secretLines().nullable(),
    previewSecretEnvNames: secretEnvNames,
    previewInherits: z.array(z.string()),
    previewDatabases: z.array(previewDatabaseRecord),
    previewRequireCollaboratorPermissions: z.boolean(),
    revision,
    createdAt: z.string(),
  })
  .meta({ id: 'Compose' });

const danger = z.object({
  service: z.string().describe('Name in the file'),
  what: z.enum(dangerKinds),
  value: z.string().describe('As the server sees it: a path with its links resolved'),
  access: z.enum(accesses).optional().describe('For a bind or a volume'),
  image: z.string().optional().describe(`What the service runs, without tag and digest, or "${builtHere}"`),
  start: z
    .string()
    .optional()
    .describe('For a file in the record: digest of user, groups, entrypoint and command'),
});

/** What of a compose file reaches the machine itself, and the digest that stands for it (decisions 8). */
export const composeApproval = z
  .object({ digest: z.string(), dangers: z.array(danger) })
  .meta({ id: 'ComposeApproval' });

export const wholeCompose = composeRecord
  .extend({
    approval: composeApproval
      .extend({ approvedBy: z.string().describe('userId'), at: z.string() })
      .nullable()
      .describe('What an Owner or Admin with host reach approved, while it holds'),
    awaitsApproval: composeApproval
      .extend({ deploymentId: z.string().describe('The deployment that was refused'), since: z.string() })
      .nullable()
      .describe('What the newest deployment asked for and was refused'),
    live: liveRecord,
    pendingChanges,
    environment: environmentOfService,
    domains: z.array(domainRecord),
    mounts: z.array(mountRecord),
    deployments: z.array(deploymentRecord),
  })
  .meta({ id: 'ComposeDetails' });

/** A compose service whose deployment was refused for what nobody approved. */
export const waitingCompose = composeApproval
  .extend({
    composeId: z.string(),
    name: z.string(),
    organizationId: z.string(),
    deploymentId: z.string(),
    since: z.string(),
  })
  .meta({ id: 'WaitingCompose' });

export const deletedCompose = composeRecord
  .extend({ keptVolumes: z.array(z.string()).describe('Names in the engine of the volumes that stay') })
  .meta({ id: 'DeletedCompose' });

/** What `compose.check` answers. */
export const composeJudgement = z
  .object({
    services: z.array(z.string()).describe('In the order in which they are deployed; none when refused'),
    isSavable: z.boolean().describe('Whether `compose.update` takes the file'),
    isDeployable: z.boolean().describe('Whether nothing is refused, and nothing waits for an approval'),
    findings: z
      .array(
        z.object({
          kind: z
            .enum(['refusal', 'approval', 'note'])
            .describe('refusal: it cannot be deployed; approval: it waits for one; note: to be known'),
          line: z.number().int().nullable().describe('From 1; null: of no line of the file'),
          text: z.string(),
        }),
      )
      .describe('At most 200'),
  })
  .meta({ id: 'ComposeJudgement' });
