import { AppError } from '../../../domain/errors.ts';
import type { NetworkSpec, NetworkState } from '../../../ports/engine/engine.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { allowRefusal } from '../client/engine-error.ts';
import { managed } from '../services/labels.ts';
import type { NetworkLookup } from './network-lookup.ts';
import { subnetsOverlap, taskRange } from './subnet.ts';
import { waitUntilSo } from '../../../ports/wait-until.ts';

/** Swarm gives a new network its addresses a moment later. */
const allocationLimitMs = 10_000;
const allocationPauseMs = 30;

/**
 * Makes the network when it is absent and waits until it has its addresses. Swarm takes an overlapping subnet
 * without a word, and no task on such a network ever starts (measured on 20.10); so that is CONFLICT here,
 * naming the other network.
 */
export async function ensureNetwork(
  client: EngineClient,
  lookup: NetworkLookup,
  network: NetworkSpec,
): Promise<void> {
  const present = await lookup.find(network.name);
  if (present !== undefined && isAllocated(present)) return;
  await refuseOverlap(lookup, network);
  if (present === undefined) await create(client, network);
  await untilAllocated(client, lookup, network);
}

async function refuseOverlap(lookup: NetworkLookup, { name, subnet }: NetworkSpec): Promise<void> {
  const other = (await lookup.query({})).find(
    (network) => network.name !== name && subnetsOverlap(network.subnet, subnet),
  );
  if (other === undefined) return;
  throw new AppError(
    'CONFLICT',
    `The network ${name} cannot have the addresses ${subnet}: the engine's network ${other.name} has ` +
      `${other.subnet}. Choose another range in the settings.`,
  );
}

/** One made in the meantime is found, or found to be another's, by the wait that follows. */
async function create(client: EngineClient, network: NetworkSpec): Promise<void> {
  const tasks = taskRange(network.subnet);
  // Without a range of their own, attached containers would take addresses that Swarm gives to tasks later;
  // see network-attachment.ts.
  const addresses = { Subnet: network.subnet, ...(tasks === undefined ? {} : { IPRange: tasks }) };
  const body = {
    Name: network.name,
    Driver: 'overlay',
    Attachable: true,
    CheckDuplicate: true,
    IPAM: { Config: [addresses] },
    Labels: managed(network.labels),
  };
  await client
    .send({ method: 'POST', path: '/networks/create', body, doing: `making the network ${network.name}` })
    .catch(allowRefusal(/already exists|name conflicts/i));
}

async function untilAllocated(
  client: EngineClient,
  lookup: NetworkLookup,
  { name, subnet }: NetworkSpec,
): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const network = await lookup.find(name);
    return network !== undefined && isAllocated(network);
  };
  if (await waitUntilSo(isDone, { everyMs: allocationPauseMs, limitMs: allocationLimitMs })) return;
  const network = await lookup.find(name);
  if (network !== undefined)
    await client.send({
      method: 'DELETE',
      path: `/networks/${segment(network.id)}`,
      doing: `removing the network ${name}`,
    });
  throw new AppError(
    'CONFLICT',
    `The engine gave the network ${name} no addresses from ${subnet}, so it was not created; see the ` +
      `engine's log for the reason.`,
  );
}

/** Swarm shows no subnet for a network that has no addresses. */
function isAllocated(network: NetworkState): boolean {
  return network.subnet !== '';
}
