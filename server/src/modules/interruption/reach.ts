/** Whether the server of a service answers, asked before a removal ends anything. */
import type { TableRecord } from '../../db/tables.ts';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import type { Hosts } from '../../ports/host/host.ts';
import type { Deployments } from '../deployment/deployment.ts';

type Placed = Pick<TableRecord<'application'>, 'serverId'>;

export interface ReachDeps {
  hosts: Pick<Hosts, 'find'>;
  deployments: Pick<Deployments, 'all'>;
  stores: {
    applications: { find(where: { applicationId: string }): Promise<Placed | undefined> };
    databases: { find(where: { databaseId: string }): Promise<Placed | undefined> };
    composes: { find(where: { composeId: string }): Promise<Placed | undefined> };
    previewDeployments: {
      find(where: { previewDeploymentId: string }): Promise<{ applicationId: string } | undefined>;
    };
  };
}

/**
 * Throws SERVICE_UNAVAILABLE with the reason and the way on. A service without a deployment stands nowhere,
 * and Berth's own machine always answers.
 */
export function createRequireReach(deps: ReachDeps): (service: ServiceRef) => Promise<void> {
  return async (service) => {
    const placed = await placeOf(deps.stores, service);
    if (!placed || placed.serverId === null || (await deps.deployments.all(service)).length === 0) return;
    const host = await deps.hosts.find(serverKeyOf(placed));
    if (!host) return;
    try {
      await host.engine.services();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new AppError(
        error.code,
        `${sentenceOf(error)} Nothing was changed. If the server does not come back, server.forget removes ` +
          'its record and the records of what stood there, without reaching it.',
        { cause: error },
      );
    }
  };
}

async function placeOf(
  stores: ReachDeps['stores'],
  { kind, serviceId }: ServiceRef,
): Promise<Placed | undefined> {
  if (kind === 'database') return stores.databases.find({ databaseId: serviceId });
  if (kind === 'compose') return stores.composes.find({ composeId: serviceId });
  if (kind === 'application') return stores.applications.find({ applicationId: serviceId });
  const preview = await stores.previewDeployments.find({ previewDeploymentId: serviceId });
  return preview && stores.applications.find({ applicationId: preview.applicationId });
}
