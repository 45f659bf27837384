import type { NetworkState } from '../../../ports/engine/engine-network.ts';
import { networksAnswer } from '../services/answers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { isOwn, requireOwn } from '../services/ownership.ts';

/** How the parts of this adapter look at networks. */
export interface NetworkLookup {
  /** All networks, ours and others', that pass the engine's filters. */
  query(filters: Record<string, string[]>): Promise<NetworkState[]>;
  /** The network of exactly this name; throws CONFLICT when it is not ours. */
  find(name: string): Promise<NetworkState | undefined>;
}

/** `learn` is told of every network that was seen. */
export function createNetworkLookup(
  client: EngineClient,
  learn: (network: NetworkState) => void,
): NetworkLookup {
  async function query(filters: Record<string, string[]>): Promise<NetworkState[]> {
    const answers = await client.call(
      { method: 'GET', path: '/networks', query: { filters }, doing: 'listing networks' },
      networksAnswer,
    );
    return answers.map((answer) => {
      const subnets = answer.IPAM.Config.map(({ Subnet }) => Subnet).filter((subnet) => subnet !== '');
      const network = {
        id: answer.Id,
        name: answer.Name,
        labels: answer.Labels,
        // One of both families may have its IPv6 addresses first.
        subnet: subnets.find((subnet) => !subnet.includes(':')) ?? '',
        subnets,
      };
      learn(network);
      return network;
    });
  }
  return {
    query,
    async find(name) {
      const named = (await query({ name: [name] })).filter((network) => network.name === name);
      const found = named.find((network) => isOwn(client, network.labels)) ?? named[0];
      if (found !== undefined) requireOwn(client, found.labels, 'network', name);
      return found;
    },
  };
}
