/**
 * Backups on a real database and a real folder, with a source of the test's own: what is around the dump,
 * without an engine.
 */
import type { Fact } from '../../server/src/domain/states/fact.ts';
import type { Quotas } from '../../server/src/modules/quota/quota.ts';
import { createQuotaStore } from '../../server/src/modules/quota/store.ts';
import { quotasOf } from '../../server/src/deploy/quotas.ts';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileLogs } from '../../server/src/adapters/deployment-log/file-log.ts';
import { homeOutgoing } from '../integration/git/outgoing-fixture.ts';
import { createObjectStores } from '../../server/src/adapters/object-store/stores.ts';
import type { Database } from '../../server/src/db/database.ts';
import { tableStore } from '../../server/src/db/table-store.ts';
import { createQueue } from '../../server/src/jobs/queue.ts';
import { createJobStore } from '../../server/src/jobs/store.ts';
import type { DatabaseRecord } from '../../server/src/db/tables.ts';
import { createBranches, type Branches } from '../../server/src/modules/backup/branch/branches.ts';
import { createMembers } from '../../server/src/modules/organization/member.ts';
import { createMemberStore } from '../../server/src/modules/organization/store.ts';
import { createServiceCopies } from '../../server/src/modules/service/service-copies.ts';
import { createServiceRows } from '../../server/src/modules/service/store.ts';
import { createServiceNames } from '../../server/src/modules/service-name/service-name.ts';
import { createServiceNameStore } from '../../server/src/modules/service-name/store.ts';
import { specsOfRelease } from '../../server/src/deploy/compose/compose-snapshot.ts';
import { createCoverage } from '../../server/src/modules/backup/coverage/coverage.ts';
import { createRecoveries, type Recoveries } from '../../server/src/modules/backup/recovery/recovery.ts';
import { createBackups } from '../../server/src/modules/backup/backup.ts';
import { backupContract } from '../../server/src/modules/backup/contract.ts';
import { installationBackupContract } from '../../server/src/modules/backup/contract-installation.ts';
import { backupHandlers } from '../../server/src/modules/backup/handlers.ts';
import { installationBackupHandlers } from '../../server/src/modules/backup/handlers-installation.ts';
import { createInstallationBackups } from '../../server/src/modules/backup/installation.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import { volumeBackupContract } from '../../server/src/modules/backup/contract-volumes.ts';
import { volumeBackupHandlers } from '../../server/src/modules/backup/volumes/handlers.ts';
import { createVolumeBackups } from '../../server/src/modules/backup/volumes/volume-backup.ts';
import type { VolumeServices } from '../../server/src/modules/backup/volumes/volume-service.ts';
import { makeBackup, noteGood } from '../../server/src/modules/backup/runs/make-backup.ts';
import { createRestores } from '../../server/src/modules/backup/runs/restores.ts';
import type { RunContext } from '../../server/src/modules/backup/runs/run-context.ts';
import { createBackupRunner } from '../../server/src/modules/backup/runs/runner.ts';
import { createBackupRuns, type BackupRuns } from '../../server/src/modules/backup/runs/runs.ts';
import { createBackupSchedules } from '../../server/src/modules/backup/runs/schedules.ts';
import type { BackupSources } from '../../server/src/modules/backup/source.ts';
import {
  createBackupRunStore,
  createBackupStore,
  createBranchStore,
  createCoverageStore,
  createRecoveryStore,
  type BackupStore,
  type BackupRecord,
} from '../../server/src/modules/backup/store.ts';
import type { Bytes } from '../../server/src/modules/backup/runs/unpack/bytes.ts';
import { destinationContract } from '../../server/src/modules/destination/contract.ts';
import { createDestinations, type Destinations } from '../../server/src/modules/destination/destination.ts';
import { destinationHandlers } from '../../server/src/modules/destination/handlers.ts';
import { createDestinationStore } from '../../server/src/modules/destination/store.ts';
import type { Clock } from '../../server/src/ports/clock.ts';
import type { DeploymentLogs } from '../../server/src/ports/deployment-log.ts';
import { router, type Router } from '../../server/src/procedure/registry.ts';

