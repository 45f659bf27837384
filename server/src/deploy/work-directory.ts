/** Where one deployment works; removed when it ends. */
import { join } from 'node:path';
import type { DeployContext } from './context.ts';

type Located = Pick<DeployContext, 'workRoot' | 'deployment'>;

export const workDirectory = ({ workRoot, deployment }: Located): string =>
  join(workRoot, deployment.deploymentId);
export const sourceDirectory = (context: Located): string => join(workDirectory(context), 'source');
export const scratchDirectory = (context: Located): string => join(workDirectory(context), 'scratch');
