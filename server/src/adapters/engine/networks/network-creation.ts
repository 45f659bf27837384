import { AppError } from '../../../domain/errors.ts';
import { subnetsOverlap } from '../../../domain/network/subnet-overlap.ts';
import type {
  NamedSubnet,
  NetworkSpec,
  NetworkState,
  SubnetChoice,
} from '../../../ports/engine/engine-network.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { allowRefusal } from '../client/engine-error.ts';
import { ownedLabels } from '../services/ownership.ts';
import type { NetworkLookup } from './network-lookup.ts';
import { taskRange } from './subnet.ts';
import { waitUntilSo } from '../../../ports/wait-until.ts';

/** Swarm gives a new network its addresses a moment later. */
const allocationLimitMs = 10_000;
const allocationPauseMs = 30;

/** Option of the driver `overlay` (docs.docker.com, overlay network driver). */
const mtuOption = 'com.docker.network.driver.mtu';

/** So many subnets are tried; a network that others make at the same time takes one of them each time. */
const subnetsTried = 8;

/**
 * Makes the network when it is absent and waits until it has its addresses. Swarm takes an overlapping subnet
 * without a word, and no task on such a network ever starts (measured on 20.10); so another one is
 * asked for then, and without `choice` that is CONFLICT here, naming the other network.
 */
export async function ensureNetwork(
  client: EngineClient,
  lookup: NetworkLookup,
  network: NetworkSpec,
  choice?: SubnetChoice,
): Promise<void> {
  let { subnet } = network;
  let outside: readonly NamedSubnet[] | undefined;
  for (let tried = 1; ; tried += 1) {
    const before = await lookup.find(network.name);
    if (before !== undefined && isAllocated(before)) return;
    const all = await lookup.query({});
    // Others make it, too: whoever is in the list has to be known for the network itself.
    const present = all.some(({ name }) => name === network.name) ? await lookup.find(network.name) : before;
    if (present !== undefined && isAllocated(present)) return;
    // By its id: another network may have the same name in another scope.
    const others = all.filter(({ id }) => id !== present?.id);
    outside ??= (await choice?.outside?.()) ?? [];
    const taken = [...others.flatMap(subnetsOf), ...outside];
    const other = taken.find((each) => subnetsOverlap(each.subnet, subnet));
    if (other === undefined) {
      if (await madeWith(client, lookup, { ...network, subnet })) return;
      if (choice === undefined || tried >= subnetsTried) throw withoutAddresses({ ...network, subnet });
    } else if (choice === undefined || tried >= subnetsTried) throw overlap({ ...network, subnet }, other);
    subnet = await choice.another(taken.map((each) => each.subnet));
  }
}

/** False when the engine gave it no addresses: another took them meanwhile. It is not left there then. */
async function madeWith(client: EngineClient, lookup: NetworkLookup, network: NetworkSpec): Promise<boolean> {
  await create(client, network);
  const isDone = async (): Promise<boolean> => {
    const made = await lookup.find(network.name);
    return made !== undefined && isAllocated(made);
  };
  if (await waitUntilSo(isDone, { everyMs: allocationPauseMs, limitMs: allocationLimitMs })) return true;
  const left = await lookup.find(network.name);
  if (left !== undefined)
    await client.send({
      method: 'DELETE',
      path: `/networks/${segment(left.id)}`,
      doing: `removing the network ${network.name}`,
    });
  return false;
}

const subnetsOf = ({ name, subnets }: NetworkState): NamedSubnet[] =>
  subnets.map((subnet) => ({ name: `the engine's network ${name}`, subnet }));

const overlap = ({ name, subnet }: NetworkSpec, other: NamedSubnet): AppError =>
  new AppError(
    'CONFLICT',
    `The network ${name} cannot have the addresses ${subnet}: ${other.name} has ${other.subnet}. ` +
      `Choose another range in the settings.`,
  );

const withoutAddresses = ({ name, subnet }: NetworkSpec): AppError =>
  new AppError(
    'CONFLICT',
    `The engine gave the network ${name} no addresses from ${subnet}, so it was not created; see the ` +
      `engine's log for the reason.`,
  );

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
    Internal: network.internal ?? false,
    CheckDuplicate: true,
    IPAM: { Config: [addresses] },
    ...(network.mtu === undefined ? {} : { Options: { [mtuOption]: String(network.mtu) } }),
    Labels: ownedLabels(client, network.labels),
  };
  await client
    .send({ method: 'POST', path: '/networks/create', body, doing: `making the network ${network.name}` })
    .catch(allowRefusal(/already exists|name conflicts/i));
}

/** Swarm shows no subnet for a network that has no addresses. */
function isAllocated(network: NetworkState): boolean {
  return network.subnet !== '';
}
