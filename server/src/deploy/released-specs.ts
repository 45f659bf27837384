/** What was released of a service, and what Berth adds to it. */
import type { DeploymentRecord, TableRecord } from '../db/tables.ts';
import { localServer } from '../domain/names/server-key.ts';
import type { DeployedKind, ServiceRef } from '../domain/names/service-ref.ts';
import type { OwnMounts } from '../modules/host-reach/dangers.ts';
import type { ServiceSpec } from '../ports/engine/engine.ts';
import type { Host } from '../ports/host/host.ts';
import { readComposeSnapshot } from './compose/compose-snapshot.ts';
import { readSnapshot } from './snapshot.ts';

type ServerRecord = TableRecord<'server'>;

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

/**
 * The same for what runs on a server now: none of a release from before the record of the server became
 * another machine, which must not be taken for what runs there already.
 */
export function releasedOn(
  stores: ReleasedParts & {
    servers: { find(where: { serverId: string }): Promise<Pick<ServerRecord, 'machineSince'> | undefined> };
  },
  serverKey: string,
): (service: Pick<ServiceRef, 'kind'>, deploymentId: string) => Promise<ServiceSpec[]> {
  return async ({ kind }, deploymentId) => {
    const server = serverKey === localServer ? undefined : await stores.servers.find({ serverId: serverKey });
    const since = server?.machineSince ?? null;
    if (since !== null) {
      const deployment = await stores.deployments.find({ deploymentId });
      if (deployment === undefined || deployment.createdAt <= since) return [];
    }
    return releasedSpecs(stores, kind, deploymentId);
  };
}

/** What Berth itself mounts into services of a host. */
export function ownMounts({ folders, probePath }: Pick<Host, 'folders' | 'probePath'>): OwnMounts {
  return { probePath, keptFolder: folders.composes };
}
