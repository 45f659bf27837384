import { AppError, badField } from '../../domain/errors.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { LogEvent } from '../../procedure/log-event.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers, StreamEvent } from '../../procedure/procedure.ts';
import { databaseKinds, type BackupKindName } from '../database/kinds.ts';
import type { Backups } from './backup.ts';
import { databaseOf, type backupContract } from './contract.ts';
import type { Coverage, Covered } from './coverage/coverage.ts';
import { branchHandlers, type BranchDesk } from './branch/handlers.ts';
import { recoveryHandlers, type RecoveryDesk } from './recovery/handlers.ts';
import { listObjects } from './runs/list-objects.ts';
import { requireFormerVolume } from './runs/put-back.ts';
import type { Restores } from './runs/restores.ts';
import type { BackupRuns } from './runs/runs.ts';
import type { BackupSources } from './source.ts';
import type { BackupRunRecord } from './store.ts';

export interface BackupDesk extends RecoveryDesk, BranchDesk {
  backups: Backups;
  runs: BackupRuns;
  restores: Restores;
  sources: BackupSources;
  coverage: Coverage;
  logs: DeploymentLogs;
  openStore(destinationId: string, organizationId: string): Promise<ObjectStore>;
  /** Throws NOT_FOUND when the organization has no such database. */
  findDatabase(databaseId: string, organizationId: string): Promise<DatabaseRecord>;
}

const coverageIdOf = ({ coverageId }: Covered): string => coverageId;
const idOf = ({ backupRunId }: BackupRunRecord): string => backupRunId;

export function backupHandlers({
  backups,
  runs,
  restores,
  sources,
  logs,
  openStore,
  findDatabase,
  recoveries,
  branches,
  members,
  coverage,
}: BackupDesk): Handlers<typeof backupContract, CallContext> {
  const manual =
    (kind: BackupKindName) =>
    async ({ actor, write, signal }: CallContext, { backupId }: { backupId: string }): Promise<true> => {
      const backup = await backups.requireKind(backupId, actor.organizationId, kind);
      const run = await write(() =>
        runs.acceptBackup(backup, { startedBy: 'person', ending: sources.database.ending(backup) }),
      );
      runs.wake();
      await runs.settled(run.backupRunId, signal);
      return true;
    };
  const putBack = async (
    write: CallContext['write'],
    what: Omit<Parameters<Restores['accept']>[0], 'destinationId' | 'operation'>,
  ): Promise<BackupRunRecord> => {
    const run = await write(() => restores.accept({ ...what, destinationId: '', operation: 'return' }));
    runs.wake();
    return run;
  };
  return {
    ...recoveryHandlers({ recoveries, runs }),
    ...branchHandlers({ branches, members, runs }),
    create: ({ actor, write }, input) =>
      write(() => backups.create(actor.organizationId, databaseOf(input), input)),
    one: ({ actor }, { backupId }) => backups.one(backupId, actor.organizationId),
    update: ({ actor, write }, { backupId, ...patch }) =>
      write(() => backups.update(backupId, actor.organizationId, patch)),
    remove: ({ actor, write }, { backupId }) =>
      write(async () => {
        const { organizationId } = actor;
        const removed = await backups.remove(backupId, organizationId);
        for (const { backupRunId, ...run } of await runs.unfinished())
          if (run.backupId === backupId) await runs.cancel(backupRunId, organizationId);
        return removed;
      }),
    async byDatabase({ actor }, input) {
      const named = databaseOf(input);
      await backups.checkDatabase(named, actor.organizationId);
      return paginate(
        await backups.byDatabase(named.databaseId, actor.organizationId),
        input,
        ({ backupId }) => backupId,
      );
    },
    async all({ actor }, input) {
      const reaches = reachOf(actor);
      const reached = (await backups.everywhere(actor.organizationId)).filter(({ scope }) => reaches(scope));
      return paginate(
        reached.map(({ backup }) => backup),
        input,
        ({ backupId }) => backupId,
      );
    },
    coverage: async ({ actor }, page) =>
      paginate(await coverage(actor.organizationId, reachOf(actor)), page, coverageIdOf),
    async run({ actor, write }, { backupId }) {
      const backup = await backups.one(backupId, actor.organizationId);
      const run = await write(() =>
        runs.acceptBackup(backup, { startedBy: 'person', ending: sources.database.ending(backup) }),
      );
      runs.wake();
      return run;
    },
    async restore({ actor, write }, input) {
      const { databaseId, databaseType, databaseName, backupFile, destinationId, leaveOut, identity } = input;
      const { organizationId } = actor;
      await backups.checkDatabase({ databaseId, databaseType }, organizationId);
      const leftOut = leaveOut === true ? [] : null;
      const object = { database: databaseName, path: backupFile, destinationId, leftOut, identity };
      const run = await write(() => restores.accept({ organizationId, databaseId, ...object }));
      runs.wake();
      return run;
    },
    [databaseKinds.mariadb.manualBackup]: manual('mariadb'),
    [databaseKinds.mysql.manualBackup]: manual('mysql'),
    [databaseKinds.postgres.manualBackup]: manual('postgres'),
    [databaseKinds.mongo.manualBackup]: manual('mongo'),
    async verify({ actor, write, signal }, { backupId }) {
      const backup = await backups.one(backupId, actor.organizationId);
      const run = await write(() => restores.acceptTrial(backup, 'person'));
      runs.wake();
      return runs.settled(run.backupRunId, signal);
    },
    runs: async ({ actor }, { backupId, ...page }) =>
      paginate(await runs.ofBackup(backupId, actor.organizationId), page, idOf),
    runsByDatabase: async ({ actor }, { databaseId, ...page }) =>
      paginate(await runs.ofDatabase(databaseId, actor.organizationId), page, idOf),
    cancel: ({ actor, write }, { backupRunId }) =>
      write(() => runs.cancel(backupRunId, actor.organizationId)),
    async undoRestore({ actor, write }, { backupRunId }) {
      const { organizationId } = actor;
      const { databaseId, applicationId, composeId, volumeName, previousVolume, previousDatabase, ...run } =
        await runs.one(backupRunId, organizationId);
      const path = previousDatabase ?? previousVolume;
      if (path === null || (run.status !== 'done' && run.status !== 'error'))
        throw new AppError(
          'PRECONDITION_FAILED',
          'This run keeps no former state that could be put back. backup.runsByDatabase and ' +
            'cleanup.formerVolumes show what is kept.',
        );
      if (databaseId !== null && previousDatabase === null)
        requireFormerVolume(await findDatabase(databaseId, organizationId), path);
      const what = { databaseId, applicationId, composeId, volumeName, path };
      const database = previousDatabase === null ? '' : run.database;
      return putBack(write, { organizationId, ...what, database });
    },
    async useFormerVolume({ actor, write }, { databaseId, applicationId, composeId, volumeName: path }) {
      const { organizationId } = actor;
      const owner = {
        databaseId: databaseId ?? null,
        applicationId: applicationId ?? null,
        composeId: composeId ?? null,
      };
      if (owner.databaseId !== null) {
        requireFormerVolume(await findDatabase(owner.databaseId, organizationId), path);
        return putBack(write, { organizationId, ...owner, volumeName: null, path, database: '' });
      }
      const run = (await runs.ofService(owner, organizationId)).find(
        ({ previousVolume }) => previousVolume === path,
      );
      if (!run) throw badField('volumeName', 'is not one of the former volumes of this service');
      return putBack(write, { organizationId, ...owner, volumeName: run.volumeName, path, database: '' });
    },
    async *runLogs(context, { backupRunId }) {
      const run = await runs.one(backupRunId, context.actor.organizationId);
      yield* followRun({ runs, logs }, run, {
        from: positionIn(context.lastEventId),
        signal: context.signal,
        follow: context.follow,
      });
    },
    async listFiles({ actor, signal }, { destinationId, search, ...page }) {
      const store = await openStore(destinationId, actor.organizationId);
      const objects = await listObjects(store, search ?? '', signal);
      const tried = await runs.restoredAt(destinationId, actor.organizationId);
      const shown = objects.map((object) => ({ ...object, restoredAt: tried.get(object.path) ?? null }));
      return paginate(shown, page, ({ path }) => path);
    },
    async *restoreBackupWithLogs(
      context,
      { databaseId, databaseType, databaseName, backupFile, destinationId, leaveOut, identity },
    ) {
      const { actor, write } = context;
      const resumed = await runAfter(runs, context.lastEventId, actor.organizationId, databaseId);
      if (!resumed) await backups.checkDatabase({ databaseId, databaseType }, actor.organizationId);
      const run =
        resumed ??
        (await write(() =>
          restores.accept({
            organizationId: actor.organizationId,
            databaseId,
            database: databaseName,
            path: backupFile,
            destinationId,
            leftOut: leaveOut === true ? [] : null,
            identity,
          }),
        ));
      runs.wake();
      yield* followRun({ runs, logs }, run, {
        from: positionIn(context.lastEventId),
        signal: context.signal,
        follow: true,
      });
    },
  };
}

