/**
 * Stores the names of the services that a compose service has released, for releases from before Berth stored
 * them: read once from the live release.
 */
import { readComposeSnapshot, releasedNames } from './compose-snapshot.ts';
import type { ComposeRecord, DeploymentRecord } from '../../db/tables.ts';

export async function nameReleasedServices({
  composes,
  deployments,
}: {
  composes: {
    list(where: object): Promise<ComposeRecord[]>;
    update(where: { composeId: string }, patch: Pick<ComposeRecord, 'releasedServices'>): Promise<unknown>;
  };
  deployments: { find(where: { deploymentId: string }): Promise<DeploymentRecord | undefined> };
}): Promise<void> {
  for (const { composeId, releasedServices, liveDeploymentId } of await composes.list({})) {
    if (releasedServices !== null || liveDeploymentId === null) continue;
    const snapshot = readComposeSnapshot(await deployments.find({ deploymentId: liveDeploymentId }));
    if (snapshot) await composes.update({ composeId }, { releasedServices: releasedNames(snapshot) });
  }
}
