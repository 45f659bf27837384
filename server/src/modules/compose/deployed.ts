/** Compose services as deployments see them. */
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Hosts } from '../../ports/host/host.ts';
import { recordOf, type DeployedServices } from '../deployment/deployment.ts';
import { checkDeployable, type Composes } from './compose.ts';

export function deployedComposes(
  composes: Pick<Composes, 'find' | 'one' | 'patch'>,
  hosts: Hosts,
): DeployedServices {
  return {
    async find(composeId, organizationId) {
      const compose = await recordOf(composes, composeId, organizationId);
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
