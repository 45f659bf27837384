/**
 * Hides services from what the engine of an organization's server shows. Root on that server can give a
 * service any label, also one that claims to be a service of another organization; Berth must not believe it.
 */
import { localServer } from '../../domain/names/server-key.ts';
import { ownerOfLabels, serviceKey, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';
import type { Approvals } from '../../modules/host-reach/host-reach.ts';

export interface OwnServicesParts {
  /** The organization of the server. */
  organizationId(): Promise<string | undefined>;
  /** The organization of a service, which never changes; undefined when there is no such service. */
  organizationOf(service: ServiceRef): Promise<string | undefined>;
}

/** The engine without the services that claim to be another organization's. */
export function engineOfOrganization(engine: Engine, parts: OwnServicesParts): Engine {
  const known = new Map<string, string>();
  async function organizationOf(service: ServiceRef): Promise<string | undefined> {
    const key = serviceKey(service);
    const found = known.get(key) ?? (await parts.organizationOf(service));
    if (found !== undefined) known.set(key, found);
    return found;
  }
  async function isOwn({ labels }: { labels: Readonly<Record<string, string>> }): Promise<boolean> {
    const owner = ownerOfLabels(labels);
    const organization = owner && (await organizationOf(owner));
    // What belongs to no service, or to a deleted one, is shown, so that it can be cleaned up.
    return organization === undefined || organization === (await parts.organizationId());
  }
  async function own<T>(all: readonly T[], labelled: (one: T) => Parameters<typeof isOwn>[0]): Promise<T[]> {
    const kept: T[] = [];
    for (const one of all) if (await isOwn(labelled(one))) kept.push(one);
    return kept;
  }
  return {
    ...engine,
    services: async () => own(await engine.services(), (one) => one),
    servicesWithTasks: async () => own(await engine.servicesWithTasks(), ({ service }) => service),
    async service(name) {
      const found = await engine.service(name);
      return found && (await isOwn(found)) ? found : undefined;
    },
    async serviceWithTasks(name) {
      const found = await engine.serviceWithTasks(name);
      return !found.service || (await isOwn(found.service)) ? found : { service: undefined, tasks: [] };
    },
  };
}

interface Find<W, R> {
  find(where: W): Promise<R | undefined>;
}

export interface SeenParts {
  approvals: Pick<Approvals, 'find'>;
  stores: {
    servers: Find<{ serverId: string }, { organizationId: string }>;
    applications: Find<{ applicationId: string }, { organizationId: string }>;
    previewDeployments: Find<{ previewDeploymentId: string }, { applicationId: string }>;
  };
}

/**
 * Root of Berth's own machine is trusted with all services, root of a server only with its organization's.
 */
export function seenEngine(
  { engine, key }: Pick<Host, 'engine' | 'key'>,
  { approvals, stores }: SeenParts,
  ownServices: typeof engineOfOrganization,
): Engine {
  if (key === localServer) return engine;
  let organizationId: string | undefined;
  return ownServices(engine, {
    organizationId: async () =>
      (organizationId ??= (await stores.servers.find({ serverId: key }))?.organizationId),
    async organizationOf(service) {
      if (service.kind !== 'previewDeployment') return (await approvals.find(service))?.organizationId;
      const preview = await stores.previewDeployments.find({ previewDeploymentId: service.serviceId });
      const { applicationId } = preview ?? {};
      return applicationId && (await stores.applications.find({ applicationId }))?.organizationId;
    },
  });
}
