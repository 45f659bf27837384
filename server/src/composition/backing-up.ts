/** Backups: where they go, what they are made of, the runs of them, and what starts these. */
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../domain/errors.ts';
import { createBackups, type Backups } from '../modules/backup/backup.ts';
import { createDatabaseSource, createPrograms } from '../modules/backup/database-source.ts';
import type { BackupDesk } from '../modules/backup/handlers.ts';
import type { InstallationBackupDesk } from '../modules/backup/handlers-installation.ts';
import { createInstallationBackups } from '../modules/backup/installation.ts';
import { createInstallationSource } from '../modules/backup/installation-source.ts';
import { makeBackup, tidyBackup, type BackupMaking } from '../modules/backup/make-backup.ts';
import { removeStored } from '../modules/backup/retention.ts';
import { createRestores } from '../modules/backup/restores.ts';
import { createRestoring } from '../modules/backup/restore.ts';
import { createBackupRunner } from '../modules/backup/runner.ts';
import { createBackupRuns } from '../modules/backup/runs.ts';
import { createBackupSchedules, type BackupSchedules } from '../modules/backup/schedules.ts';
import type { BackupSources } from '../modules/backup/source.ts';
import { createDestinations, type Destinations } from '../modules/destination/destination.ts';
import { isoTime, randomId } from '../ports/clock.ts';
import type { Adapters } from './adapters.ts';
import { createBesideServers, type BesideParts } from './beside-servers.ts';
import { installationPorts, sealKeyFile } from './installation-snapshot.ts';
import type { Log } from './log.ts';
import { protectedPaths } from './protected-paths.ts';
import type { Stores } from './stores.ts';

export interface BackingUp {
  destinations: Destinations;
  backups: Backups;
  desk: BackupDesk;
  installation: InstallationBackupDesk;
  /** Removes every object that backups of the database have stored. */
  removeStored(databaseId: string, organizationId: string): Promise<void>;
  /** Handler of the queue's `backup` jobs. */
  run: ReturnType<typeof createBackupRunner>;
  schedules: BackupSchedules;
}

const removalLimitMs = 10 * 60_000;

export interface BackingUpParts extends BesideParts {
  config: Config;
  database: Database;
  stores: Stores;
  adapters: Adapters;
  log: Log;
}

export function createBackingUp(parts: BackingUpParts): BackingUp {
  const { config, stores, adapters, engine, clock, queue, log } = parts;
  const destinations = createDestinations(stores.destinations, {
    clock,
    protectedPaths: protectedPaths(config),
    openStore: adapters.objectStores,
  });
  const backups = createBackups(stores.backups, clock);
  const runs = createBackupRuns(stores.backupRuns, queue, clock);
  const beside = createBesideServers(parts);
  const programs = createPrograms(
    engine,
    (service) => `${service.slice(0, 40)}-backup-${randomId(8).toLowerCase()}`,
  );
  const sources: BackupSources = {
    installation: createInstallationSource(
      installationPorts(config, parts.database, adapters.folders.backup, clock),
    ),
    database: createDatabaseSource({
      engine,
      programs,
      async server(databaseId) {
        const server = await beside.running(databaseId);
        if (!server)
          throw new AppError(
            'PRECONDITION_FAILED',
            'The database does not run, so it cannot be dumped. Start it and make the backup again.',
          );
        return server;
      },
    }),
  };
  const making: BackupMaking = {
    runs,
    sources,
    openStore: destinations.open,
    backup: (backupId) => stores.backups.find({ backupId }),
    async good({ backupId }) {
      await stores.backups.update({ backupId }, { lastGoodAt: isoTime(clock), alarmSince: null });
    },
  };
  const restores = createRestores(runs);
  return {
    installation: {
      installation: createInstallationBackups(stores.backups, clock),
      runs,
      sources,
      seal: (passphrase) => sealKeyFile(config, passphrase),
    },
    removeStored: (databaseId, organizationId) =>
      removeStored(
        { runs, openStore: destinations.open },
        databaseId,
        organizationId,
        AbortSignal.timeout(removalLimitMs),
      ),
    destinations,
    backups,
    desk: { backups, runs, restores, sources, logs: adapters.logs, openStore: destinations.open },
    run: createBackupRunner({
      runs,
      logs: adapters.logs,
      clock,
      onFault: (error, backupRunId) => log.fault(error, `backup run ${backupRunId}`),
      operations: {
        backup: { run: (context) => makeBackup(making, context), tidy: (run) => tidyBackup(making, run) },
        ...createRestoring({
          beside,
          programs,
          runs,
          openStore: destinations.open,
          removeContainers: engine.removeContainers,
        }),
      },
    }),
    schedules: createBackupSchedules({
      store: stores.backups,
      runs,
      sources,
      clock,
      onAlarm: ({ backupId, alarmAfterHours, lastGoodAt }) =>
        log.warn('A backup is in alarm', { backupId, alarmAfterHours, lastGoodAt }),
    }),
  };
}
