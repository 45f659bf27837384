/** The hosts with whoever watches their proxies, and what can be deployed onto them. */
import { createRegistries, type Registries } from '../modules/registry/registry.ts';
import { createDnsCheck } from '../modules/domain/dns-check.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import { commentLater } from '../modules/preview-deployment/pull-request.ts';
import type { PreviewDeployments } from '../modules/preview-deployment/preview-deployment.ts';
import { localServer } from '../domain/server-key.ts';
import type { HostReach } from '../modules/host-reach/host-reach.ts';
import type { Hosts } from '../ports/host.ts';
import { builderOptions } from './building.ts';
import type { Ground } from './ground.ts';
import { hostReachOn, walledEngine } from './host-reach.ts';
import { createHosts, type Connect } from './hosts.ts';
import { createDeployed } from './previewing.ts';
import type { Product } from './product.ts';
import { createProxyWatch, type ProxyWatch } from './proxy-watch.ts';
import { serverAddressOf, serverIpOf } from './server-address.ts';
import type { Walls } from './walls.ts';

export interface Machines {
  hosts: Hosts;
  hostReach: HostReach;
  watch: ProxyWatch;
  registries: Registries;
  previews: PreviewDeployments;
  deployments: Deployments;
}

export function createMachines(
  ground: Ground,
  product: Product,
  { connect, walls }: { connect: Connect; walls: Walls },
): Machines {
  const { stores, adapters, clock, local } = ground;
  const { approvals, settings, environments, composes, queue } = product;
  const dns = createDnsCheck({ names: adapters.names, settings: settings.get });
  const watch = createProxyWatch({ ...ground, settings });
  const hosts = createHosts({
    ...ground,
    connect,
    local,
    environments,
    composes,
    servers: stores.servers,
    walled: (machine) => walledEngine(machine, approvals, stores, walls),
    pool: async () => (await settings.get()).networkPool,
    watchProxy: watch.watch,
    ...builderOptions(stores, ground.config, walls),
    logAnswerBytes: async () => (await settings.get()).logAnswerLimit,
  });
  const deployed = createDeployed({
    ...ground,
    ...product,
    hosts,
    serverIp: serverIpOf(serverAddressOf(stores, settings), dns),
    commented: commentLater(queue),
  });
  // A registry belongs to no service; Berth's own engine asks it.
  const registries = createRegistries(
    stores.registries,
    async (auth) => (await hosts.of(localServer)).engine.checkRegistry(auth),
    adapters.outgoing.registry,
    clock,
  );
  return { hosts, hostReach: hostReachOn(approvals, hosts, local), watch, registries, ...deployed };
}
