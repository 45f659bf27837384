/** Networks without an owner that engines do not let go of, each with the organization of its machine. */
import { localServer } from '../../domain/names/server-key.ts';
import type { Host } from '../../ports/host/host.ts';
import type { SourcePorts } from './sources.ts';
import type { UnreachableParts } from './unreachable.ts';

export interface LeftNetworksParts extends Pick<UnreachableParts, 'servers' | 'installation'> {
  hosts: {
    all(): Promise<readonly (Pick<Host, 'key' | 'name'> & { networks: Pick<Host['networks'], 'left'> })[]>;
  };
}

/** Leaves out a server without a record, since no organization could be told. */
export function leftNetworksOf({
  hosts,
  servers,
  installation,
}: LeftNetworksParts): SourcePorts['leftNetworks'] {
  return async () => {
    const found = [];
    for (const { key, name, networks } of await hosts.all()) {
      const left = networks.left();
      if (left.length === 0) continue;
      const server = key === localServer ? undefined : await servers.find({ serverId: key });
      const organizationId = key === localServer ? await installation() : server?.organizationId;
      if (organizationId !== undefined)
        for (const { name: network, why } of left)
          found.push({ id: key, name: server?.name ?? name, organizationId, network, why });
    }
    return found;
  };
}
