/**
 * Names of released services of compose services, for releases that were made before these were noted: taken
 * from the live release, once.
 */
import { readComposeSnapshot, releasedNames } from '../../deploy/compose/compose-snapshot.ts';
import type { Stores } from '../stores.ts';

export async function nameReleasedServices({
  composes,
  deployments,
}: Pick<Stores, 'composes' | 'deployments'>): Promise<void> {
  for (const { composeId, releasedServices, liveDeploymentId } of await composes.list({})) {
    if (releasedServices !== null || liveDeploymentId === null) continue;
    const snapshot = readComposeSnapshot(await deployments.find({ deploymentId: liveDeploymentId }));
    if (snapshot) await composes.update({ composeId }, { releasedServices: releasedNames(snapshot) });
  }
}
