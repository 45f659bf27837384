/** Which machines a name is to lead to: a server, those of a project's services, or of a host's service. */
import { serverIdOf } from '../../domain/names/server-key.ts';
import { isWithin } from '../../domain/routing/base-domain.ts';
import type { ClaimingPlace, LeadingMachine } from './base-domain.ts';
import type { BaseDomainStore, Machine } from './store.ts';

export interface MachinesDeps {
  store: Pick<BaseDomainStore, 'serversOf' | 'machines' | 'related'>;
  settings(): Promise<{ serverIp: string | null; cloud: boolean }>;
}

/** `counts`: which servers of the organization are taken into account; all unless given. */
export type MachinesOf = (
  place: ClaimingPlace | { serverIds: readonly (string | null)[] },
  organizationId: string,
  counts?: (machine: Machine) => boolean,
) => Promise<LeadingMachine[]>;

export function createMachinesOf({ store, settings }: MachinesDeps): MachinesOf {
  const standingOf = async (place: Parameters<MachinesOf>[0]): Promise<readonly (string | null)[]> => {
    if ('serverIds' in place) return place.serverIds;
    return 'serverId' in place ? [place.serverId] : store.serversOf(place.projectId);
  };
  return async (place, organizationId, counts = () => true) => {
    const { cloud, serverIp } = await settings();
    const servers = (await store.machines(organizationId)).filter(counts);
    const standing = await standingOf(place);
    // A project without services may get them on any of these.
    const every = [...(cloud ? [] : [null]), ...servers.map(({ serverId }) => serverId)];
    const wanted = new Set(standing.length > 0 ? standing : every);
    return [
      ...(wanted.has(null) ? [{ serverId: null, address: serverIp }] : []),
      ...servers
        .filter(({ serverId, clusterServerId }) => wanted.has(serverId) || wanted.has(clusterServerId ?? ''))
        .map(({ serverId, ipAddress }) => ({ serverId, address: ipAddress })),
    ];
  };
}

export interface LedTo {
  /** As ASCII. */
  host: string;
  organizationId: string;
  /** null: Berth's own machine; absent: nothing is said of it. */
  serverId?: string | null | undefined;
  projectId?: string | undefined;
}

export interface HostStores {
  baseDomains: MachinesDeps['store'];
  domains: { list(where: { organizationId: string; asciiHost: string }): Promise<{ serverKey: string }[]> };
}

/** Where a host is to lead when only it is named: to its own service, or to the services below its base. */
export function leadingToOf({ baseDomains, domains }: HostStores, settings: MachinesDeps['settings']) {
  const machinesOf = createMachinesOf({ store: baseDomains, settings });
  return async ({ host, organizationId, serverId, projectId }: LedTo): Promise<LeadingMachine[]> => {
    if (projectId !== undefined) return machinesOf({ projectId }, organizationId);
    if (serverId !== undefined) return machinesOf({ serverIds: [serverId] }, organizationId);
    const own = await domains.list({ organizationId, asciiHost: host });
    if (own.length > 0)
      return machinesOf({ serverIds: own.map(({ serverKey }) => serverIdOf(serverKey)) }, organizationId);
    const name = host.replace(/^\*\./, '');
    const base = (await baseDomains.related(name)).find(
      (held) => held.organizationId === organizationId && isWithin(held.domain, name),
    );
    if (!base) return machinesOf({ serverIds: [null] }, organizationId);
    const place = base.projectId === null ? { serverId: base.serverId ?? '' } : { projectId: base.projectId };
    return machinesOf(place, organizationId);
  };
}
