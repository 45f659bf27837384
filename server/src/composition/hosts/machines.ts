/** The hosts with whoever watches their proxies, and what can be deployed onto them. */
import type { Registries } from '../../modules/registry/registry.ts';
import { createDnsCheck } from '../../modules/domain/dns-check.ts';
import { commentLater } from '../../modules/preview-deployment/pull-request/pull-request.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { OwnHost } from '../../modules/own-host/own-host.ts';
import type { HostReach } from '../../modules/host-reach/host-reach.ts';
import type { Hosts } from '../../ports/host/host.ts';
import { builderOptions } from '../services/building.ts';
import type { Ground } from '../ground.ts';
import { imageAccessOf } from '../services/image-access.ts';
import { hostReachOn, walledEngine } from '../installation/host-reach.ts';
import { createHosts, type Connect } from './hosts.ts';
import type { PortGuard } from '../../reconcile/packet-filter/port-guard.ts';
import { createDeployed, type Deployed } from '../services/previewing.ts';
import type { Product } from '../product.ts';
import { ownHostOf } from '../installation/own-host.ts';
import { createProxyWatch, type ProxyWatch } from './proxy-watch.ts';
import { createOutwardPolicy, type OutwardPolicy } from '../../reconcile/packet-filter/outward-policy.ts';
import { createSwarmPorts, type SwarmPorts } from '../../reconcile/packet-filter/swarm-ports.ts';
import {
  createServerConnections,
  type ServerConnections,
} from '../../adapters/host/ssh/server-connections.ts';
import { previewWildcardsOf, serverAddressOf, serverIpOf } from '../../modules/server/server-address.ts';
import { createEndedOutput, type EndedOutput } from '../../reconcile/observing/stopped-output.ts';
import { diskQuotasOf } from '../../deploy/disk-quotas.ts';
import { composeFoldersOf } from '../adapters.ts';
import type { Walls } from './walls.ts';

export interface Machines extends Deployed {
  hosts: Hosts;
  servers: Pick<ServerConnections, 'reset' | 'shell'>;
  hostReach: HostReach;
  watch: ProxyWatch;
  ownHost: OwnHost;
  portGuard: PortGuard;
  swarmPorts: SwarmPorts;
  registries: Registries;
  endedOutput: EndedOutput;
}

export function createMachines(
  ground: Ground,
  product: Product,
  { connect, walls }: { connect: Connect | undefined; walls: Walls },
): Machines {
  const { stores, adapters, local } = ground;
  const { approvals, settings, environments, composes, queue } = product;
  const dns = createDnsCheck({ names: adapters.names, settings: settings.get });
  const watch = createProxyWatch({
    ...ground,
    settings,
    tell: product.notifying.tell,
    counters: product.counters,
  });
  const servers = createServerConnections(ground);
  const images = imageAccessOf(ground, walls);
  const disk = diskQuotasOf(stores, ground.clock, composeFoldersOf(adapters));
  const endedOutput = createEndedOutput(ground);
  const hosts = createHosts({
    ...ground,
    ...ground.installation,
    connect: connect ?? servers.connect,
    environments,
    composes,
    servers: stores.servers,
    platformServices: stores.platformServices,
    findProxy: walls.findProxy,
    walled: (machine) =>
      endedOutput.keeping(machine, walledEngine(machine, { approvals, stores, images, disk }, walls)),
    pool: async () => (await settings.get()).networkPool,
    watchProxy: watch.watch,
    ...builderOptions(stores, ground.config, {
      walls,
      images,
      shared: async () => (await settings.get()).sharedImages,
    }),
    logAnswerBytes: async () => (await settings.get()).logAnswerLimit,
    keptCookies: walls.keptCookies,
  });
  const portGuard = walls.portGuard(ground.config.port, outwardPolicyOf(ground, settings));
  const deployed = createDeployed({
    ...ground,
    ...product,
    hosts,
    wildcard: previewWildcardsOf(serverIpOf(serverAddressOf(stores, settings), dns), product.baseDomains),
    commented: commentLater(queue),
  });
  return {
    hosts,
    servers,
    hostReach: hostReachOn(approvals, hosts, local),
    watch,
    ownHost: ownHostOf(ground, watch),
    portGuard,
    swarmPorts: createSwarmPorts({ hosts, servers: stores.servers, portGuard }),
    registries: registriesOf(ground, hosts, walls),
    endedOutput,
    ...deployed,
  };
}

function outwardPolicyOf({ stores, config }: Ground, settings: Product['settings']): OutwardPolicy {
  return createOutwardPolicy({
    tenants: async () => {
      const [first, all] = await Promise.all([stores.organizations.first(), stores.organizations.list({})]);
      return all
        .filter(({ organizationId, trusted }) => organizationId !== first && !trusted)
        .map(({ organizationId }) => organizationId);
    },
    allowed: async () => (await settings.get()).allowedPrivateNetworks,
    webPorts: [config.httpPort, config.httpsPort],
  });
}

/** A registry belongs to no service; Berth's own engine asks it. */
function registriesOf(
  { stores, adapters, clock }: Ground,
  hosts: Hosts,
  walls: Pick<Walls, 'registries'>,
): Registries {
  return walls.registries(
    stores.registries,
    async (auth) => (await hosts.of(localServer)).engine.checkRegistry(auth),
    adapters.outgoing.registry,
    clock,
  );
}
