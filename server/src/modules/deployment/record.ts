/** The deployment record (decisions 5). */
import { z } from 'zod';
import { deploymentStatuses } from '../../domain/lifecycle.ts';

const optional = z.string().nullable();

export const deploymentRecord = z.object({
  deploymentId: z.string(), applicationId: z.string(), kind: z.enum(['deploy', 'redeploy', 'rollback']), title: z.string(), description: z.string(),
  status: z.enum(deploymentStatuses), stage: optional, commit: optional, image: optional, errorMessage: optional,
  createdAt: z.string(), startedAt: optional, healthyAt: optional, finishedAt: optional,
}).meta({ id: 'Deployment' });
