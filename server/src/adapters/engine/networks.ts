import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { NetworkSpec, NetworkState } from '../../ports/engine.ts';
import { managedLabel } from '../../ports/engine.ts';
import { networksAnswer } from './answers.ts';
import type { EngineClient } from './engine-client.ts';
import { segment } from './engine-client.ts';
import { EngineRefusal, isAbsent } from './engine-error.ts';
import { requireManaged } from './labels.ts';
import { attach, detach } from './network-attachment.ts';
import { ensureNetwork } from './network-creation.ts';

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

/** How the parts of this adapter look at networks. */
export interface NetworkLookup {
  /** All networks, ours and others', that pass the engine's filters. */
  query(filters: Record<string, string[]>): Promise<NetworkState[]>;
  /** The network of exactly this name; throws CONFLICT when it is not ours. */
  find(name: string): Promise<NetworkState | undefined>;
}

export function createNetworks(client: EngineClient): Networks {
  /** A network never changes its name, so what was learnt stays true. */
  const nameOfId = new Map<string, string>();
  const lookup = createLookup(client, (network) => nameOfId.set(network.id, network.name));
  return {
    ensure: (network) => ensureNetwork(client, lookup, network),
    list: () => lookup.query({ label: [`${managedLabel}=true`] }),
    async remove(name) {
      const network = await lookup.find(name);
      if (network !== undefined) await removeWhenFree(client, network);
    },
    async connect(containerId, name) {
      const network = await lookup.find(name);
      if (network === undefined) throw new AppError('NOT_FOUND', `The engine has no network named ${name} to attach a container to.`);
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

function createLookup(client: EngineClient, learn: (network: NetworkState) => void): NetworkLookup {
  async function query(filters: Record<string, string[]>): Promise<NetworkState[]> {
    const answers = await client.call({ method: 'GET', path: '/networks', query: { filters }, doing: 'listing networks' }, networksAnswer);
    return answers.map((answer) => {
      const network = { id: answer.Id, name: answer.Name, labels: answer.Labels, subnet: answer.IPAM.Config[0]?.Subnet ?? '' };
      learn(network);
      return network;
    });
  }
  return {
    query,
    async find(name) {
      const named = (await query({ name: [name] })).filter((network) => network.name === name);
      const found = named.find((network) => network.labels[managedLabel] === 'true') ?? named[0];
      if (found !== undefined) requireManaged(found.labels, 'network', name);
      return found;
    },
  };
}

async function removeWhenFree(client: EngineClient, network: NetworkState): Promise<void> {
  const end = performance.now() + releaseLimitMs;
  for (;;) {
    try {
      await client.send({ method: 'DELETE', path: `/networks/${segment(network.id)}`, doing: `removing the network ${network.name}` });
      return;
    } catch (error) {
      if (isAbsent(error)) return;
      const isEnding = error instanceof EngineRefusal && /in use by task|active endpoints/i.test(error.words);
      if (!isEnding || performance.now() > end) throw error;
      await sleep(releasePauseMs);
    }
  }
}
