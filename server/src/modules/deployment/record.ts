/** The deployment record (decisions 5). */
import { z } from 'zod';
import { deploymentKinds, deploymentStatuses } from '../../domain/lifecycle.ts';

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
    image: optional,
    errorMessage: optional,
    createdAt: z.string(),
    startedAt: optional,
    healthyAt: optional,
    finishedAt: optional,
  })
  .meta({ id: 'Deployment' });
