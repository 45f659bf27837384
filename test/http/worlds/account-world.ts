/** A world whose server has the routers of accounts, organizations and the audit log. */
import { accountRouters, createAccounts } from '../../../server/src/composition/installation/accounts.ts';
import { createStores } from '../../../server/src/composition/stores.ts';
import type { Database } from '../../../server/src/db/database.ts';
import { systemClock, type Clock } from '../../../server/src/ports/clock.ts';
import { createSettings } from '../../../server/src/modules/settings/settings.ts';
import type { Router } from '../../../server/src/procedure/registry.ts';
import type { TestDatabase } from '../../store/each-database.ts';
import { worlds, type World } from './world.ts';

/** `gone` is told which organizations are no more. */
export function accountWorlds(
  test: TestDatabase,
): (clock?: Clock, gone?: (organizationId: string) => void) => Promise<World> {
  const create = worlds(test);
  return (clock = systemClock, gone?) => create(accountRoutersOf(clock, gone), { clock });
}

export const accountRoutersOf =
  (clock: Clock, gone?: (organizationId: string) => void) =>
  (database: Database): Router[] => {
    const stores = createStores(database);
    return Object.values(
      accountRouters(createAccounts(stores, database, clock), {
        ...(gone && { gone }),
        // Read anew each time, since a test stores it behind the service's back.
        tenantsMayCreate: async () =>
          (await createSettings(stores.settings).get()).tenantsMayCreateOrganizations,
      }),
    );
  };

/** Time that stands still until a test moves it. */
export function heldClock(start = Date.parse('2026-06-01T00:00:00.000Z')): Clock & { time: number } {
  const clock = { time: start, now: () => clock.time };
  return clock;
}
