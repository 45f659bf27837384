/**
 * A proxy as its port says, behind the real reconciler: it keeps what it is given, and refuses when told to.
 */
import { anyHost, noOwnHost } from './any-host.ts';
import { desiredRoutes } from '../../server/src/reconcile/desired-routes.ts';
import { createStores } from '../../server/src/composition/stores.ts';
import type { Database } from '../../server/src/db/database.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import { createDomains } from '../../server/src/modules/domain/domain.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import type { ChangeRoutes, Proxy, Route } from '../../server/src/ports/proxy.ts';
import { createSettings } from '../../server/src/modules/settings/settings.ts';
import { localServer } from '../../server/src/domain/names/server-key.ts';
import type { KeptHost } from '../../server/src/reconcile/host-reconciler.ts';
import { releasedName } from '../../server/src/reconcile/routes.ts';
import { createReconciler } from '../../server/src/reconcile/reconciler.ts';

export interface KeptRoutes {
  /** What the proxy has now. */
  routes: readonly Route[];
  /** Words with which it refuses the next ones; undefined: it takes them. */
  refusal: string | undefined;
  /** It does not answer. */
  isAway: boolean;
  changeRoutes: ChangeRoutes;
  /** Another domain of the application. */
  addDomain(place: {
    organizationId: string;
    applicationId: string;
    host: string;
    https?: boolean;
  }): Promise<void>;
}

const nothing = async (): Promise<string[]> => [];

const plainRoutes = {
  clock: systemClock,
  hostRules: anyHost,
  ownHost: noOwnHost,
  leadsTo: releasedName,
  withheld: async () => new Set<string>(),
};

/** `real`: a proxy that gets the routes as well, and what all of them lead to there. */
export function keptRoutes(
  database: Database,
  real?: { proxy: Pick<Proxy, 'apply'>; service: string },
): KeptRoutes {
  const stores = createStores(database);
  const leading = real && { leadsTo: () => real.service };
  const settings = createSettings(stores.settings);
  const host: KeptHost = {
    key: localServer,
    name: 'this server',
    claim: async () => undefined,
    proxy: {
      async apply(routes) {
        if (kept.isAway) throw new AppError('SERVICE_UNAVAILABLE', 'The proxy does not answer.');
        if (kept.refusal !== undefined) throw new AppError('BAD_REQUEST', kept.refusal);
        kept.routes = typeof routes === 'function' ? await routes() : routes;
        return real ? real.proxy.apply(kept.routes) : { changed: true };
      },
      current: async () => 'kept',
      expected: () => 'kept',
    },
    reach: async () => undefined,
    guardPorts: nothing,
    ensurePlatform: nothing,
    services: nothing,
    attachProxy: nothing,
    routes: () => desiredRoutes(localServer, { ...plainRoutes, ...leading, stores, settings }),
  };
  const reconciler = createReconciler({
    database,
    hosts: {
      find: async (serverKey) => (serverKey === localServer ? host : undefined),
      nodesOf: async () => [],
      all: async () => [host],
    },
    onDrift: () => undefined,
  });
  const kept: KeptRoutes = {
    routes: [],
    refusal: undefined,
    isAway: false,
    changeRoutes: reconciler.changeRoutes,
    async addDomain({ organizationId, applicationId, host, https = false }) {
      await reconciler.changeRoutes(
        localServer,
        (work) => database.transaction(work),
        () =>
          createDomains(stores.domains, systemClock, anyHost).create(
            organizationId,
            { applicationId },
            { host, https, certificateType: 'none' },
          ),
      );
    },
  };
  void reconciler.run();
  return kept;
}
