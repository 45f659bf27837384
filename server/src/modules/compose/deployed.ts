/** Compose services as deployments see them. */
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Hosts } from '../../ports/host/host.ts';
import type { DeployedServices } from '../deployment/deployment.ts';
import { checkDeployable, type Composes } from './compose.ts';

export function deployedComposes(composes: Pick<Composes, 'find' | 'patch'>, hosts: Hosts): DeployedServices {
  return {
    async find(composeId) {
      const compose = await composes.find(composeId);
      return (
        compose && {
          ...compose,
          status: compose.composeStatus,
          serverKey: serverKeyOf(compose),
          requireDeployable: () => checkDeployable(compose, hosts),
        }
      );
    },
    patch: (composeId, { status, ...patch }) =>
      composes.patch(composeId, { ...patch, ...(status === undefined ? {} : { composeStatus: status }) }),
  };
}
