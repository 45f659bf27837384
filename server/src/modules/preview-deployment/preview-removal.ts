/** The end of a preview: its deployments, service, image, volumes, domain, record (interface document, previewDeployment.delete). */
import type { ApplicationRecord } from '../../db/tables.ts';
import { previewRef, type ServiceRef } from '../../domain/service-ref.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { Engine } from '../../ports/engine.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Deployments } from '../deployment/deployment.ts';
import { awaitAbandoned, removeFromEngine } from '../service/own-service.ts';
import type { Turns } from '../service/turns.ts';
import type { PreviewComments } from './preview-comments.ts';
import type { PreviewDeployments } from './preview-deployment.ts';
import type { PreviewDeploymentRecord } from './store.ts';

/** Fit to run again after a crash: the record goes last. `write` is the transaction of the record's removal. */
export type RemovePreview = (
  application: ApplicationRecord,
  preview: PreviewDeploymentRecord,
  write: <R>(work: () => Promise<R>) => Promise<R>,
) => Promise<void>;

export interface RemovalNeighbours {
  previews: Pick<PreviewDeployments, 'remove'>;
  deployments: Pick<Deployments, 'cancelQueued' | 'all'>;
  builds: { end(service: ServiceRef, reason: string): Promise<void> };
  comments: Pick<PreviewComments, 'tellRemoved'>;
  engine: Engine;
  turns: Turns;
  logs: Pick<DeploymentLogs, 'remove'>;
  changeRoutes: ChangeRoutes;
}

export function createRemovePreview({
  previews,
  deployments,
  builds,
  comments,
  engine,
  turns,
  logs,
  changeRoutes,
}: RemovalNeighbours): RemovePreview {
  return async (application, preview, write) => {
    const { previewDeploymentId, organizationId } = preview;
    const service = previewRef(previewDeploymentId);
    // First what waits: it would begin as soon as what runs has ended.
    await deployments.cancelQueued(service, async () => false);
    await builds.end(service, 'The preview is being removed.');
    const past = await deployments.all(service);
    await comments.tellRemoved(application, preview);
    // The reconciler would make a service again whose record still stands.
    await turns.take(previewDeploymentId, async () => {
      await awaitAbandoned(engine, service);
      await removeFromEngine(engine, service, { deleteVolumes: true });
      await changeRoutes(write, () => previews.remove(previewDeploymentId, organizationId), {
        mayWait: true,
      });
    });
    for (const { deploymentId } of past) await logs.remove(deploymentId);
  };
}
