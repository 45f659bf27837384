/** Approvals on a test's database and this machine's own paths. */
import { createOwnsServer } from '../../server/src/modules/server/store.ts';
import { realPath } from '../../server/src/adapters/host/local/real-path.ts';
import type { Database } from '../../server/src/db/database.ts';
import {
  createApprovals,
  createHostReach,
  type HostReach,
} from '../../server/src/modules/host-reach/host-reach.ts';
import { createPlaces, type Places } from '../../server/src/modules/host-reach/places.ts';
import { createHostReachStore } from '../../server/src/modules/host-reach/store.ts';
import { createOrganizations } from '../../server/src/modules/organization/organization.ts';
import { createMemberStore, createOrganizationStore } from '../../server/src/modules/organization/store.ts';
import { systemClock } from '../../server/src/ports/clock.ts';

/** This machine with these paths protected, and no engine. */
export function placesHere(protectedPaths: readonly string[]): Places {
  const engine = { info: () => Promise.reject(new Error('no engine')) };
  return createPlaces({ realPath, protectedPaths, engine });
}

export function hostReachOn(database: Database, protectedPaths: readonly string[] = []): HostReach {
  const organizations = createOrganizations(
    createOrganizationStore(database),
    createMemberStore(database),
    systemClock,
  );
  const approvals = createApprovals({
    store: createHostReachStore(database),
    clock: systemClock,
    ownsServer: createOwnsServer(database),
    standingOf: organizations.standing,
  });
  return createHostReach(approvals, async () => placesHere(protectedPaths));
}
