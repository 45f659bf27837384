/** Gives deployments access to applications, by the interface that every kind of service has. */
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Hosts } from '../../ports/host/host.ts';
import { recordOf, type DeployedServices } from '../deployment/deployment.ts';
import type { Applications } from './application.ts';
import { checkDeployable } from './checks.ts';

export function deployedApplications(applications: Applications, hosts: Hosts): DeployedServices {
  return {
    async find(applicationId, organizationId) {
      const application = await recordOf(applications, applicationId, organizationId);
      return (
        application && {
          ...application,
          status: application.applicationStatus,
          serverKey: serverKeyOf(application),
          requireDeployable: () => checkDeployable(application, hosts),
        }
      );
    },
    patch: (applicationId, { status, ...patch }) =>
      applications.patch(applicationId, {
        ...patch,
        ...(status === undefined ? {} : { applicationStatus: status }),
      }),
  };
}
