/** Queued deployments of pushes that another one makes needless: a branch deploys its newest commit. */
import type { DeploymentRecord } from '../../db/tables.ts';
import { ownerColumns, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { DeploymentStore } from './store.ts';

type Store = Pick<DeploymentStore, 'find' | 'list' | 'transition'>;

/** Ends those that were queued for earlier pushes; part of the transaction that accepts a later push. */
export async function replaceEarlierPushes(
  store: Store,
  service: ServiceRef,
  later: Pick<DeploymentRecord, 'deploymentId' | 'createdAt'>,
): Promise<void> {
  const reason = `A later push is deployed in its place (deployment ${later.deploymentId}).`;
  for (const { deploymentId } of await queuedPushes(store, service))
    if (deploymentId !== later.deploymentId)
      await store.transition(deploymentId, 'cancelled', {
        errorMessage: reason,
        finishedAt: later.createdAt,
      });
}

/** Ends those whose commit has just been deployed; part of the transaction that ends the deployment. */
export async function endDeployedPushes(
  store: Store,
  service: ServiceRef,
  ended: { deploymentId: string; finishedAt: string },
): Promise<void> {
  const waiting = await queuedPushes(store, service);
  if (waiting.length === 0) return;
  const commit = (await store.find({ deploymentId: ended.deploymentId }))?.commit;
  for (const { deploymentId, pushedCommit } of waiting)
    if (pushedCommit === commit)
      await store.transition(deploymentId, 'cancelled', {
        errorMessage: `Its commit was deployed by the deployment that was under way (${ended.deploymentId}).`,
        finishedAt: ended.finishedAt,
      });
}

const queuedPushes = async (store: Store, service: ServiceRef): Promise<DeploymentRecord[]> =>
  (await store.list({ ...ownerColumns(service), status: 'queued' })).filter(
    ({ pushedCommit }) => pushedCommit !== null,
  );
