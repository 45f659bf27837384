/** What pull requests, and people by hand, do to previews of applications. */
import type { ApplicationRecord } from '../../db/tables.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { previewRef } from '../../domain/names/service-ref.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Applications } from '../application/application.ts';
import type { Deployments } from '../deployment/deployment.ts';
import { renewedBy, type PreviewDeployments } from './preview-deployment.ts';
import type { RemovePreview } from './removal/preview-removal.ts';
import type { Made, PreviewKind } from './previewed.ts';
import type { PreviewDeploymentRecord } from './store.ts';

export interface ApplicationPreviewDeps {
  previews: PreviewDeployments;
  applications: Pick<Applications, 'find'>;
  deployments: Pick<Deployments, 'accept' | 'isWorking'>;
  remove: RemovePreview;
  changeRoutes: ChangeRoutes;
  /** Inside the transaction; CONFLICT when the organization may have no more. */
  withinQuota<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
}

export function createApplicationPreviews({
  previews,
  applications,
  deployments,
  remove,
  changeRoutes,
  withinQuota,
}: ApplicationPreviewDeps): PreviewKind<ApplicationRecord, PreviewDeploymentRecord> {
  return {
    service: applications.find,
    all: previews.all,
    ofPullRequest: previews.ofPullRequest,
    ofName: previews.ofName,
    countOf: previews.countOf,
    ref: ({ previewDeploymentId }) => previewRef(previewDeploymentId),
    async create(application, facts, accepting, { write, isSuperseded }) {
      const host = await previews.hostOf(application, facts);
      const make = async (): Promise<Made | undefined> => {
        if (await isSuperseded()) return undefined;
        const { previewDeploymentId } = await previews.create(application, facts, host);
        await deployments.accept(previewRef(previewDeploymentId), accepting);
        return { previewDeploymentId };
      };
      await changeRoutes(
        serverKeyOf(application),
        write,
        () => withinQuota(application.organizationId, make),
        { mayWait: true },
      );
    },
    async renew(_application, { previewDeploymentId }, facts, accepting) {
      await previews.patch(previewDeploymentId, { ...renewedBy(facts), image: facts.image });
      await deployments.accept(previewRef(previewDeploymentId), accepting);
    },
    isThere: async ({ previewDeploymentId, liveDeploymentId }) =>
      liveDeploymentId !== null || deployments.isWorking(previewRef(previewDeploymentId)),
    remove,
  };
}
