/** Overlay networks: their addresses, who is on them, and who reaches whom. */
import { subnetsOverlap } from '../../server/src/domain/network/subnet-overlap.ts';
import type { networkBody } from './routes/bodies.ts';
import type { z } from 'zod';
import { Refusal, swarmRefusal } from './routes/refusal.ts';
import { changed, rank, swarmId, type Container, type Network, type State, type Task } from './state.ts';

export function addNetwork(
  state: State,
  { Name: name, Driver: driver, Labels: labels, IPAM: ipam, Options: options }: z.infer<typeof networkBody>,
): Network {
  if ([...state.networks.values()].some((network) => network.name === name))
    throw new Refusal(409, `network with name ${name} already exists`);
  const wanted = ipam.Config.filter(({ Subnet }) => Subnet !== '');
  const subnets = wanted.length === 0 ? [freeSubnet(state)] : wanted.map(({ Subnet }) => Subnet);
  const first = wanted.find(({ Subnet }) => !Subnet.includes(':'));
  const isTaken = subnets.some((subnet) => isUsed(state, subnet));
  const network: Network = {
    id: swarmId(),
    name,
    driver,
    labels,
    // The manager says yes to what overlaps, and never gives it an address.
    subnet: isTaken ? '' : (first?.Subnet ?? subnets[0] ?? ''),
    subnets: isTaken ? [] : subnets,
    range: first?.IPRange ?? first?.Subnet ?? subnets[0] ?? '',
    options,
  };
  state.networks.set(network.id, network);
  changed(state);
  return network;
}

export function findNetwork(state: State, idOrName: string): Network {
  const found =
    state.networks.get(idOrName) ?? [...state.networks.values()].find(({ name }) => name === idOrName);
  if (found === undefined) throw new Refusal(404, `network ${idOrName} not found`);
  return found;
}

export function removeNetwork(state: State, network: Network): void {
  if (network.left !== undefined) throw swarmRefusal(404, 'NotFound', `network ${network.id} not found`);
  const user = [...state.tasks.values()].find(
    (task) => rank(task.state) <= rank('running') && isOnNetwork(task, network),
  );
  if (user !== undefined)
    throw swarmRefusal(400, 'FailedPrecondition', `network ${network.id} is in use by task ${user.id}`);
  if (members(state, network).length > 0)
    throw new Refusal(403, `error while removing network: network ${network.name} has active endpoints`);
  state.networks.delete(network.id);
  changed(state);
}

const isOnNetwork = (task: Task, { id, name }: Network): boolean =>
  task.template.Networks.some(({ Target }) => Target === id || Target === name);

/** The node keeps a network that the manager forgets, as it does when it is brought up at that moment. */
export function leaveNetwork(state: State, name: string): void {
  findNetwork(state, name).left = { hasEndpoint: true };
  changed(state);
}

/** Removes what nobody uses and bears the labels; the node's own endpoint is a use. */
export function pruneNetworks(state: State, isMeant: (network: Network) => boolean): string[] {
  const unused = [...state.networks.values()].filter(
    (network) =>
      isMeant(network) &&
      network.left?.hasEndpoint !== true &&
      members(state, network).length === 0 &&
      ![...state.tasks.values()].some((task) => isOnNetwork(task, network)),
  );
  for (const { id } of unused) state.networks.delete(id);
  changed(state);
  return unused.map(({ name }) => name);
}

/** Running containers on the network. */
export function members(state: State, network: Network): Container[] {
  return [...state.containers.values()].filter(
    (container) => container.state === 'running' && container.networks.has(network.id),
  );
}

const taskLabel = 'com.docker.swarm.task.id';

/** Attaches a running container, as somebody asked by hand. */
export function connect(state: State, container: Container, network: Network, address?: string): void {
  const isTask = Boolean(container.labels[taskLabel]);
  if (container.networks.has(network.id))
    throw new Refusal(403, `endpoint with name ${container.name} already exists in network ${network.name}`);
  // A node knows an overlay only while something on it uses it; for a service's container it does not ask.
  if (isTask && members(state, network).length === 0)
    throw new Refusal(404, `network ${network.name} not found`);
  if (address !== undefined && takenAddresses(state, network).has(address))
    throw new Refusal(403, 'Address already in use');
  container.networks.set(network.id, address ?? freeAddress(state, network));
  changed(state);
}

export function disconnect(state: State, idOrName: string, network: Network): void {
  if (network.left?.hasEndpoint === true && idOrName === `${network.name}-endpoint`) {
    network.left = { hasEndpoint: false };
    return;
  }
  const container = [...state.containers.values()].find(
    ({ id, name }) => id === idOrName || name === idOrName,
  );
  if (container === undefined || !container.networks.delete(network.id))
    throw new Refusal(404, `container ${idOrName} is not connected to network ${network.name}`);
  changed(state);
}

/** The lowest address of the tasks' range that nobody has; the first is the gateway's. */
export function freeAddress(state: State, network: Network): string {
  const taken = takenAddresses(state, network);
  const [base = '', bits = '24'] = network.range.split('/');
  const size = 2 ** (32 - Number(bits));
  for (let offset = 2; offset < size; offset += 1) {
    const address = plus(base, offset);
    if (!taken.has(address)) return address;
  }
  throw new Refusal(500, 'could not find an available IP');
}

function takenAddresses(state: State, network: Network): Set<string> {
  return new Set([...state.containers.values()].flatMap((each) => each.networks.get(network.id) ?? []));
}

function plus(address: string, offset: number): string {
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) + offset;
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

function freeSubnet(state: State): string {
  for (let third = 1; ; third += 1) {
    const subnet = `10.0.${third}.0/24`;
    if (!isUsed(state, subnet)) return subnet;
  }
}

const isUsed = (state: State, subnet: string): boolean =>
  [...state.networks.values()].some((other) => other.subnets.some((each) => subnetsOverlap(each, subnet)));

/** What answers a container at `tasks.<service>` or a service's name; throws in the resolver's words. */
export function ask(state: State, from: Container, host: string, port: number): string {
  const service = host.replace(/^tasks\./, '');
  const reached = [...state.tasks.values()].flatMap(({ serviceName, container, state: name }) =>
    serviceName === service && name === 'running' && container?.state === 'running' ? [container] : [],
  );
  const near = host === '127.0.0.1' ? [from] : reached.filter((other) => shareNetwork(from, other));
  const [first] = near;
  if (first === undefined) throw new Error('ENOTFOUND');
  const answer = first.process?.listeners.get(port);
  if (answer === undefined) throw new Error('ECONNREFUSED');
  return answer();
}

function shareNetwork(one: Container, other: Container): boolean {
  return [...one.networks.keys()].some((id) => other.networks.has(id));
}
