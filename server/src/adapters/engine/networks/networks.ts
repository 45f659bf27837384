import { managedLabel } from '../../../domain/names/labels.ts';
import { AppError } from '../../../domain/errors.ts';
import type { NetworkSpec, NetworkState, SubnetChoice } from '../../../ports/engine/engine-network.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { attach, detach } from './network-attachment.ts';
import { ensureNetwork } from './network-creation.ts';
import { createNetworkLookup } from './network-lookup.ts';
import { removeNetwork } from './network-removal.ts';
import { isOwn } from '../services/ownership.ts';

export interface Networks {
  ensure(network: NetworkSpec, choice?: SubnetChoice): Promise<void>;
  list(): Promise<NetworkState[]>;
  remove(name: string): Promise<void>;
  connect(containerId: string, network: string): Promise<void>;
  disconnect(containerId: string, network: string): Promise<void>;
  /** Names of networks by id, in the order of the ids; an unknown id stands for itself. */
  namesOf(ids: readonly string[]): Promise<string[]>;
}

export function createNetworks(client: EngineClient): Networks {
  /** A network never changes its name, so what was learnt stays true. */
  const nameOfId = new Map<string, string>();
  const lookup = createNetworkLookup(client, (network) => nameOfId.set(network.id, network.name));
  return {
    ensure: (network, choice) => ensureNetwork(client, lookup, network, choice),
    list: async () =>
      (await lookup.query({ label: [`${managedLabel}=true`] })).filter(({ labels }) => isOwn(client, labels)),
    remove: (name) => removeNetwork(client, lookup, name),
    async connect(containerId, name) {
      const network = await lookup.find(name);
      if (network === undefined)
        throw new AppError('NOT_FOUND', `The engine has no network named ${name} to attach a container to.`);
      await attach(client, containerId, network);
    },
    async disconnect(containerId, name) {
      const network = await lookup.find(name);
      if (network !== undefined) await detach(client, containerId, network);
    },
    async namesOf(ids) {
      if (ids.some((id) => !nameOfId.has(id))) await lookup.query({ driver: ['overlay'] });
      return ids.map((id) => nameOfId.get(id) ?? id);
    },
  };
}