/**
 * The id of an event names the run and the position in its log, so that a client that reconnects does not
 * start a second restore.
 */
async function runAfter(
  runs: BackupRuns,
  lastEventId: string | undefined,
  organizationId: string,
  databaseId: string,
): Promise<BackupRunRecord | undefined> {
  const [backupRunId = ''] = (lastEventId ?? '').split(':');
  if (backupRunId === '') return undefined;
  const run = await runs.one(backupRunId, organizationId);
  if (run.databaseId !== databaseId)
    throw new AppError('NOT_FOUND', 'The restore that was followed is of another database.');
  return run;
}

function positionIn(lastEventId: string | undefined): number {
  return Number((lastEventId ?? '').split(':').at(-1)) || 0;
}

interface Following {
  from: number;
  signal: AbortSignal;
  /** Whether it goes on until the run's end. */
  follow: boolean;
}

async function* followRun(
  { runs, logs }: Pick<BackupDesk, 'runs' | 'logs'>,
  { backupRunId }: BackupRunRecord,
  { from, signal, follow }: Following,
): AsyncIterable<StreamEvent<LogEvent>> {
  const outcome = async (): Promise<string | undefined> => {
    const status = (await runs.find(backupRunId))?.status;
    return status === 'done' ? 'success' : status === 'error' || status === undefined ? 'error' : undefined;
  };
  let last = from;
  for await (const { position, text } of logs.follow(backupRunId, {
    from,
    signal,
    isFinished: async () => !follow || (await outcome()) !== undefined,
  })) {
    last = position;
    yield { id: `${backupRunId}:${position}`, data: { type: 'line', text } };
  }
  const end = await outcome();
  if (end !== undefined) yield { id: `${backupRunId}:${last}`, data: { type: 'end', outcome: end } };
}
