/** What pull requests do to previews of applications. */
import type { ApplicationRecord } from '../../db/tables.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { previewRef } from '../../domain/names/service-ref.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Applications } from '../application/application.ts';
import type { Deployments } from '../deployment/deployment.ts';
import type { PreviewDeployments } from './preview-deployment.ts';
import type { RemovePreview } from './preview-removal.ts';
import type { PreviewKind } from './previewed.ts';
import type { PreviewDeploymentRecord } from './store.ts';

export interface ApplicationPreviewDeps {
  previews: PreviewDeployments;
  applications: Pick<Applications, 'find'>;
  deployments: Pick<Deployments, 'accept' | 'isWorking'>;
  remove: RemovePreview;
  changeRoutes: ChangeRoutes;
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Inside the transaction; CONFLICT when the organization may have no more. */
  withinQuota<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
}

export function createApplicationPreviews({
  previews,
  applications,
  deployments,
  remove,
  changeRoutes,
  transaction,
  withinQuota,
}: ApplicationPreviewDeps): PreviewKind<ApplicationRecord, PreviewDeploymentRecord> {
  return {
    service: applications.find,
    all: previews.all,
    ofPullRequest: previews.ofPullRequest,
    countOf: previews.countOf,
    async create(application, facts, accepting, isSuperseded) {
      const host = await previews.hostOf(application, facts.number);
      const make = async (): Promise<void> => {
        if (await isSuperseded()) return;
        const { previewDeploymentId } = await previews.create(application, facts, host);
        await deployments.accept(previewRef(previewDeploymentId), accepting);
      };
      await changeRoutes(
        serverKeyOf(application),
        transaction,
        () => withinQuota(application.organizationId, make),
        { mayWait: true },
      );
    },
    async renew(_application, { previewDeploymentId }, facts, accepting) {
      const { commit, headBranch: branch, isTrusted } = facts;
      await previews.patch(previewDeploymentId, { commit, branch, isTrusted });
      await deployments.accept(previewRef(previewDeploymentId), accepting);
    },
    isThere: async ({ previewDeploymentId, liveDeploymentId }) =>
      liveDeploymentId !== null || deployments.isWorking(previewRef(previewDeploymentId)),
    remove,
  };
}
