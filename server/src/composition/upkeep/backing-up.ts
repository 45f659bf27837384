/** Backups: where they go, what they are made of, the runs of them, and what starts these. */
import { specsOfRelease } from '../../deploy/compose/compose-snapshot.ts';
import { quotasOf } from '../../deploy/quotas.ts';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import type { DiskRoom } from '../../domain/resources/free-disk.ts';
import { localServer, serverKeyOf } from '../../domain/names/server-key.ts';
import { createVolumeBackups, type VolumeBackups } from '../../modules/backup/volumes/volume-backup.ts';
import type { VolumeBackupDesk } from '../../modules/backup/volumes/handlers.ts';
import { createVolumeRestoring } from '../../modules/backup/volumes/volume-restore.ts';
import { foundService, type VolumeServices } from '../../modules/backup/volumes/volume-service.ts';
import { createBaseSource } from '../../modules/backup/recovery/base-source.ts';
import { createRecoveryFollower, type RecoveryFollower } from '../../modules/backup/recovery/follow.ts';
import { createRecoveries, type Recoveries } from '../../modules/backup/recovery/recovery.ts';
import { removeSpans } from '../../modules/backup/recovery/retention.ts';
import { restoreToMoment, type MomentPorts } from '../../modules/backup/recovery/restore-to-moment.ts';
import { fillData } from '../../modules/backup/recovery/fill-data.ts';
import { createBranching } from '../../modules/backup/branch/branch-run.ts';
import { createCoverage } from '../../modules/backup/coverage/coverage.ts';
import { createBranches, type Branches } from '../../modules/backup/branch/branches.ts';
import { createServiceNames } from '../../modules/service-name/service-name.ts';
import { createServiceCopies } from '../../modules/service/service-copies.ts';
import { askServer } from '../../modules/database/ask-server.ts';
import { createKeptVolumes } from '../../modules/cleanup/kept-volumes.ts';
import { createVolumeSource } from '../../modules/backup/volumes/volume-source.ts';
import type { DiskRooms } from '../../modules/backup/disk-room.ts';
import { createBackups, type Backups } from '../../modules/backup/backup.ts';
import { createDatabaseSource, createPrograms, type Programs } from '../../modules/backup/database-source.ts';
import type { BackupDesk } from '../../modules/backup/handlers.ts';
import type { InstallationBackupDesk } from '../../modules/backup/handlers-installation.ts';
import { createInstallationBackups } from '../../modules/backup/installation.ts';
import { createInstallationSource } from '../../modules/backup/installation-source.ts';
import {
  makeBackup,
  noteGood,
  tidyBackup,
  type BackupMaking,
} from '../../modules/backup/runs/make-backup.ts';
import { removeStored } from '../../modules/backup/runs/retention.ts';
import { acceptTrial, createRestores } from '../../modules/backup/runs/restores.ts';
import { createPutBack } from '../../modules/backup/runs/put-back.ts';
import { createRestoring, type BesideServers } from '../../modules/backup/runs/restore.ts';
import {
  createBackupRunner,
  type BackupRunnerPorts,
  type RunOperation,
} from '../../modules/backup/runs/runner.ts';
import type { BackupRunRecord } from '../../modules/backup/store.ts';
import { createBackupRuns, type BackupRuns } from '../../modules/backup/runs/runs.ts';
import { createBackupSchedules, type BackupSchedules } from '../../modules/backup/runs/schedules.ts';
import type { BackupSourceKind, BackupSources } from '../../modules/backup/source.ts';
import type { createDestinations, Destinations } from '../../modules/destination/destination.ts';
import type { HostReach } from '../../modules/host-reach/host-reach.ts';
import type { SettingsService } from '../../modules/settings/settings.ts';
import { isoTime, randomId } from '../../ports/clock.ts';
import type { Adapters } from '../adapters.ts';
import { createBesideServers, type BesideParts } from '../../deploy/database/temporary-server.ts';
import { installationCopies, sealKeyFile } from '../../db/installation-copy.ts';
import type { Accounts } from '../installation/accounts.ts';
import type { Log } from '../installation/log.ts';
import { version } from '../installation/version.ts';
import type { Notifying } from './notifying.ts';
import type { Stores } from '../stores.ts';

export interface BackingUp {
  destinations: Destinations;
  backups: Backups;
  desk: BackupDesk;
  installation: InstallationBackupDesk;
  volumes: VolumeBackupDesk;
  /** Removes every object that backups of the database have stored. */
  removeStored(databaseId: string, organizationId: string): Promise<void>;
  /** Handler of the queue's `backup` jobs. */
  run: ReturnType<typeof createBackupRunner>;
  schedules: BackupSchedules;
  recovery: RecoveryFollower;
}

const removalLimitMs = 10 * 60_000;

