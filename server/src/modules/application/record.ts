/** The application record as `application.one` gives it (interface document, Application; decisions 5). */
import { initChoices } from '../../domain/init-choice.ts';
import { sourceTypes } from '../../domain/git/source-type.ts';
import { buildTypes } from '../../domain/build-type.ts';
import { revision, serviceStatus } from '../service/contract-fields.ts';
import { z } from 'zod';
import { secretLines, secretText } from '../../procedure/secret-fields.ts';
import { deploymentRecord } from '../deployment/record.ts';
import { domainRecord } from '../domain/record.ts';
import { mountRecord } from '../mount/record.ts';
import { portRecord } from '../port/record.ts';
import { environmentOfService } from '../service/record-environment.ts';
import { liveRecord, pendingChanges, secretEnvNames } from '../service/record-live.ts';
import { healthCheck } from './settings.ts';
import { previewDatabaseRecord } from '../preview-deployment/contract-databases.ts';

const optional = z.string().nullable();

export const applicationSummary = z.object({
  applicationId: z.string(),
  name: z.string(),
  appName: z.string(),
  description: z.string(),
  applicationStatus: serviceStatus,
  environmentId: z.string(),
  createdAt: z.string(),
});

/** All stored fields that may be read; credentials are write-only and therefore absent. */
export const applicationFields = applicationSummary
  .extend({
    sourceType: z.enum(sourceTypes),
    buildType: z.enum(buildTypes),
    replicas: z.number(),
    env: secretLines(),
    secretEnvNames,
    buildArgs: secretLines().nullable(),
    buildSecrets: secretLines().nullable(),
    createEnvFile: z.boolean(),
    memoryLimit: optional,
    memoryReservation: optional,
    cpuLimit: optional,
    cpuReservation: optional,
    pidsLimit: z.number().nullable(),
    repository: optional,
    owner: optional,
    branch: optional,
    gitHost: optional,
    buildPath: z.string(),
    dockerfile: z.string(),
    containerContextPath: optional,
    containerBuildStage: optional,
    dockerContextPath: optional,
    dockerBuildStage: optional,
    publishDirectory: optional,
    isStaticSpa: z.boolean(),
    customGitUrl: optional,
    customGitBranch: optional,
    customGitBuildPath: z.string(),
    customGitSSHKeyId: optional,
    enableSubmodules: z.boolean(),
    containerImage: optional,
    registryUrl: optional,
    username: optional,
    registryId: optional,
    autoDeploy: z.boolean(),
    refreshToken: secretText('Token of its webhook address'),
    watchPaths: z.array(z.string()),
    revision,
    triggerType: z.string(),
    cleanCache: z.boolean(),
    healthCheck: healthCheck.nullable(),
    updateOrder: z.string(),
    placement: z.array(z.string()),
    labels: z.record(z.string(), z.string()),
    networks: z.array(z.string()),
    stopGracePeriod: z.number().nullable(),
    init: z.enum(initChoices),
    rollbackActive: z.boolean(),
    preReleaseCommand: z.array(z.string()).nullable(),
    postReleaseCommand: z.array(z.string()).nullable(),
    command: optional,
    args: z.array(z.string()),
    serverId: optional,
    buildServerId: optional,
    githubId: optional,
    previewEnv: secretLines().nullable(),
    previewSecretEnvNames: secretEnvNames,
    previewInherits: z.array(z.string()),
    previewDatabases: z.array(previewDatabaseRecord),
    previewBuildArgs: secretLines().nullable(),
    previewBuildSecrets: secretLines().nullable(),
    previewWildcard: optional,
    previewPort: z.number(),
    previewPath: z.string(),
    previewHttps: z.boolean(),
    previewCertificateType: z.string(),
    previewCustomCertResolver: optional,
    previewLimit: z.number(),
    previewLabels: z.array(z.string()),
    isPreviewDeploymentsActive: z.boolean(),
    previewRequireCollaboratorPermissions: z.boolean(),
  })
  .meta({ id: 'Application' });

export const createdApplication = applicationFields
  .extend({ address: optional.describe('With withDomain: where it answers once it is deployed') })
  .meta({ id: 'CreatedApplication' });

export const applicationRecord = applicationFields
  .extend({
    hasGitProviderAccess: z.boolean(),
    unauthorizedProvider: optional,
    live: liveRecord,
    pendingChanges,
    environment: environmentOfService,
    deployments: z.array(deploymentRecord),
    sourceApplications: z
      .array(
        z.object({
          folder: z.string().describe('Value of buildPath (customGitBuildPath with a git address) for it'),
          name: z.string(),
          what: z.string().describe('Framework or language; Dockerfile for one that brings its own'),
          watchPaths: z.array(z.string()).describe('Value of watchPaths that suits it'),
        }),
      )
      .nullable()
      .describe(
        'Applications of the newest deployed source that has several, such as a workspace of npm, pnpm or ' +
          'yarn; null where there was none',
      ),
    domains: z.array(domainRecord),
    ports: z.array(portRecord),
    mounts: z.array(mountRecord),
  })
  .meta({ id: 'ApplicationDetails' });
