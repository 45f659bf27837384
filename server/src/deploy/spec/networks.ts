/**
 * Networks of a host: one per environment and one per compose service. The index of a network gives its part
 * of the address pool; index 0 is the platform's own network.
 */
import { environmentLabel, installationLabel, managedLabel } from '../../domain/names/labels.ts';
import { platformNetwork } from '../../domain/names/names.ts';
import { ownerLabels } from '../../domain/names/service-ref.ts';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import {
  indicesOf,
  poolRoom,
  subnetOf,
  usedUp,
  type NetworkPlace,
} from '../../domain/network/network-pool.ts';
import type { Composes } from '../../modules/compose/compose.ts';
import type { Environments } from '../../modules/environment/environment.ts';
import type { ContainerState, Engine } from '../../ports/engine/engine.ts';
import type { NetworkSpec, NetworkState } from '../../ports/engine/engine-network.ts';
import type { HostNetworks, LeftNetwork, ShadowingNetwork } from '../../ports/host/host.ts';
import { avoidingRoutes, shadowingOf, type RouteOptions } from './route-overlaps.ts';

export interface NetworkOptions extends RouteOptions {
  engine: Engine;
  environments: Pick<Environments, 'networkIndex'>;
  composes: Pick<Composes, 'networkIndex'>;
  /** Containers of the proxy on the host. */
  proxyContainers(): Promise<ContainerState[]>;
  /** Setting networkPool, a CIDR. */
  pool(): Promise<string>;
}

/** Gives the index of a network, another one than before where its addresses are taken. */
type IndexOf = (place: NetworkPlace) => Promise<number>;

export const environmentNetwork = (environmentId: string): string => `berth-${environmentId}`;

/**
 * The engine resolves a name in the networks of a container in the alphabetical order of the networks. This
 * name sorts before that of the environment, so that a compose service reaches its own `redis` and not
 * another one of the environment.
 */
export const composeNetwork = (composeId: string): string => `app-${composeId}`;

/** Without a way out, for services that are on internal networks of their file. */
export const internalNetwork = (composeId: string): string => `${composeNetwork(composeId)}-internal`;

export function createNetworks(options: NetworkOptions): HostNetworks {
  const { engine, environments, composes, proxyContainers, pool } = options;
  let left: readonly LeftNetwork[] = [];
  let shadowing: readonly ShadowingNetwork[] = [];
  async function ensure(
    name: string,
    indexOf: IndexOf,
    labels: Record<string, string>,
    mtu?: number,
  ): Promise<void> {
    const addresses = await pool();
    const room = poolRoom(addresses);
    const subnet = subnetOf(addresses, await indexOf({ room }));
    await engine.ensureNetwork(
      { name, subnet, labels: { [managedLabel]: 'true', ...labels }, mtu },
      avoidingRoutes(options, { name, subnet, pool: addresses }, async (subnets) =>
        subnetOf(addresses, await indexOf({ room, taken: indicesOf(addresses, subnets) })),
      ),
    );
  }
  return {
    attachProxy: async (names) => attachProxy(engine, await proxyContainers(), names),
    async removeOrphans(known) {
      const present = await engine.networks();
      shadowing = shadowingOf(present, await options.routes());
      const found = await removeOrphans(engine, proxyContainers, { ...known, present });
      left = found.left;
      return found;
    },
    left: () => left,
    shadowing: () => shadowing,
    ensurePlatform: () => ensure(platformNetwork, async (place) => platformIndex(place), {}),
    async ensureEnvironment(environmentId) {
      const name = environmentNetwork(environmentId);
      await ensure(name, (place) => environments.networkIndex(environmentId, place), {
        [environmentLabel]: environmentId,
      });
      await attachProxy(engine, await proxyContainers(), [name]);
      return name;
    },
    async ensureInternal(composeId, mtu) {
      const labels = { [ownerLabels.compose]: composeId };
      return ensureSealed(options, await pool(), { name: internalNetwork(composeId), labels, mtu });
    },
    ensureSealed: async (name, labels) => ensureSealed(options, await pool(), { name, labels }),
    async ensureCompose(composeId, mtu) {
      const name = composeNetwork(composeId);
      const indexOf: IndexOf = (place) => composes.networkIndex(composeId, place);
      await ensure(name, indexOf, { [ownerLabels.compose]: composeId }, mtu);
      return name;
    },
  };
}

