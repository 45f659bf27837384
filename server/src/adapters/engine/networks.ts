import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { NetworkSpec, NetworkState } from '../../ports/engine.ts';
import { managedLabel } from '../../ports/engine.ts';
import { networksAnswer } from './answers.ts';
import type { EngineClient } from './engine-client.ts';
import { segment } from './engine-client.ts';
import { EngineRefusal, isAbsent } from './engine-error.ts';
import { managed, requireManaged } from './labels.ts';
import { subnetsOverlap } from './subnet.ts';

/** A network stays "in use" for a moment after its last task ended; so long is its removal tried again. */
const releaseLimitMs = 15_000;
const releasePauseMs = 300;

/** Swarm gives a new network its addresses a moment later. */
const allocationLimitMs = 10_000;
const allocationPauseMs = 30;

/** Attaching a container to an overlay waits for the manager; the engine itself gives up after 20 s. */
const attachLimitMs = 30_000;

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

  async function query(filters: Record<string, string[]>): Promise<NetworkState[]> {
    const answers = await client.call({ method: 'GET', path: '/networks', query: { filters }, doing: 'listing networks' }, networksAnswer);
    return answers.map((answer) => {
      nameOfId.set(answer.Id, answer.Name);
      return { id: answer.Id, name: answer.Name, labels: answer.Labels, subnet: answer.IPAM.Config[0]?.Subnet ?? '' };
    });
  }

  /** The network of exactly this name; throws CONFLICT when it is not ours. */
  async function find(name: string): Promise<NetworkState | undefined> {
    const named = (await query({ name: [name] })).filter((network) => network.name === name);
    const found = named.find((network) => network.labels[managedLabel] === 'true') ?? named[0];
    if (found !== undefined) requireManaged(found.labels, 'network', name);
    return found;
  }

  /** Swarm takes an overlapping subnet without a word, and no task on such a network ever starts (measured on 20.10). */
  async function refuseOverlap({ name, subnet }: NetworkSpec): Promise<void> {
    const other = (await query({})).find((network) => network.name !== name && subnetsOverlap(network.subnet, subnet));
    if (other === undefined) return;
    throw new AppError('CONFLICT', `The network ${name} cannot have the addresses ${subnet}: the engine's network ${other.name} has ${other.subnet}. Choose another range in the settings.`);
  }

  async function create(network: NetworkSpec): Promise<void> {
    try {
      await client.send({ method: 'POST', path: '/networks/create', body: overlay(network), doing: `making the network ${network.name}` });
    } catch (error) {
      const madeMeanwhile = error instanceof EngineRefusal && /already exists/i.test(error.words) && (await find(network.name));
      if (!madeMeanwhile) throw error;
    }
  }

  async function untilAllocated({ name, subnet }: NetworkSpec): Promise<void> {
    const end = performance.now() + allocationLimitMs;
    for (;;) {
      const network = await find(name);
      if (network !== undefined && isAllocated(network)) return;
      if (performance.now() > end) {
        await client.send({ method: 'DELETE', path: `/networks/${segment(network?.id ?? name)}`, doing: `removing the network ${name}` }).catch(allow(/not found|no such/i));
        throw new AppError('CONFLICT', `The engine gave the network ${name} no addresses of ${subnet}, so it was not made; see the engine's log for the reason.`);
      }
      await sleep(allocationPauseMs);
    }
  }

  async function attachment(action: 'connect' | 'disconnect', containerId: string, name: string): Promise<void> {
    const network = await find(name);
    if (network === undefined && action === 'disconnect') return;
    const body = action === 'connect' ? { Container: containerId } : { Container: containerId, Force: true };
    const doing = action === 'connect' ? `attaching a container to the network ${name}` : `detaching a container from the network ${name}`;
    await client.send({ method: 'POST', path: `/networks/${segment(network?.id ?? name)}/${action}`, body, doing, limitMs: attachLimitMs });
  }

  return {
    async ensure(network) {
      const present = await find(network.name);
      if (present !== undefined && isAllocated(present)) return;
      await refuseOverlap(network);
      if (present === undefined) await create(network);
      await untilAllocated(network);
    },
    list: () => query({ label: [`${managedLabel}=true`] }),
    async remove(name) {
      const network = await find(name);
      if (network !== undefined) await removeWhenFree(client, network);
    },
    connect: (containerId, network) => attachment('connect', containerId, network).catch(allow(/already exists in network|already attached/i)),
    disconnect: (containerId, network) => attachment('disconnect', containerId, network).catch(allow(/is not connected/i)),
    async namesOf(ids) {
      if (ids.some((id) => !nameOfId.has(id))) await query({ driver: ['overlay'] });
      return ids.map((id) => nameOfId.get(id) ?? id);
    },
  };
}

/** Swarm shows no subnet for a network that has no addresses. */
function isAllocated(network: NetworkState): boolean {
  return network.subnet !== '';
}

function overlay(network: NetworkSpec) {
  return { Name: network.name, Driver: 'overlay', Attachable: true, CheckDuplicate: true, IPAM: { Config: [{ Subnet: network.subnet }] }, Labels: managed(network.labels) };
}

async function removeWhenFree(client: EngineClient, network: NetworkState): Promise<void> {
  const end = performance.now() + releaseLimitMs;
  for (;;) {
    try {
      await client.send({ method: 'DELETE', path: `/networks/${segment(network.id)}`, doing: `removing the network ${network.name}` });
      return;
    } catch (error) {
      if (isAbsent(error)) return;
      const isBusy = error instanceof EngineRefusal && /in use by task|active endpoints/i.test(error.words);
      if (!isBusy || performance.now() > end) throw error;
      await sleep(releasePauseMs);
    }
  }
}

/** Takes a refusal whose words say that there is nothing left to do. */
function allow(words: RegExp): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof EngineRefusal && words.test(error.words))) throw error;
  };
}
