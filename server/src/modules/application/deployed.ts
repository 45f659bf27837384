/** Applications as deployments see them. */
import type { DeployedServices } from '../deployment/deployment.ts';
import type { Applications } from './application.ts';
import { checkDeployable } from './checks.ts';

export function deployedApplications(applications: Applications): DeployedServices {
  return {
    async find(applicationId) {
      const application = await applications.find(applicationId);
      return (
        application && {
          ...application,
          status: application.applicationStatus,
          serverKey: application.serverId ?? 'local',
          requireDeployable: () => checkDeployable(application),
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
