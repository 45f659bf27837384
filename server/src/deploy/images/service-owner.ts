/** Whose a service is. */
import type { ApplicationRecord, TableRecord } from '../../db/tables.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import type { Approvals } from '../../modules/host-reach/host-reach.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';
import type { engineOfOrganization } from './own-services.ts';

export interface OwnerParts {
  approvals: Pick<Approvals, 'find'>;
  stores: {
    applications: { find(where: { applicationId: string }): Promise<ApplicationRecord | undefined> };
    previewDeployments: {
      find(where: { previewDeploymentId: string }): Promise<TableRecord<'preview_deployment'> | undefined>;
    };
    servers: { find(where: { serverId: string }): Promise<TableRecord<'server'> | undefined> };
  };
}

/** Root of Berth's own machine is trusted with all services; root of a server with its organization's. */
export function seenEngine(
  { engine, key }: Pick<Host, 'engine' | 'key'>,
  parts: OwnerParts,
  ownServices: typeof engineOfOrganization,
): Engine {
  if (key === localServer) return engine;
  let organizationId: string | undefined;
  return ownServices(engine, {
    organizationId: async () =>
      (organizationId ??= (await parts.stores.servers.find({ serverId: key }))?.organizationId),
    organizationOf: (service) => organizationOf(service, parts),
  });
}

async function organizationOf(
  service: ServiceRef,
  { approvals, stores }: OwnerParts,
): Promise<string | undefined> {
  if (service.kind !== 'previewDeployment') return (await approvals.find(service))?.organizationId;
  const preview = await stores.previewDeployments.find({ previewDeploymentId: service.serviceId });
  const application = preview && (await stores.applications.find({ applicationId: preview.applicationId }));
  return application?.organizationId;
}