export interface BackingUpParts extends BesideParts {
  config: Config;
  database: Database;
  stores: Stores;
  adapters: Adapters;
  log: Log;
  settings: Pick<SettingsService, 'get'>;
  hostReach: HostReach;
  notifying: Pick<Notifying, 'tell'>;
  accounts: Pick<Accounts, 'members'>;
  volumeServices: VolumeServices;
  createDestinations: typeof createDestinations;
  rooms: DiskRooms;
}

export function createBackingUp(parts: BackingUpParts): BackingUp {
  const { config, stores, adapters, clock, queue, log } = parts;
  const destinations = destinationsOf(parts);
  const backups = createBackups(stores.backups, clock);
  const runs = createBackupRuns(stores.backupRuns, queue, clock, parts.notifying.tell);
  const beside = createBesideServers(parts);
  const programs = createPrograms((service) => `${service.slice(0, 40)}-backup-${randomId(8).toLowerCase()}`);
  const sources = createSources(parts, { beside, programs, runs });
  const restores = createRestores(runs);
  const [{ open }, { logs }] = [destinations, adapters];
  const recovery = followerOf(parts, runs, open);
  const recoveries = createRecoveries({
    clock,
    restores,
    backups: stores.backups,
    store: stores.recovery,
    findDatabase: parts.databases.one,
    problemOf: recovery.problemOf,
  });
  return {
    installation: {
      installation: createInstallationBackups(stores.backups, clock),
      runs,
      sources,
      seal: (passphrase) => sealKeyFile(config, passphrase),
    },
    removeStored: storedRemovalOf(parts, runs, open),
    destinations,
    backups,
    volumes: {
      volumeBackups: volumeBackupsOf(parts, runs),
      runs,
      restores,
      sources,
      requireKept: keptVolumesOf(parts),
    },
    recovery,
    desk: {
      backups,
      runs,
      restores,
      recoveries,
      coverage: createCoverage({ ...stores, specsOfRelease }),
      branches: branchesOf(parts, runs, recoveries),
      members: parts.accounts.members,
      sources,
      logs,
      openStore: open,
      findDatabase: parts.databases.one,
    },
    run: createBackupRunner({
      runs,
      logs,
      clock,
      onFault: (error, backupRunId) => log.fault(error, `backup run ${backupRunId}`),
      operations: createOperations(parts, { runs, sources, beside, programs, openStore: open }),
    }),
    schedules: schedulesOf(parts, runs, sources),
  };
}

function destinationsOf({
  stores,
  config,
  adapters,
  clock,
  hostReach,
  ...parts
}: BackingUpParts): Destinations {
  return parts.createDestinations(stores.destinations, {
    clock,
    localRoot: join(config.data, 'backups-local'),
    reachesHost: hostReach.reachesHost,
    realPath: async (path) =>
      (await hostReach.placesOf(localServer)).real(path, 'path', 'would mix backups with'),
    openStore: adapters.objectStores,
  });
}

function schedulesOf(
  { stores, clock, notifying, log }: BackingUpParts,
  runs: BackupRuns,
  sources: BackupSources,
): BackupSchedules {
  return createBackupSchedules({
    store: stores.backups,
    runs,
    sources,
    clock,
    tell: notifying.tell,
    onAlarm: ({ backupId, alarmAfterHours, lastGoodAt }) =>
      log.warn('A backup is in alarm', { backupId, alarmAfterHours, lastGoodAt }),
  });
}

function storedRemovalOf(
  { stores }: BackingUpParts,
  runs: BackupRuns,
  openStore: Destinations['open'],
): BackingUp['removeStored'] {
  return async (databaseId, organizationId) => {
    const signal = AbortSignal.timeout(removalLimitMs);
    await removeStored({ runs, openStore }, databaseId, organizationId, signal);
    const { backups, recovery } = stores;
    await removeSpans({ backups, store: recovery, openStore }, databaseId, organizationId, signal);
  };
}

function branchesOf(parts: BackingUpParts, runs: BackupRuns, recoveries: Recoveries): Branches {
  const { stores, clock, databases, liveSpec } = parts;
  return createBranches({
    store: stores.branches,
    recovery: stores.recovery,
    recoveries,
    runs,
    copies: createServiceCopies(stores.serviceRows, createServiceNames(stores.serviceNames), clock),
    quotas: quotasOf(stores),
    clock,
    findDatabase: databases.one,
    liveImage: async (database) => (await liveSpec(database))?.image,
  });
}

function followerOf(
  parts: BackingUpParts,
  runs: BackupRuns,
  openStore: Destinations['open'],
): RecoveryFollower {
  const { stores, clock, hosts, liveSpec, databaseRuntime, log, notifying } = parts;
  return createRecoveryFollower({
    backups: stores.backups,
    store: stores.recovery,
    runs,
    hosts,
    clock,
    findDatabase: parts.databases.find,
    liveSpec,
    reload: databaseRuntime.reload,
    openStore,
    requireQuota: quotasOf(stores).requireBackupRoom,
    tell: notifying.tell,
    onFault: (error, backupId) => void log.fault(error, `recovery ${backupId}`),
  });
}

