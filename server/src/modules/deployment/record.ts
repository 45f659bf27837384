/** The deployment record (decisions 5). */
import { z } from 'zod';
import { deploymentKinds, deploymentStarters, deploymentStatuses } from '../../domain/states/lifecycle.ts';

const optional = z.string().nullable();

export const deploymentRecord = z
  .object({
    deploymentId: z.string(),
    applicationId: optional,
    databaseId: optional,
    composeId: optional,
    previewDeploymentId: optional,
    kind: z.enum(deploymentKinds),
    title: z.string(),
    description: z.string(),
    status: z.enum(deploymentStatuses),
    stage: optional,
    commit: optional,
    commitInfo: z
      .object({ subject: z.string(), author: z.string(), branch: z.string() })
      .nullable()
      .describe(
        'First line of the message, author and branch; null without a commit, or before it is fetched',
      ),
    image: optional,
    errorMessage: optional,
    createdAt: z.string(),
    startedAt: optional,
    healthyAt: optional,
    finishedAt: optional,
    startedBy: z
      .object({ kind: z.enum(deploymentStarters), userId: optional, apiKeyId: optional })
      .nullable()
      .describe('Who or what started it; null if it is from before this was recorded'),
    stages: z
      .array(z.object({ name: z.string(), startedAt: z.string(), finishedAt: optional }))
      .nullable()
      .describe('When each stage was, in their order; null before the first'),
  })
  .meta({ id: 'Deployment' });

/** The Dockerfile that Berth's own builder wrote for a deployment. */
export const writtenBuild = z.object({
  language: z.string(),
  framework: optional,
  dockerfile: z.string(),
  dockerignore: z.string(),
  startCommand: z.array(z.string()),
  port: z.number().int(),
  reasons: z.array(z.string()).describe('Why the Dockerfile is so, as the log says it'),
  watchPaths: z
    .array(z.string())
    .describe('For an application of a monorepo: the paths whose changes concern it, as a setting to take'),
});
