/** Preview deployments as records. Building them comes with webhooks of pull requests; until then none is made, so that none runs. */
import { AppError } from '../../domain/errors.ts';
import type { PreviewDeploymentRecord, PreviewDeploymentStore } from './store.ts';

export interface PreviewDeployments {
  /** Newest first. */
  byApplication(applicationId: string, organizationId: string): Promise<PreviewDeploymentRecord[]>;
  one(previewDeploymentId: string, organizationId: string): Promise<PreviewDeploymentRecord>;
  /** Takes the record and its domains away; part of a change of routes. */
  remove(previewDeploymentId: string, organizationId: string): Promise<PreviewDeploymentRecord>;
}

export function createPreviewDeployments(store: PreviewDeploymentStore): PreviewDeployments {
  async function one(previewDeploymentId: string, organizationId: string): Promise<PreviewDeploymentRecord> {
    const record = await store.find({ previewDeploymentId, organizationId });
    if (!record) throw new AppError('NOT_FOUND', 'There is no such preview deployment. It may have been removed with its pull request.');
    return record;
  }
  return {
    one,
    byApplication: (applicationId, organizationId) => store.list({ applicationId, organizationId }, { by: ['createdAt', 'previewDeploymentId'], direction: 'desc' }),
    async remove(previewDeploymentId, organizationId) {
      const present = await one(previewDeploymentId, organizationId);
      await store.removeDomains(previewDeploymentId, organizationId);
      await store.remove({ previewDeploymentId, organizationId });
      return present;
    },
  };
}
