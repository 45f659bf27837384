/** Networks of an engine beside the routes of its machine: what the one has, the other cannot lead to. */
import { indicesOf, poolRoom } from '../../domain/network/network-pool.ts';
import { routeName, routeOver, type Route } from '../../domain/network/routes.ts';
import type { NetworkState, SubnetChoice } from '../../ports/engine/engine-network.ts';
import type { Host, ShadowingNetwork } from '../../ports/host/host.ts';

export interface RouteOptions {
  /** Of the machine. */
  routes: Host['routes'];
  /** As sentences name the machine. */
  serverName: string;
  /** A network that got other addresses than it would have had without a route. */
  onAvoided(sentence: string): void;
}

/** Other addresses for a network that is to be made, where the engine or a route of the machine has them. */
export function avoidingRoutes(
  { routes, serverName, onAvoided }: RouteOptions,
  { name, subnet: first, pool }: { name: string; subnet: string; pool: string },
  another: SubnetChoice['another'],
): SubnetChoice {
  let [subnet, avoided]: [string, readonly Route[]] = [first, []];
  return {
    async outside() {
      avoided = avoidable(pool, await routes());
      return avoided.map((route) => ({ name: routeName(route), subnet: route.subnet }));
    },
    async another(taken) {
      const route = routeOver(subnet, avoided);
      const former = subnet;
      subnet = await another(taken);
      if (route)
        onAvoided(
          `The network ${name} gets the addresses ${subnet} and not ${former}, since ${routeName(route)} ` +
            `on ${serverName} has those.`,
        );
      return subnet;
    },
  };
}

/**
 * Routes that leave room in the pool: a network has to have some addresses of it, and a VPN that takes all of
 * 10.0.0.0/8 does not keep services from running.
 */
function avoidable(pool: string, routes: readonly Route[]): readonly Route[] {
  const room = poolRoom(pool);
  const inside = routes.filter((route) => {
    const { size } = indicesOf(pool, [route.subnet]);
    return size > 0 && size < room;
  });
  return indicesOf(
    pool,
    inside.map(({ subnet }) => subnet),
  ).size < room
    ? inside
    : [];
}

/** Networks that were made before the route was. */
export const shadowingOf = (
  networks: readonly NetworkState[],
  routes: readonly Route[],
): ShadowingNetwork[] =>
  networks.flatMap(({ name, subnets }) => {
    const found = subnets.flatMap((subnet) => {
      const route = routeOver(subnet, routes);
      return route ? [{ name, subnet, route }] : [];
    });
    return found.slice(0, 1);
  });
