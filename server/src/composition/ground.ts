/** What stands before anything else: the database with its stores, Berth's own adapters, its own machine. */
import { databaseHolder } from '../adapters/host/local/database-holder.ts';
import type { Config } from '../config.ts';
import type { SettingsService } from '../modules/settings/settings.ts';
import { isoTime, randomId, systemClock, type Clock } from '../ports/clock.ts';
import type { Database } from '../db/database.ts';
import type { HostConnection } from '../ports/host/host-connection.ts';
import { makeFolders, type Adapters } from './adapters.ts';
import { connectLocal } from './hosts/hosts.ts';
import type { Log } from './installation/log.ts';
import { hearSetUp } from '../modules/settings/told-host.ts';
import { createOutgoingPolicy } from './hosts/outgoing-policy.ts';
import type { Walls } from './hosts/walls.ts';
import type { HostClaims } from '../reconcile/ownership/host-claims.ts';
import { hostClaimsOf } from './hosts/claims.ts';
import { readNextStart } from '../shell/next-start.ts';
import { createDatabaseHolding } from '../db/writing/holding.ts';
import { openStorage } from '../db/storage.ts';
import { openInstallation, type Installation } from '../modules/installation/installation.ts';
import { createStores, type Stores } from './stores.ts';

export interface Ground {
  config: Config;
  log: Log;
  clock: Clock;
  database: Database;
  stores: Stores;
  installation: Installation;
  settings: SettingsService;
  adapters: Adapters;
  /** Berth's own machine. */
  local: HostConnection;
  /** Migrations that this start has applied. */
  applied: readonly number[];
  claims: HostClaims;
  /** Lets another Berth work with the database. */
  letGo(): Promise<void>;
}

export async function openGround(
  config: Config,
  log: Log,
  walls: Pick<Walls, 'files' | 'adapters' | 'settings'>,
  onTakenOver?: (sentence: string) => void,
): Promise<Ground> {
  const clock = systemClock;
  const holder = () => databaseHolder(config.data, randomId());
  const holding = createDatabaseHolding(config.databaseUrl, holder, onTakenOver);
  const { database, applied, isNew } = await openStorage(config, () => isoTime(clock), {
    hold: holding.begin,
    onMigrated: log.info,
  });
  const stores = createStores(database);
  const asked = readNextStart(config.data);
  const installation = await openInstallation({
    store: stores.installation,
    cipher: database.cipher,
    clock,
    isNew,
    restored: asked.restored,
    gaveUp: config.givesUp ?? asked.giveUp,
  });
  const folders = makeFolders(config);
  const files = walls.files();
  const local = connectLocal(config, { folders, files });
  await hearSetUp(stores.settings, config.publicHost, log.info);
  const settings = walls.settings(stores.settings, { serverIp: (await local.facts()).address });
  return {
    config,
    log,
    clock,
    database,
    letGo: holding.end,
    stores,
    installation,
    settings,
    adapters: walls.adapters(config, {
      clock,
      folders,
      files,
      settings,
      policyOf: createOutgoingPolicy(stores, {
        addresses: async () => (await local.facts()).addresses,
        webPorts: [config.httpPort, config.httpsPort],
      }),
    }),
    local,
    applied,
    claims: hostClaimsOf({
      installation,
      adopts: config.adopts || asked.adopt === true,
      log,
      config,
      stores,
    }),
  };
}
