/** Previews as deployments see them. */
import type { PreviewDeploymentRecord } from './store.ts';
import type { ApplicationStatus } from '../../domain/states/lifecycle.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Hosts } from '../../ports/host/host.ts';
import type { Applications } from '../application/application.ts';
import { checkDeployable } from '../application/checks.ts';
import { previewTitle } from './previewed.ts';
import { recordOf, type DeployedServices } from '../deployment/deployment.ts';
import { previewApplication, type PreviewDeployments } from './preview-deployment.ts';

/** The statuses that the document gives previews, for those of services. */
const statuses: Record<ApplicationStatus, PreviewDeploymentRecord['status']> = {
  idle: 'stopped',
  running: 'building',
  done: 'running',
  error: 'error',
};
const ofPreview: Record<PreviewDeploymentRecord['status'], ApplicationStatus> = {
  stopped: 'idle',
  building: 'running',
  running: 'done',
  error: 'error',
};

/** `changed` is part of the transaction: the comment on the pull request is to follow. */
export function deployedPreviews(
  previews: Pick<PreviewDeployments, 'find' | 'one' | 'patch'>,
  applications: Pick<Applications, 'find'>,
  hosts: Hosts,
  changed: (preview: PreviewDeploymentRecord) => Promise<void>,
): DeployedServices {
  return {
    async find(previewDeploymentId, organizationId) {
      const preview = await recordOf(previews, previewDeploymentId, organizationId);
      const application = preview && (await applications.find(preview.applicationId));
      return (
        preview &&
        application && {
          ...preview,
          name: previewTitle(application, { number: preview.pullRequestNumber, name: preview.name }),
          status: ofPreview[preview.status],
          serverKey: serverKeyOf(application),
          requireDeployable: () => checkDeployable(previewApplication(application, preview), hosts),
        }
      );
    },
    async patch(previewDeploymentId, { status, ...patch }) {
      await previews.patch(previewDeploymentId, {
        ...patch,
        ...(status === undefined ? {} : { status: statuses[status] }),
      });
      const preview = status === undefined ? undefined : await previews.find(previewDeploymentId);
      if (preview) await changed(preview);
    },
  };
}
