/** Compose services as deployments see them. */
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Hosts } from '../../ports/host/host.ts';
import { recordOf, type DeployedServices } from '../deployment/deployment.ts';
import { checkDeployable, type Composes } from './compose.ts';

/** `statusChanged` is part of the transaction: the comment of a preview is to follow. */
export function deployedComposes(
  composes: Pick<Composes, 'find' | 'one' | 'patch'>,
  hosts: Hosts,
  statusChanged: (composeId: string) => Promise<void> = async () => undefined,
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
    async patch(composeId, { status, ...patch }) {
      await composes.patch(composeId, {
        ...patch,
        ...(status === undefined ? {} : { composeStatus: status }),
      });
      if (status !== undefined) await statusChanged(composeId);
    },
  };
}
