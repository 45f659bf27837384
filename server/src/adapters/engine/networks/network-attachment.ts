import { AppError } from '../../../domain/errors.ts';
import { taskIdLabel } from '../../../domain/names/labels.ts';
import type { NetworkState } from '../../../ports/engine/engine-network.ts';
import { containerAnswer, networkMembersAnswer } from '../services/answers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { allowRefusal, EngineRefusal } from '../client/engine-error.ts';
import { attachmentAddresses } from './subnet.ts';

/** Attaching to an overlay may wait for the manager; the engine itself gives up after 20 s. */
const attachLimitMs = 30_000;

/** So many addresses are tried; each may be held by a container that is just ending. */
const addressesTried = 8;

/**
 * Attaches a running container. For a service task's container the engine chooses an address without asking
 * Swarm, which would then give the same one to a task ("Address already in use", measured on 20.10); so it
 * gets one of the network's upper half, which Swarm does not use. Throws NOT_FOUND also for a service task's
 * container while nothing on its node uses the network: the engine brings a network up for its first task
 * there, and not for this.
 */
export async function attach(
  client: EngineClient,
  containerId: string,
  network: NetworkState,
): Promise<void> {
  const path = `/containers/${segment(containerId)}/json`;
  const container = await client.call(
    { method: 'GET', path, doing: `reading a container for the network ${network.name}` },
    containerAnswer,
  );
  if (network.name in (container.NetworkSettings.Networks ?? {})) return;
  const isTask = taskIdLabel in container.Config.Labels;
  const addresses = isTask ? await freeAddresses(client, network) : [];
  if (addresses.length === 0) return connect(client, containerId, network, undefined);
  for (const address of addresses) {
    if (await connects(client, containerId, network, address)) return;
  }
  throw new AppError(
    'CONFLICT',
    `The network ${network.name} has no free address for a container that is attached to it (tried ` +
      `${addresses.join(', ')}).`,
  );
}

/** Detaches a container; one that is not attached is no error. */
export async function detach(
  client: EngineClient,
  containerId: string,
  network: NetworkState,
): Promise<void> {
  const body = { Container: containerId, Force: true };
  const doing = `detaching a container from the network ${network.name}`;
  await client
    .send({
      method: 'POST',
      path: `/networks/${segment(network.id)}/disconnect`,
      body,
      doing,
      limitMs: attachLimitMs,
    })
    .catch(allowRefusal(/is not connected/i));
}

async function freeAddresses(client: EngineClient, network: NetworkState): Promise<string[]> {
  const path = `/networks/${segment(network.id)}`;
  const { Containers: members } = await client.call(
    { method: 'GET', path, doing: `reading the network ${network.name}` },
    networkMembersAnswer,
  );
  const taken = new Set(Object.values(members ?? {}).map((member) => member.IPv4Address.split('/')[0]));
  return attachmentAddresses(network.subnet, addressesTried).filter((address) => !taken.has(address));
}

/** False when another endpoint has the address after all. */
async function connects(
  client: EngineClient,
  containerId: string,
  network: NetworkState,
  address: string,
): Promise<boolean> {
  try {
    await connect(client, containerId, network, address);
    return true;
  } catch (error) {
    if (error instanceof EngineRefusal && /address already in use/i.test(error.words)) return false;
    throw error;
  }
}

async function connect(
  client: EngineClient,
  containerId: string,
  network: NetworkState,
  address: string | undefined,
): Promise<void> {
  const endpoint = address === undefined ? {} : { EndpointConfig: { IPAMConfig: { IPv4Address: address } } };
  const doing = `attaching a container to the network ${network.name}`;
  await client
    .send({
      method: 'POST',
      path: `/networks/${segment(network.id)}/connect`,
      body: { Container: containerId, ...endpoint },
      doing,
      limitMs: attachLimitMs,
    })
    .catch(allowRefusal(/already exists in network|already attached/i));
}
