/** Backups on a real database and a real folder, with a source of the test's own: what is around the dump, without an engine. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileLogs } from '../../server/src/adapters/deployment-log/file-log.ts';
import { createObjectStores } from '../../server/src/adapters/object-store/stores.ts';
import type { Database } from '../../server/src/db/database.ts';
import type { TableRecord } from '../../server/src/db/tables.ts';
import { tableStore } from '../../server/src/db/table-store.ts';
import { createQueue } from '../../server/src/jobs/queue.ts';
import { createJobStore } from '../../server/src/jobs/store.ts';
import { createBackups } from '../../server/src/modules/backup/backup.ts';
import { backupContract } from '../../server/src/modules/backup/contract.ts';
import { installationBackupContract } from '../../server/src/modules/backup/contract-installation.ts';
import { backupHandlers } from '../../server/src/modules/backup/handlers.ts';
import { installationBackupHandlers } from '../../server/src/modules/backup/handlers-installation.ts';
import { createInstallationBackups } from '../../server/src/modules/backup/installation.ts';
import { makeBackup } from '../../server/src/modules/backup/make-backup.ts';
import { createRestores } from '../../server/src/modules/backup/restores.ts';
import type { RunContext } from '../../server/src/modules/backup/run-context.ts';
import { createBackupRunner } from '../../server/src/modules/backup/runner.ts';
import { createBackupRuns } from '../../server/src/modules/backup/runs.ts';
import { createBackupSchedules } from '../../server/src/modules/backup/schedules.ts';
import type { BackupSources } from '../../server/src/modules/backup/source.ts';
import { createBackupRunStore, createBackupStore } from '../../server/src/modules/backup/store.ts';
import type { Bytes } from '../../server/src/modules/backup/streams.ts';
import { destinationContract } from '../../server/src/modules/destination/contract.ts';
import { createDestinations } from '../../server/src/modules/destination/destination.ts';
import { destinationHandlers } from '../../server/src/modules/destination/handlers.ts';
import { createDestinationStore } from '../../server/src/modules/destination/store.ts';
import type { Clock } from '../../server/src/ports/clock.ts';
import { isoTime } from '../../server/src/ports/clock.ts';
import { router, type Router } from '../../server/src/procedure/registry.ts';

export interface BackupDeskState {
  readonly routers: Router[];
  /** Folder of local destinations. */
  readonly folder: string;
  /** What the next dumps give. */
  dump: () => Bytes;
  /** What a restore or a trial does. */
  load: (context: RunContext) => Promise<void>;
  tick(): Promise<void>;
  /** Runs one queued job of backups as often as it was tried before and once more; false when there is none. */
  work(signal?: AbortSignal): Promise<boolean>;
  /** Resolves when what runs in the background is over. */
  idle(): Promise<void>;
  /** Jobs wait for `work` instead of running at once. */
  holds: boolean;
  alarms: string[];
  tidied: string[];
}

export function createBackupDesk(database: Database, clock: Clock): BackupDeskState {
  const folder = mkdtempSync(join(tmpdir(), 'berth-backups-'));
  const stores = {
    backups: createBackupStore(database),
    runs: createBackupRunStore(database),
    jobs: createJobStore(database),
  };
  const jobs = tableStore(database, 'job');
  const destinations = createDestinations(createDestinationStore(database), {
    clock,
    protectedPaths: [],
    openStore: createObjectStores({ rclonePath: '/usr/bin/rclone', scratch: folder }),
  });
  const runs = createBackupRuns(
    stores.runs,
    createQueue(stores.jobs, clock, () => {
      if (!state.holds) background = background.then(() => work()).then(() => undefined);
    }),
    clock,
  );
  let background = Promise.resolve();
  const logs = createFileLogs(join(folder, 'logs'), clock);
  const ending = (): string => 'dump.gz';
  const tidy = async (backupRunId: string): Promise<void> => void state.tidied.push(backupRunId);
  const source = {
    ending,
    tidy,
    open: async () => ({ title: 'the test', secrets: ['top-secret'], read: () => state.dump() }),
  };
  const sources: BackupSources = { database: source, installation: source };
  const backups = createBackups(stores.backups, clock);
  const restores = createRestores(runs);
  const making = {
    runs,
    sources,
    openStore: destinations.open,
    backup: (backupId: string) => stores.backups.find({ backupId }),
    good: async ({ backupId }: TableRecord<'backup'>) =>
      void (await stores.backups.update({ backupId }, { lastGoodAt: isoTime(clock), alarmSince: null })),
  };
  const load = { run: (context: RunContext) => state.load(context), tidy: async () => undefined };
  const runner = createBackupRunner({
    runs,
    logs,
    clock,
    onFault: (error) => {
      throw error;
    },
    operations: {
      backup: { run: (context) => makeBackup(making, context), tidy: async (run) => tidy(run.backupRunId) },
      restore: load,
      verification: load,
    },
  });
  const schedules = createBackupSchedules({
    store: stores.backups,
    runs,
    sources,
    clock,
    onAlarm: ({ backupId }) => void state.alarms.push(backupId),
  });

  async function work(signal = new AbortController().signal): Promise<boolean> {
    const [job] = (
      await jobs.list({ kind: 'backup', state: 'queued' }, { by: ['sequence'], direction: 'asc' })
    ).slice(0, 1);
    if (
      !job ||
      (await jobs.update(
        { jobId: job.jobId, state: 'queued' },
        { state: 'running', attempts: job.attempts + 1 },
      )) !== 1
    )
      return false;
    await runner({ ...job, attempts: job.attempts + 1 }, signal);
    await jobs.update({ jobId: job.jobId }, { state: signal.aborted ? 'queued' : 'done' });
    return true;
  }

  const state: BackupDeskState = {
    folder,
    idle: () => background,
    holds: false,
    alarms: [],
    tidied: [],
    tick: schedules.tick,
    work,
    load: async () => undefined,
    async *dump() {
      yield Buffer.from('the whole dump');
    },
    routers: [
      router(
        'backup',
        backupContract,
        backupHandlers({ backups, runs, restores, sources, logs, openStore: destinations.open }),
      ),
      router(
        'installationBackup',
        installationBackupContract,
        installationBackupHandlers({
          installation: createInstallationBackups(stores.backups, clock),
          runs,
          sources,
          seal: async (passphrase) => `sealed with ${passphrase.length}`,
        }),
      ),
      router('destination', destinationContract, destinationHandlers(destinations)),
    ],
  };
  return state;
}
