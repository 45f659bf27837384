/** The environment record (interface document, Environment). */
import { z } from 'zod';
import type { EnvironmentRecord } from '../../db/tables.ts';
import { revision } from '../service/contract-fields.ts';
import { secretLines } from '../../procedure/secret-fields.ts';

export const environmentRecord = z
  .object({
    environmentId: z.string(),
    name: z.string(),
    description: z.string(),
    projectId: z.string(),
    env: secretLines(),
    isDefault: z.boolean(),
    revision,
    createdAt: z.string(),
  })
  .meta({ id: 'Environment' });

/** An environment without its variables, which are read with `environment.one`. */
export type ListedEnvironment = Omit<EnvironmentRecord, 'env'>;

export const listedEnvironment = environmentRecord.omit({ env: true }).meta({ id: 'ListedEnvironment' });
