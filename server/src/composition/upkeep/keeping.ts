/** Hosts as the reconciler keeps them. */
import type { Host } from '../../ports/host/host.ts';
import type { KeptHost } from '../../reconcile/host-reconciler.ts';
import { createReconciler, type Reconciler } from '../../reconcile/reconciler.ts';
import { desiredRoutes } from '../../reconcile/desired-routes.ts';
import { admitHosts } from './admitting.ts';
import type { Ground } from '../ground.ts';
import { keptHosts } from '../../reconcile/kept-hosts.ts';
import { countLeft } from '../../modules/quota/left-running.ts';
import { createLeavingWatch } from '../../reconcile/leaving.ts';
import { createServiceKeeper } from '../../reconcile/kept-services.ts';
import type { Machines } from '../hosts/machines.ts';
import { createNodePlatform } from '../../reconcile/node-platform.ts';
import type { Route } from '../../ports/proxy.ts';
import { kernelMigratesRequests, proxySpec } from '../hosts/proxy-spec.ts';
import { createPlatform } from '../../reconcile/platform.ts';
import type { SwarmPorts } from '../../reconcile/packet-filter/swarm-ports.ts';
import type { Product } from '../product.ts';
import type { Releasing } from '../services/releasing.ts';
import type { Walls } from '../hosts/walls.ts';

export function createKeeping(
  ground: Ground,
  product: Product,
  machines: Machines,
  releasing: Releasing,
  walls: Walls,
): Reconciler {
  const { database, log } = ground;
  const { hosts, watch } = machines;
  const reconciler: Reconciler = createReconciler({
    hosts: keptHosts({
      ...keepersOf(ground, product, machines, {
        ...releasing,
        leadsTo: walls.leadsTo,
        lookAgain: (key) => void reconciler.run(key),
      }),
      hosts,
      servers: ground.stores.servers,
    }),
    database,
    onDrift: ({ name }, found) => log.warn('Reconciled', { host: name, found }),
  });
  admitHosts(ground, product, machines, reconciler, walls);
  return {
    ...reconciler,
    start() {
      watch.follow((serverKey) => void reconciler.run(serverKey));
      reconciler.start();
    },
  };
}

function keepersOf(
  ground: Ground,
  product: Product,
  machines: Machines,
  { leadsTo, lookAgain, ...releasing }: Releasing & Pick<Walls, 'leadsTo'> & { lookAgain(key: string): void },
): { head(host: Host): KeptHost; node(host: Host, headKey: string): KeptHost } {
  const { config, stores, clock, claims } = ground;
  const { hosts, watch, ownHost, swarmPorts } = machines;
  const { settings, environments, composes, hostRules } = product;
  const keepServices = serviceKeeper(ground, product, machines, releasing);
  const routes = (key: string): Promise<Route[]> =>
    desiredRoutes(key, {
      stores,
      settings,
      clock,
      hostRules,
      ownHost,
      leadsTo,
      withheld: watch.issuanceOf(key).withheld,
    });
  const head = (host: Host): KeptHost => {
    const platform = createPlatform(host, {
      proxyImage: config.proxyImage,
      proxySpec,
      environments,
      composes,
      platformServices: stores.platformServices,
      knownThings: stores.knownThings,
      clock,
      renewals: product.renewals,
      lookAgain: () => lookAgain(host.key),
    });
    return {
      ...common(host, swarmPorts),
      claim: () => claims.refusal(host),
      ensurePlatform: () => platform.ensure().finally(() => claims.mark(host)),
      services: withWhatIsLeft(ground, host, keepServices),
      attachProxy: platform.attachProxy,
      routes: () => routes(host.key),
    };
  };
  const node = (host: Host, headKey: string): KeptHost => ({
    ...common(host, swarmPorts),
    services: withWhatLeaves(ground, host, () => hosts.find(headKey)),
    // Whoever has the cluster's head has its nodes.
    claim: async () => undefined,
    ...createNodePlatform(host, {
      head: () => hosts.find(headKey),
      proxyImage: config.proxyImage,
      proxySpec,
      renewals: product.renewals,
      lookAgain: () => lookAgain(host.key),
      migratesRequests: async ({ facts }) => kernelMigratesRequests((await facts()).kernel),
      routes: ({ key }) => routes(key),
    }),
  });
  return { head, node };
}

/** On a node, whose services its head keeps: containers that outlive their time. */
function withWhatLeaves(
  { stores, clock }: Pick<Ground, 'stores' | 'clock'>,
  { key: serverKey, engine }: Host,
  head: () => Promise<Host | undefined>,
): () => Promise<string[]> {
  const leaving = createLeavingWatch({ clock, serverKey, store: stores.leaving });
  return async () => {
    const tasks = await (await head())?.engine.leavingTasks();
    return tasks === undefined ? [] : leaving.look(engine, tasks);
  };
}

/** Services kept, containers that outlive their time ended, and what runs without a record counted. */
function withWhatIsLeft(
  { stores, clock }: Pick<Ground, 'stores' | 'clock'>,
  host: Host,
  keepServices: (host: Host) => Promise<string[]>,
): () => Promise<string[]> {
  const leaving = createLeavingWatch({ clock, serverKey: host.key, store: stores.leaving });
  return async () => {
    const found = [...(await keepServices(host)), ...(await leaving.look(host.engine))];
    await countLeft(stores.quotas, host);
    return found;
  };
}

function serviceKeeper(
  { database, stores, installation, clock }: Ground,
  product: Product,
  { previews, deployments }: Machines,
  { live, running, runningComposes, instance }: Releasing,
): (host: Host) => Promise<string[]> {
  return createServiceKeeper({
    ...product,
    previews,
    deployments,
    liveSpecs: {
      application: live.liveSpec,
      database: running.liveSpec,
      compose: runningComposes.liveSpecs,
      preview: live.previewSpec,
    },
    unknown: {
      things: stores.knownThings,
      isRestored: installation.incarnation.cause === 'restored',
      now: clock.now,
    },
    servers: stores.servers,
    instance: database.dialect === 'sqlite' ? instance : undefined,
  });
}

const common = (
  host: Host,
  swarmPorts: SwarmPorts,
): Pick<KeptHost, 'key' | 'name' | 'proxy' | 'reach' | 'guardPorts'> => ({
  key: host.key,
  name: host.name,
  proxy: host.proxy,
  reach: () => host.engine.info(),
  guardPorts: () => swarmPorts.guard(host),
});
