/** A proxy as its port says, behind the real reconciler: it keeps what it is given, and refuses when told to. */
import { createStores } from '../../server/src/composition/stores.ts';
import type { Database } from '../../server/src/db/database.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import { createDomains } from '../../server/src/modules/domain/domain.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import type { ChangeRoutes, Route } from '../../server/src/ports/proxy.ts';
import { createReconciler } from '../../server/src/reconcile/reconciler.ts';

export interface KeptRoutes {
  /** What the proxy has now. */
  routes: readonly Route[];
  /** Words with which it refuses the next ones; undefined: it takes them. */
  refusal: string | undefined;
  changeRoutes: ChangeRoutes;
  /** Another domain of the application. */
  addDomain(place: { organizationId: string; applicationId: string; host: string }): Promise<void>;
}

export function keptRoutes(database: Database): KeptRoutes {
  const stores = createStores(database);
  const nothing = async (): Promise<string[]> => [];
  const reconciler = createReconciler({
    proxy: {
      async apply(routes) {
        if (kept.refusal !== undefined) throw new AppError('BAD_REQUEST', kept.refusal);
        kept.routes = routes;
        return { changed: true };
      },
      current: async () => 'kept',
      expected: () => 'kept',
    },
    ensurePlatform: nothing, services: nothing, attachProxy: nothing, domains: () => stores.domains.routed(), onDrift: () => undefined,
  });
  const kept: KeptRoutes = {
    routes: [], refusal: undefined, changeRoutes: reconciler.changeRoutes,
    async addDomain({ organizationId, applicationId, host }) {
      await reconciler.changeRoutes((work) => database.transaction(work), () => createDomains(stores.domains, systemClock).create(organizationId, { applicationId }, { host }));
    },
  };
  void reconciler.run();
  return kept;
}
