/** Hosts as the reconciler keeps them. */
import type { Host } from '../../ports/host/host.ts';
import type { KeptHost } from '../../reconcile/host-reconciler.ts';
import { createReconciler, type Reconciler } from '../../reconcile/reconciler.ts';
import { desiredRoutes } from './desired-routes.ts';
import type { Ground } from '../ground.ts';
import { createServiceKeeper } from '../../reconcile/kept-services.ts';
import type { Machines } from '../hosts/machines.ts';
import { proxySpec } from '../hosts/proxy-spec.ts';
import { createPlatform } from '../../reconcile/platform.ts';
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
  const kept = keptHosts(ground, product, machines, releasing, walls);
  const reconciler = createReconciler({
    hosts: {
      async find(serverKey) {
        const host = await hosts.find(serverKey);
        return host && kept(host);
      },
      all: async () => (await hosts.all()).map(kept),
    },
    database,
    onDrift: ({ name }, found) => log.warn('Reconciled', { host: name, found }),
  });
  watch.follow((serverKey) => void reconciler.run(serverKey));
  return reconciler;
}

function keptHosts(
  { config, database, stores, clock }: Ground,
  product: Product,
  { watch, ownHost, portGuard, previews, deployments }: Machines,
  { live, running, runningComposes, instance }: Releasing,
  { leadsTo }: Walls,
): (host: Host) => KeptHost {
  const { settings, environments, composes, hostRules } = product;
  const keepServices = createServiceKeeper({
    ...product,
    previews,
    deployments,
    liveSpecs: {
      application: live.liveSpec,
      database: running.liveSpec,
      compose: runningComposes.liveSpecs,
      preview: live.previewSpec,
    },
    instance: database.dialect === 'sqlite' ? instance : undefined,
  });
  return (host) => {
    const { key, name, proxy, engine } = host;
    const platform = createPlatform(host, {
      proxyImage: config.proxyImage,
      proxySpec,
      environments,
      composes,
      platformServices: stores.platformServices,
    });
    return {
      key,
      name,
      proxy,
      reach: () => engine.info(),
      guardPorts: () => portGuard.guard(host),
      ensurePlatform: platform.ensure,
      services: () => keepServices(host),
      attachProxy: platform.attachProxy,
      routes: () =>
        desiredRoutes(key, {
          stores,
          settings,
          clock,
          hostRules,
          ownHost,
          leadsTo,
          withheld: watch.issuanceOf(key).withheld,
        }),
    };
  };
}