/** At the end of the pool, away from what records hold; it has no record, since its addresses may be any. */
async function ensureSealed(
  options: NetworkOptions,
  addresses: string,
  network: Pick<NetworkSpec, 'name' | 'labels' | 'mtu'>,
): Promise<string> {
  const last = poolRoom(addresses) - 1;
  const subnet = subnetOf(addresses, last);
  const labels = { [managedLabel]: 'true', ...network.labels };
  await options.engine.ensureNetwork(
    { ...network, labels, subnet, internal: true },
    avoidingRoutes(options, { name: network.name, subnet, pool: addresses }, async (subnets) =>
      subnetOf(addresses, lastFree(last, indicesOf(addresses, subnets))),
    ),
  );
  return network.name;
}

/** The first of the pool; where something else has that, one of its end, away from what records hold. */
const platformIndex = ({ room, taken }: NetworkPlace): number =>
  taken?.has(0) === true ? lastFree(room - 1, taken) : 0;

/** Finds the containers of the proxy by the id of its service. */
export type FindProxy = (
  engine: Pick<Engine, 'containers' | 'serviceContainers'>,
  serviceId: string | undefined,
) => Promise<ContainerState[]>;

/**
 * Found by the tasks of the service and not by a label, which any image can carry: whatever is taken for the
 * proxy is attached to every network.
 */
export const findProxy: FindProxy = async (engine, serviceId) =>
  serviceId === undefined ? [] : engine.serviceContainers(serviceId);

async function attachProxy(
  engine: Engine,
  proxies: readonly ContainerState[],
  names: readonly string[],
): Promise<number> {
  let attached = 0;
  for (const container of proxies) {
    if (container.state !== 'running') continue;
    for (const name of names.filter((wanted) => !container.networks.includes(wanted))) {
      if (await connect(engine, container.id, name)) attached += 1;
    }
  }
  return attached;
}

/**
 * False while no task on the network has run on the proxy's node: the engine attaches a service's container
 * only to networks that are up on its node (measured on 20.10: 404), and a first task brings them up.
 */
async function connect(engine: Engine, containerId: string, name: string): Promise<boolean> {
  try {
    await engine.connectNetwork(containerId, name);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

async function removeOrphans(
  engine: Engine,
  proxyContainers: NetworkOptions['proxyContainers'],
  known: Parameters<HostNetworks['removeOrphans']>[0] & { present: readonly NetworkState[] },
): ReturnType<HostNetworks['removeOrphans']> {
  const owned = known.present.map((network) => ({
    ...network,
    isLabelled: network.labels[installationLabel] !== undefined,
    isOrphan:
      isOrphan(network.labels[environmentLabel], known.environments) ||
      isOrphan(network.labels[ownerLabels.compose], known.composes),
  }));
  const unlabelled = owned.filter((one) => !one.isLabelled && !one.isOrphan).map(({ name }) => name);
  const unknown = owned.filter((one) => one.isOrphan && (one.isLabelled || known.adopted.has(one.name)));
  // A service without a record may be left as it is, and so is its network: nothing is cut off from it.
  const used = new Set(unknown.length === 0 ? [] : (await engine.services()).flatMap((one) => one.networks));
  const orphans = unknown.filter(({ name }) => !used.has(name));
  if (orphans.length === 0) return { removed: [], left: [], unlabelled };
  const proxies = await proxyContainers();
  const left: LeftNetwork[] = [];
  // Each for itself: one that does not go holds up no other.
  const removed = await Promise.all(
    orphans.map(async ({ name }) => {
      try {
        for (const { id, networks } of proxies)
          if (networks.includes(name)) await engine.disconnectNetwork(id, name);
        await engine.removeNetwork(name);
        return [name];
      } catch (error) {
        left.push({ name, why: sentenceOf(error) });
        return [];
      }
    }),
  );
  return { removed: removed.flat(), left, unlabelled };
}

function lastFree(last: number, taken: ReadonlySet<number>): number {
  for (let index = last; index > 0; index -= 1) if (!taken.has(index)) return index;
  throw usedUp(last + 1);
}

function isOrphan(id: string | undefined, known: ReadonlySet<string>): boolean {
  return id !== undefined && !known.has(id);
}
