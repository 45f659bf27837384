/** The preview deployment record (interface document, Preview deployment). */
import { z } from 'zod';
import { branchOrigins } from '../../domain/branch-origin.ts';
import { databaseKindNames } from '../../domain/database-kind.ts';
import { liveRecord, pendingChanges } from '../service/record-live.ts';

export const previewStatuses = ['building', 'running', 'error', 'stopped'] as const;

export const previewDeploymentRecord = z
  .object({
    previewDeploymentId: z
      .string()
      .describe('Of a compose service: also the composeId of the copy that runs the preview'),
    applicationId: z.string().nullable().describe('Null for a preview of a compose service'),
    composeId: z
      .string()
      .nullable()
      .describe('Compose service that it is a preview of; null for one of an application'),
    branch: z.string().describe('Empty for a preview of a commit or an image alone'),
    pullRequestNumber: z.number().nullable(),
    name: z.string().nullable().describe('Of a preview made by hand (create); null for a pull request'),
    image: z.string().nullable().describe('Image that runs in place of a build'),
    expiresAt: z.string().nullable().describe('When it is removed by itself; null: it is not'),
    domain: z.string().describe('Address of the preview; empty for a compose service without domains'),
    commit: z.string().nullable(),
    isTrusted: z
      .boolean()
      .describe(
        'Its branch is in the repository itself, it runs an image, or it was approved with variables; any ' +
          'other preview of a fork, and one of a commit alone, gets no variables or secrets',
      ),
    status: z.enum(previewStatuses),
    createdAt: z.string(),
    live: liveRecord,
  })
  .meta({ id: 'PreviewDeployment' });

const ownDatabase = z
  .object({
    databaseId: z.string(),
    databaseType: z.enum(databaseKindNames),
    name: z.string(),
    sourceId: z.string().nullable().describe('The database whose place it takes; null once that is removed'),
    sourceName: z.string().describe('The name that the source had'),
    from: z.enum(branchOrigins).describe('What filled it, as previewDatabases says'),
    asOf: z.string().describe('The moment that its data are of'),
    isMasked: z.boolean().describe('Whether it was given a masking command before anybody reached it'),
    status: z
      .enum(['filling', 'ready', 'failed'])
      .describe('A failed one is made anew by the next deployment'),
    backupRunId: z.string().describe('The run that fills it; backup.runLogs has its log'),
    errorMessage: z.string().nullable().describe('Why it could not be filled'),
  })
  .meta({ id: 'PreviewOwnDatabase' });

/** As lists show it. */
export const shownPreviewDeployment = previewDeploymentRecord
  .extend({
    databases: z.array(ownDatabase).describe('Databases of its own, those that the caller reaches'),
    errorMessage: z
      .string()
      .nullable()
      .describe('Why its newest deployment failed; null unless its status is error'),
  })
  .meta({ id: 'ShownPreviewDeployment' });

export const waitingPullRequest = z
  .object({
    pullRequestNumber: z.number(),
    title: z.string(),
    author: z.string().describe('Name at the git host'),
    repository: z.string().describe('Full name of the repository that it is for'),
    baseBranch: z.string().describe('Branch that it is for'),
    branch: z.string(),
    isFork: z.boolean().describe('Its commits come from another repository'),
    commit: z.string().describe('The newest; this one an approval names'),
    reason: z.string().describe('Why it waits'),
    heldAt: z.string().describe('When its newest commit came'),
    approvedCommit: z
      .string()
      .nullable()
      .describe('An earlier commit that was approved; its preview goes on running'),
  })
  .meta({ id: 'WaitingPullRequest' });

const named = {
  name: z.string(),
  appName: z.string(),
  environment: z.object({
    environmentId: z.string(),
    name: z.string(),
    projectId: z.string(),
    project: z.object({ projectId: z.string(), name: z.string(), organizationId: z.string() }),
  }),
};

/** With what it is a preview of. */
export const wholePreviewDeployment = shownPreviewDeployment
  .extend({
    domainId: z.string().nullable(),
    pendingChanges,
    application: z.object({ applicationId: z.string(), ...named }).nullable(),
    compose: z.object({ composeId: z.string(), ...named }).nullable(),
  })
  .meta({ id: 'WholePreviewDeployment' });
