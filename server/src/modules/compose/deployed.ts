/** Compose services as deployments see them. */
import type { DeployedServices } from '../deployment/deployment.ts';
import { checkDeployable, type Composes } from './compose.ts';

export function deployedComposes(composes: Pick<Composes, 'find' | 'patch'>): DeployedServices {
  return {
    async find(composeId) {
      const compose = await composes.find(composeId);
      return (
        compose && {
          ...compose,
          status: compose.composeStatus,
          serverKey: compose.serverId ?? 'local',
          requireDeployable: () => checkDeployable(compose),
        }
      );
    },
    patch: (composeId, { status, ...patch }) =>
      composes.patch(composeId, { ...patch, ...(status === undefined ? {} : { composeStatus: status }) }),
  };
}
