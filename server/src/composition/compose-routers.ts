/** Routers of backups and where they go. */
import { createBackups } from '../modules/backup/backup.ts';
import { backupHandlers } from '../modules/backup/handlers.ts';
import { contracts } from '../modules/contracts.ts';
import { createDestinations } from '../modules/destination/destination.ts';
import { destinationHandlers } from '../modules/destination/handlers.ts';
import { router, type Router } from '../procedure/registry.ts';
import type { AppParts } from './app-parts.ts';
import { protectedPaths } from './protected-paths.ts';

export function composeRouters({ config, stores, clock }: AppParts): Router[] {
  const destinations = createDestinations(stores.destinations, { clock, protectedPaths: protectedPaths(config) });
  return [
    router('destination', contracts.destination, destinationHandlers(destinations)),
    router('backup', contracts.backup, backupHandlers(createBackups(stores.backups, clock))),
  ];
}