export interface BackupDeskState {
  readonly routers: Router[];
  /** Folder of local destinations. */
  readonly folder: string;
  readonly runs: BackupRuns;
  readonly openStore: Destinations['open'];
  /** What the next dumps give. */
  dump: () => Bytes;
  /** What a restore or a trial does. */
  load: (context: RunContext) => Promise<void>;
  tick(): Promise<void>;
  /**
   * Runs one queued job of backups as often as it was tried before and once more; false when there is none.
   */
  work(signal?: AbortSignal): Promise<boolean>;
  /** Resolves when what runs in the background is over. */
  idle(): Promise<void>;
  /** Jobs wait for `work` instead of running at once. */
  holds: boolean;
  /** Bytes of disk that must stay free. */
  keptFree: number;
  alarms: string[];
  /** Facts that left. */
  told: Fact[];
  tidied: string[];
  /** Backups of which an object was to be restored on trial. */
  triedOut: string[];
  /** Schema and settings of what is dumped. */
  shape: string;
}

export function createBackupDesk(database: Database, clock: Clock): BackupDeskState {
  const folder = mkdtempSync(join(tmpdir(), 'berth-backups-'));
  const stores = { backups: createBackupStore(database), jobs: createJobStore(database) };
  const destinations = createDestinations(createDestinationStore(database), {
    clock,
    localRoot: join(folder, 'local'),
    reachesHost: async () => true,
    realPath: async (path) => path,
    openStore: createObjectStores({ rclonePath: '/usr/bin/rclone', scratch: folder, outgoing: homeOutgoing }),
  });
  let background = Promise.resolve();
  const work = async (): Promise<void> => void (await state.work());
  const onQueued = (): void => void (state.holds || (background = background.then(work)));
  const parts: Parts = {
    clock,
    backups: stores.backups,
    runs: createBackupRuns(
      createBackupRunStore(database),
      createQueue(stores.jobs, clock, onQueued),
      clock,
      async (fact) => void state.told.push(fact),
    ),
    logs: createFileLogs(join(folder, 'logs'), clock),
    sources: sourcesOf(() => state),
    openStore: destinations.open,
    requireQuota: quotasOf({ quotas: createQuotaStore(database) }).requireBackupRoom,
  };
  const runner = runnerOf(parts, () => state);
  const schedules = createBackupSchedules({
    store: stores.backups,
    runs: parts.runs,
    sources: parts.sources,
    clock,
    tell: async (fact) => void state.told.push(fact),
    onAlarm: ({ backupId }) => void state.alarms.push(backupId),
  });
  const state: BackupDeskState = {
    folder,
    runs: parts.runs,
    openStore: parts.openStore,
    idle: () => background,
    holds: false,
    keptFree: 0,
    alarms: [],
    told: [],
    tidied: [],
    triedOut: [],
    shape: 'first',
    tick: schedules.tick,
    work: (signal = new AbortController().signal) => workOne(database, runner, signal),
    load: async () => undefined,
    async *dump() {
      yield Buffer.from('the whole dump');
    },
    routers: backupRouters(database, parts).concat(
      router('destination', destinationContract, destinationHandlers(destinations)),
    ),
  };
  return state;
}

/** What the runner, the timer and the routers are made of. */
interface Parts {
  clock: Clock;
  backups: BackupStore;
  runs: BackupRuns;
  logs: DeploymentLogs;
  sources: BackupSources;
  openStore: Destinations['open'];
  requireQuota: Quotas['requireBackupRoom'];
}

function sourcesOf(state: () => BackupDeskState): BackupSources {
  const source = {
    ending: () => 'dump.gz',
    tidy: async ({ backupRunId }: { backupRunId: string }) => void state().tidied.push(backupRunId),
    open: async () => ({
      title: 'the test',
      secrets: ['top-secret'],
      read: () => state().dump(),
      shape: async () => state().shape,
    }),
  };
  return { database: source, installation: source, volume: source, stream: source };
}

function runnerOf(
  { clock, backups, runs, logs, sources, openStore, requireQuota }: Parts,
  state: () => BackupDeskState,
): ReturnType<typeof createBackupRunner> {
  const making = {
    runs,
    sources,
    openStore,
    backup: (backupId: string) => backups.find({ backupId }),
    requireQuota,
    keptFree: async () => state().keptFree,
    good: noteGood(backups, clock),
    tryOut: async (backup: BackupRecord) => void state().triedOut.push(backup.backupId),
  };
  const load = { run: (context: RunContext) => state().load(context), tidy: async () => undefined };
  return createBackupRunner({
    runs,
    logs,
    clock,
    onFault: (error) => {
      throw error;
    },
    operations: {
      backup: {
        run: (context) => makeBackup(making, context),
        tidy: async ({ backupRunId }) => void state().tidied.push(backupRunId),
      },
      restore: load,
      verification: load,
      return: load,
      branch: load,
    },
  });
}

