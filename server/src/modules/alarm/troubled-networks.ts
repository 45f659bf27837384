/** Networks that something is wrong with, each with the organization of its machine. */
import { routeName } from '../../domain/network/routes.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { Host, HostNetworks, LeftNetwork } from '../../ports/host/host.ts';
import type { SourcePorts } from './sources.ts';
import type { UnreachableParts } from './unreachable.ts';

export interface TroubledNetworksParts extends Pick<UnreachableParts, 'servers' | 'installation'> {
  hosts: {
    all(): Promise<readonly (Pick<Host, 'key' | 'name'> & { networks: Looks })[]>;
  };
}

type Looks = Pick<HostNetworks, 'left' | 'shadowing'>;

/** Networks without an owner that engines do not let go of. */
export const leftNetworksOf = (parts: TroubledNetworksParts): SourcePorts['leftNetworks'] =>
  troubledNetworks(parts, (networks) => networks.left());

/** Networks that hide what a route of their machine leads to. */
export const shadowingNetworksOf = (parts: TroubledNetworksParts): SourcePorts['shadowingNetworks'] =>
  troubledNetworks(parts, (networks) =>
    networks.shadowing().map(({ name, subnet, route }) => ({
      name,
      why: `has the addresses ${subnet}, and ${routeName(route)} of its machine leads there too`,
    })),
  );

/** Leaves out a server without a record, since no organization could be told. */
function troubledNetworks(
  { hosts, servers, installation }: TroubledNetworksParts,
  look: (networks: Looks) => readonly LeftNetwork[],
): SourcePorts['leftNetworks'] {
  return async () => {
    const found = [];
    for (const { key, name, networks } of await hosts.all()) {
      const left = look(networks);
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
