import { managedLabel } from '../../../domain/names/labels.ts';
import { AppError } from '../../../domain/errors.ts';
import type { NetworkSpec, NetworkState } from '../../../ports/engine/engine.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { EngineRefusal, isAbsent } from '../client/engine-error.ts';
import { attach, detach } from './network-attachment.ts';
import { ensureNetwork } from './network-creation.ts';
import { createNetworkLookup } from './network-lookup.ts';
import { waitUntilSo } from '../../../ports/wait-until.ts';

/** A network stays "in use" for a moment after its last task ended; so long is its removal tried again. */
const releaseLimitMs = 15_000;
const releasePauseMs = 300;

export interface Networks {
  ensure(network: NetworkSpec): Promise<void>;
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
    ensure: (network) => ensureNetwork(client, lookup, network),
    list: () => lookup.query({ label: [`${managedLabel}=true`] }),
    async remove(name) {
      const network = await lookup.find(name);
      if (network !== undefined) await removeWhenFree(client, network);
    },
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

async function removeWhenFree(client: EngineClient, network: NetworkState): Promise<void> {
  let refusal: unknown;
  const remove = async (): Promise<boolean> => {
    try {
      await client.send({
        method: 'DELETE',
        path: `/networks/${segment(network.id)}`,
        doing: `removing the network ${network.name}`,
      });
      return true;
    } catch (error) {
      if (isAbsent(error)) return true;
      if (!(error instanceof EngineRefusal && /in use by task|active endpoints/i.test(error.words)))
        throw error;
      refusal = error;
      return false;
    }
  };
  if (!(await waitUntilSo(remove, { everyMs: releasePauseMs, limitMs: releaseLimitMs }))) throw refusal;
}