/** Claims the oldest queued job of backups and runs it to its end. */
async function workOne(
  database: Database,
  runner: ReturnType<typeof createBackupRunner>,
  signal: AbortSignal,
): Promise<boolean> {
  const jobs = tableStore(database, 'job');
  const [job] = await jobs.list({ kind: 'backup', state: 'queued' }, { by: ['sequence'], direction: 'asc' });
  if (!job) return false;
  const claimed = await jobs.update(
    { jobId: job.jobId, state: 'queued' },
    { state: 'running', attempts: job.attempts + 1 },
  );
  if (claimed !== 1) return false;
  await runner({ ...job, attempts: job.attempts + 1 }, signal);
  await jobs.update({ jobId: job.jobId }, { state: signal.aborted ? 'queued' : 'done' });
  return true;
}

const unreachable = async (): Promise<never> => {
  throw new AppError('SERVICE_UNAVAILABLE', 'There is no engine here.');
};

/** Applications as their records are, of which nothing runs. */
function neverDeployed(database: Database): VolumeServices {
  const [applications, mounts] = [tableStore(database, 'application'), tableStore(database, 'mount')];
  return {
    async find(ref) {
      const record = await applications.find({ applicationId: ref.serviceId });
      return record && { ref, ...record };
    },
    specs: async () => [],
    recorded: async ({ serviceId }) =>
      (await mounts.list({ applicationId: serviceId, type: 'volume' })).flatMap(
        ({ volumeName }) => volumeName ?? [],
      ),
    live: unreachable,
    disk: unreachable,
    start: unreachable,
    stop: unreachable,
    change: unreachable,
    releaseAgain: unreachable,
    engines: async () => [],
  };
}

function recoveriesOf(
  database: Database,
  { backups, clock, runs }: Pick<Parts, 'backups' | 'clock' | 'runs'>,
): Recoveries {
  return createRecoveries({
    backups,
    clock,
    store: createRecoveryStore(database),
    restores: createRestores(runs),
    findDatabase: foundIn(database),
    problemOf: () => null,
  });
}

export function branchesOf(database: Database, parts: Pick<Parts, 'backups' | 'clock' | 'runs'>): Branches {
  const { clock, runs } = parts;
  return createBranches({
    clock,
    runs,
    store: createBranchStore(database),
    recovery: createRecoveryStore(database),
    recoveries: recoveriesOf(database, parts),
    copies: createServiceCopies(
      createServiceRows(database),
      createServiceNames(createServiceNameStore(database)),
      clock,
    ),
    quotas: quotasOf({ quotas: createQuotaStore(database) }),
    findDatabase: foundIn(database),
    liveImage: async () => undefined,
  });
}

const foundIn =
  (database: Database) =>
  async (databaseId: string, organizationId: string): Promise<DatabaseRecord> => {
    const found = await tableStore(database, 'database').find({ databaseId, organizationId });
    if (found) return found;
    throw new AppError('NOT_FOUND', 'There is no such database.');
  };

function backupRouters(
  database: Database,
  { clock, backups, runs, logs, sources, openStore }: Parts,
): Router[] {
  return [
    router(
      'backup',
      backupContract,
      backupHandlers({
        backups: createBackups(backups, clock),
        runs,
        restores: createRestores(runs),
        recoveries: recoveriesOf(database, { backups, clock, runs }),
        branches: branchesOf(database, { backups, clock, runs }),
        members: createMembers(createMemberStore(database)),
        coverage: createCoverage({
          coverage: createCoverageStore(database),
          backups,
          specsOfRelease,
        }),
        sources,
        logs,
        openStore,
        findDatabase: async () => {
          throw new Error('No volume is put back here.');
        },
      }),
    ),
    router(
      'installationBackup',
      installationBackupContract,
      installationBackupHandlers({
        installation: createInstallationBackups(backups, clock),
        runs,
        sources,
        seal: async (passphrase) => `sealed with ${passphrase.length}`,
      }),
    ),
    router(
      'volumeBackup',
      volumeBackupContract,
      volumeBackupHandlers({
        volumeBackups: createVolumeBackups({
          store: backups,
          runs,
          services: neverDeployed(database),
          clock,
          forgetVolume: unreachable,
        }),
        runs,
        restores: createRestores(runs),
        sources,
        requireKept: unreachable,
      }),
    ),
  ];
}
