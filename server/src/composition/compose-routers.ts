/** Routers of compose services, of backups and where they go. */
import { backupHandlers } from '../modules/backup/handlers.ts';
import { createComposes } from '../modules/compose/compose.ts';
import { composeHandlers } from '../modules/compose/handlers.ts';
import { contracts } from '../modules/contracts.ts';
import { destinationHandlers } from '../modules/destination/handlers.ts';
import type { Mounts } from '../modules/mount/mount.ts';
import { environmentOf } from '../modules/service/service.ts';
import { createServiceNames } from '../modules/service-name/service-name.ts';
import { router, type Router } from '../procedure/registry.ts';
import type { AppParts } from './app-parts.ts';

export function composeRouters(parts: AppParts, mounts: Mounts): Router[] {
  const { applications, backingUp, clock, domains, members, reconciler, settings, stores } = parts;
  const composes = createComposes(stores.composes, { names: createServiceNames(stores.serviceNames), localRepositoryPaths: async () => (await settings.get()).localRepositoryPaths }, clock);
  return [
    router('compose', contracts.compose, composeHandlers({
      composes, members, requireServer: settings.requireServer, environment: async (environmentId) => environmentOf(await applications.placement(environmentId)), domains: domains.byCompose, mounts: mounts.byCompose,
      changeRoutes: reconciler.changeRoutes,
    })),
    router('destination', contracts.destination, destinationHandlers(backingUp.destinations)),
    router('backup', contracts.backup, backupHandlers(backingUp.desk)),
  ];
}
