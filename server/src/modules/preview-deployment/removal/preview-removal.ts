/**
 * The end of a preview: its deployments, service, image, volumes, domain, record (interface document,
 * previewDeployment.delete).
 */
import type { ApplicationRecord } from '../../../db/tables.ts';
import { serverKeyOf } from '../../../domain/names/server-key.ts';
import { previewRef } from '../../../domain/names/service-ref.ts';
import type { DeploymentLogs } from '../../../ports/deployment-log.ts';
import type { Hosts } from '../../../ports/host/host.ts';
import type { ChangeRoutes } from '../../../ports/proxy.ts';
import type { Deployments } from '../../deployment/deployment.ts';
import type { Interruption } from '../../interruption/interruption.ts';
import { awaitAbandoned, removeFromEngine } from '../../service/own-service.ts';
import type { RemovePreviewDatabases } from '../databases/removal.ts';
import type { PreviewComments } from '../preview-comments.ts';
import type { PreviewDeployments } from '../preview-deployment.ts';
import type { RemovedBy } from '../previewed.ts';
import type { PreviewDeploymentRecord } from '../store.ts';

/**
 * Fit to run again after a crash: the record goes last. `write` is the transaction of the record's removal.
 */
export type RemovePreview = (
  application: ApplicationRecord,
  preview: PreviewDeploymentRecord,
  by: RemovedBy,
) => Promise<void>;

export interface RemovalNeighbours {
  previews: Pick<PreviewDeployments, 'remove'>;
  deployments: Pick<Deployments, 'all'>;
  interruption: Pick<Interruption, 'endThen'>;
  comments: Pick<PreviewComments, 'tellRemoved'>;
  removeDatabases: RemovePreviewDatabases;
  hosts: Hosts;
  logs: Pick<DeploymentLogs, 'remove'>;
  changeRoutes: ChangeRoutes;
}

export function createRemovePreview({
  previews,
  deployments,
  interruption,
  comments,
  removeDatabases,
  hosts,
  logs,
  changeRoutes,
}: RemovalNeighbours): RemovePreview {
  return async (application, preview, { write, userId }) => {
    const { previewDeploymentId, organizationId } = preview;
    const service = previewRef(previewDeploymentId);
    // In its turn: the reconciler would make a service again whose record still stands.
    const past = await interruption.endThen(service, { operation: 'delete', userId }, async () => {
      const all = await deployments.all(service);
      await comments.tellRemoved(application, preview);
      const serverKey = serverKeyOf(application);
      const host = await hosts.find(serverKey);
      if (host) {
        await awaitAbandoned(host.engine, service);
        await removeFromEngine(host.engine, service, { deleteVolumes: true });
      }
      await removeDatabases(previewDeploymentId, userId);
      const remove = () => previews.remove(previewDeploymentId, organizationId);
      await changeRoutes(serverKey, write, remove, { mayWait: true });
      return all;
    });
    for (const { deploymentId } of past) await logs.remove(deploymentId);
  };
}

/** Every preview of an application, which is being deleted. */
export function createRemovePreviews(
  previews: Pick<PreviewDeployments, 'byApplication'>,
  remove: RemovePreview,
  write: RemovedBy['write'],
): (application: ApplicationRecord) => Promise<void> {
  return async (application) => {
    const { applicationId, organizationId } = application;
    for (const preview of await previews.byApplication(applicationId, organizationId))
      await remove(application, preview, { write });
  };
}