function volumeBackupsOf({ stores, clock, volumeServices }: BackingUpParts, runs: BackupRuns): VolumeBackups {
  return createVolumeBackups({
    store: stores.backups,
    runs,
    services: volumeServices,
    clock,
    forgetVolume: (owner, volumeName) =>
      stores.backupRuns.update({ ...owner, previousVolume: volumeName }, { previousVolume: null }),
  });
}

function keptVolumesOf(parts: BackingUpParts): VolumeBackupDesk['requireKept'] {
  const kept = createKeptVolumes(parts);
  return async (organizationId, ref, volumeName) => {
    const service = await foundService(parts.volumeServices, ref);
    await kept.require(organizationId, serverKeyOf(service), volumeName);
  };
}

function createSources(
  parts: BackingUpParts,
  { beside, programs, runs }: { beside: BesideServers; programs: Programs; runs: BackupRuns },
): BackupSources {
  const { config, database, adapters, clock } = parts;
  const root = adapters.folders.backup;
  const ofDatabases = createDatabaseSource({
    programs,
    removeContainers: beside.removeContainers,
    running: beside.running,
  });
  const ofServices = createVolumeSource({ services: parts.volumeServices, runs });
  // The volume of a Redis database is kept by its dump.
  const sourceOf = ({ databaseId }: Pick<BackupRunRecord, 'databaseId'>): BackupSourceKind =>
    databaseId === null ? ofServices : ofDatabases;
  return {
    installation: createInstallationSource(
      installationCopies(config, database, {
        root,
        version,
        now: () => isoTime(clock),
        disk: () => parts.rooms.ofFolder(root),
      }),
    ),
    database: ofDatabases,
    stream: createBaseSource({
      store: parts.stores.recovery,
      hosts: parts.hosts,
      findDatabase: parts.databases.find,
      liveSpec: parts.liveSpec,
      removeContainers: beside.removeContainers,
    }),
    volume: {
      ending: (backup) => sourceOf(backup).ending(backup),
      open: (backup, context) => sourceOf(backup).open(backup, context),
      tidy: (run) => sourceOf(run).tidy(run),
    },
  };
}

function momentsOf(
  parts: BackingUpParts,
  shared: Pick<MomentPorts, 'beside' | 'openStore' | 'disk'>,
): MomentPorts {
  const { stores, databases } = parts;
  return {
    ...shared,
    store: stores.recovery,
    backupOf: (databaseId) => stores.backups.find({ databaseId, sourceType: 'stream' }),
    findDatabase: databases.find,
    filling: (database, target, backupRunId) => fillData(parts, database, target, backupRunId),
  };
}

interface OperationParts extends Pick<BackupMaking, 'runs' | 'sources' | 'openStore'> {
  beside: BesideServers;
  programs: Programs;
}

function createOperations(
  parts: BackingUpParts,
  { beside, programs, ...shared }: OperationParts,
): BackupRunnerPorts['operations'] {
  const { stores, clock, settings } = parts;
  const disk = async (databaseId: string): Promise<DiskRoom | undefined> =>
    parts.rooms.ofVolumes(await parts.databases.find(databaseId));
  const making: BackupMaking = {
    ...shared,
    backup: (backupId) => stores.backups.find({ backupId }),
    keptFree: async () => (await settings.get()).minFreeDisk,
    requireQuota: quotasOf(stores).requireBackupRoom,
    good: noteGood(stores.backups, clock),
    async tryOut(backup) {
      await acceptTrial(shared.runs, backup, 'schedule');
      shared.runs.wake();
    },
  };
  const { runs, openStore } = shared;
  const ofDatabases = createRestoring({ beside, programs, disk, runs, openStore, clock });
  const ofVolumes = createVolumeRestoring({ services: parts.volumeServices, runs, openStore });
  const moments = momentsOf(parts, { beside, openStore, disk });
  const ofMoments: RunOperation = {
    tidy: ofDatabases.restore.tidy,
    run: (context) => restoreToMoment(moments, context),
  };
  const restoreOf = ({ databaseId, volumeName, moment }: BackupRunRecord): RunOperation =>
    moment !== null
      ? ofMoments
      : databaseId === null && volumeName !== null
        ? ofVolumes
        : ofDatabases.restore;
  return {
    backup: { run: (context) => makeBackup(making, context), tidy: (run) => tidyBackup(making, run) },
    verification: ofDatabases.verification,
    branch: createBranching({
      beside,
      programs,
      disk,
      runs,
      openStore,
      clock,
      moments,
      branches: stores.branches,
      databases: parts.databases,
      tidyRestore: ofDatabases.restore.tidy,
      ask: ({ engine, service }, script, asking) => askServer(engine, service, script, asking),
    }),
    return: createPutBack({ beside, programs, runs, services: parts.volumeServices }),
    restore: {
      run: (context) => restoreOf(context.run).run(context),
      tidy: (run) => restoreOf(run).tidy(run),
    },
  };
}
