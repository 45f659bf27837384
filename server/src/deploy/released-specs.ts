/** What was released of a service, and what Berth adds to it. */
import type { DeploymentRecord } from '../db/tables.ts';
import type { DeployedKind } from '../domain/names/service-ref.ts';
import type { OwnMounts } from '../modules/host-reach/dangers.ts';
import type { ServiceSpec } from '../ports/engine/engine.ts';
import type { Host } from '../ports/host/host.ts';
import { readComposeSnapshot } from './compose/compose-snapshot.ts';
import { readSnapshot } from './snapshot.ts';

export interface ReleasedParts {
  deployments: { find(where: { deploymentId: string }): Promise<DeploymentRecord | undefined> };
}

/** What a release that has ended well runs; none when it is not known. */
export async function releasedSpecs(
  { deployments }: ReleasedParts,
  kind: DeployedKind,
  deploymentId: string,
): Promise<ServiceSpec[]> {
  const deployment = await deployments.find({ deploymentId });
  if (kind === 'compose') return readComposeSnapshot(deployment)?.services.map(({ spec }) => spec) ?? [];
  const snapshot = readSnapshot(deployment);
  return snapshot ? [snapshot.spec] : [];
}

/** What Berth itself mounts into services of a host. */
export function ownMounts({ folders, probePath }: Pick<Host, 'folders' | 'probePath'>): OwnMounts {
  return { probePath, keptFolder: folders.composes };
}
