/** Backups, restores and trials as records: accepted with their job, followed, ended. */
import { AppError } from '../../../domain/errors.ts';
import type { Fact, TellFact } from '../../../domain/states/fact.ts';
import { isoTime, randomId, type Clock } from '../../../ports/clock.ts';
import type { Queue } from '../../../ports/queue.ts';
import { createSequence } from '../../../ports/sequence.ts';
import type { ServiceRef } from '../../../domain/names/service-ref.ts';
import { ageEnding } from '../../../domain/secrets/age.ts';
import type { BackupRecord, BackupRunRecord, BackupRunStore } from '../store.ts';
import { serviceIdOf, subjectOf, type BackupOwner } from '../../../domain/names/backup-subject.ts';
import { waitUntil } from '../../../ports/wait-until.ts';

export interface Accepting
  extends Pick<
      BackupRunRecord,
      | 'organizationId'
      | 'operation'
      | 'backupId'
      | 'databaseId'
      | 'startedBy'
      | 'destinationId'
      | 'path'
      | 'database'
    >,
    Partial<Pick<BackupRunRecord, 'applicationId' | 'composeId' | 'volumeName' | 'leftOut' | 'moment'>>,
    Partial<Pick<BackupRunRecord, 'recipients' | 'identity'>> {
  /** Runs of one key follow each other. */
  serviceKey: string;
  /** What is backed up or loaded, such as postgres or volume: with the destination, its lane. */
  laneKind: string;
  /** In place of the lane. */
  serverKey?: string;
}

export type RunOutcome =
  | { status: 'done'; patch?: Partial<BackupRunRecord> }
  | { status: 'error'; error: AppError };

/** Looking runs up. */
export interface BackupRunReads {
  one(backupRunId: string, organizationId: string): Promise<BackupRunRecord>;
  find(backupRunId: string): Promise<BackupRunRecord | undefined>;
  /** Newest first. */
  ofBackup(backupId: string, organizationId: string): Promise<BackupRunRecord[]>;
  ofDatabase(databaseId: string, organizationId: string): Promise<BackupRunRecord[]>;
  ofService(service: BackupOwner, organizationId: string): Promise<BackupRunRecord[]>;
  unfinished(): Promise<BackupRunRecord[]>;
  /** Ended ones that could not give back the service which they had stopped or paused. */
  stillHolding(): Promise<BackupRunRecord[]>;
  /** The run of whose object this is the path; undefined for one that Berth knows nothing of. */
  ofObject(destinationId: string, path: string): Promise<BackupRunRecord | undefined>;
  /** When objects at a destination were last restored on trial, by their paths. */
  restoredAt(destinationId: string, organizationId: string): Promise<Map<string, string>>;
  /** Public keys of a destination: whom backups are encrypted for, and whose private keys are stored. */
  keysOf: BackupRunStore['keysOf'];
  /** Objects of a backup that are kept, newest first. */
  stored(backupId: string): Promise<BackupRunRecord[]>;
  /** Waits for the end; throws the run's own error when it failed, the signal's reason when that fires. */
  settled(backupRunId: string, signal: AbortSignal): Promise<BackupRunRecord>;
}

export interface BackupRuns extends BackupRunReads {
  /** Stores run and job in one transaction; `wake` the queue after it. */
  accept(accepting: Accepting): Promise<BackupRunRecord>;
  /** A run of this backup, whose object stands under the backup's prefix. */
  acceptBackup(
    backup: BackupRecord,
    options: { startedBy: BackupRunRecord['startedBy']; ending: string },
  ): Promise<BackupRunRecord>;
  record(backupRunId: string, patch: Partial<BackupRunRecord>): Promise<void>;
  finish(backupRunId: string, outcome: RunOutcome): Promise<void>;
  /**
   * Ends a queued or running run for a person; what it was making is removed. PRECONDITION_FAILED when it has
   * ended, CONFLICT while a restore changes over.
   */
  cancel(backupRunId: string, organizationId: string): Promise<BackupRunRecord>;
  /** Ends those of a service that is removed, like `cancel`. */
  cancelOf(service: Pick<ServiceRef, 'serviceId'>): Promise<void>;
  wake(): void;
}

const pollMs = 250;
const errorLimit = 4000;
/** The reason stands in the last words of a program. */
const shortened = (message: string): string =>
  message.length <= errorLimit ? message : `${message.slice(0, 500)} … ${message.slice(500 - errorLimit)}`;
const newestFirst = { by: ['sequence' as const], direction: 'desc' as const };

/** `tell` is told of each run that ended. */
export function createBackupRuns(
  store: BackupRunStore,
  queue: Queue,
  clock: Clock,
  tell?: TellFact,
): BackupRuns {
  const nextSequence = createSequence(clock);

  async function accept(asked: Accepting): Promise<BackupRunRecord> {
    const { serviceKey, laneKind: _lane, serverKey, ...accepting } = asked;
    const run = queuedRun(accepting, { createdAt: isoTime(clock), sequence: nextSequence() });
    await store.insert(run);
    await queue.enqueue({
      kind: 'backup',
      payload: { backupRunId: run.backupRunId },
      serviceKey,
      serverKey: serverKey ?? laneOf(asked),
    });
    return run;
  }
  const reads = createReads(store);
  const cancelling: Cancelling = { store, reads, clock };

  return {
    accept,
    cancel: (backupRunId, organizationId) => cancel(cancelling, backupRunId, organizationId),
    async cancelOf({ serviceId }) {
      for (const { backupRunId, organizationId, ...run } of await reads.unfinished())
        if (serviceIdOf(run) === serviceId) await endByHand(cancelling, backupRunId, organizationId);
    },
    async acceptBackup(backup, { startedBy, ending }) {
      const { recipients } = await store.keysOf(backup.destinationId);
      return accept({
        recipients,
        organizationId: backup.organizationId,
        operation: 'backup',
        backupId: backup.backupId,
        databaseId: backup.databaseId,
        startedBy,
        destinationId: backup.destinationId,
        path: objectPath(backup, recipients.length === 0 ? ending : `${ending}${ageEnding}`, clock),
        database: backup.database,
        applicationId: backup.applicationId,
        composeId: backup.composeId,
        volumeName: backup.volumeName,
        serviceKey: `backup:${serviceIdOf(backup) ?? backup.sourceType}`,
        laneKind: laneKindOf(backup),
      });
    },
    ...reads,
    record: async (backupRunId, patch) => void (await store.update({ backupRunId }, patch)),
    finish: (backupRunId, outcome) =>
      store.transaction(async () => {
        const run = await end(store, backupRunId, { ...outcome, finishedAt: isoTime(clock) });
        const fact = run && factOf(run);
        if (fact) await tell?.(fact);
      }),
    wake: queue.wake,
  };
}

/** The run; undefined when it had ended already. */
async function end(
  store: BackupRunStore,
  backupRunId: string,
  { finishedAt, ...outcome }: RunOutcome & { finishedAt: string },
): Promise<BackupRunRecord | undefined> {
  const patch =
    outcome.status === 'done'
      ? outcome.patch
      : { errorCode: outcome.error.code, errorMessage: shortened(outcome.error.message) };
  const { status } = outcome;
  const ended = { ...patch, status, finishedAt, identity: null };
  const isEnded = await store.update({ backupRunId, status: 'running' }, ended);
  return isEnded === 1 ? store.find({ backupRunId }) : undefined;
}

/** A destination that hangs holds up its own runs of this kind only, and a restore waits for none. */
const laneOf = ({ operation, destinationId, laneKind, serviceKey }: Accepting): string =>
  changing.has(operation) ? serviceKey : `backups:${destinationId}:${operation}:${laneKind}`;

const changing: ReadonlySet<string> = new Set(['restore', 'return', 'branch']);

/** Whether a person waits for the operation, and it changes what runs. */
export const changesWhatRuns = (operation: BackupRunRecord['operation']): boolean => changing.has(operation);

interface Cancelling {
  store: BackupRunStore;
  reads: BackupRunReads;
  clock: Clock;
}

async function cancel(
  cancelling: Cancelling,
  backupRunId: string,
  organizationId: string,
): Promise<BackupRunRecord> {
  if (await endByHand(cancelling, backupRunId, organizationId))
    return cancelling.reads.one(backupRunId, organizationId);
  throw new AppError('PRECONDITION_FAILED', 'The run has ended already, so there is nothing to end.');
}

/** Whether it had not ended yet. */
async function endByHand(
  { store, reads, clock }: Cancelling,
  backupRunId: string,
  organizationId: string,
): Promise<boolean> {
  const run = await reads.one(backupRunId, organizationId);
  if (run.steps.some(({ name, status }) => name === changeOverStep && status === 'running'))
    throw new AppError(
      'CONFLICT',
      'The restore is changing over to what it loaded and cannot be ended now. Wait for its end.',
    );
  for (const status of ['queued', 'running'] as const) {
    const end = {
      status: 'error',
      errorCode: endedByHand.code,
      errorMessage: endedByHand.message,
      identity: null,
    } as const;
    const isEnded = await store.update(
      { backupRunId, organizationId, status },
      { ...end, finishedAt: isoTime(clock) },
    );
    if (isEnded === 1) return true;
  }
  return false;
}

/** Name of the step in which a restore replaces the running data. */
export const changeOverStep = 'change over';

export const endedByHand = new AppError('PRECONDITION_FAILED', 'It was ended by hand before it was done.');

export const laneKindOf = ({ databaseType, sourceType }: BackupRecord): string => databaseType ?? sourceType;

const operationWords = {
  backup: 'backup',
  restore: 'restore',
  verification: 'trial restore',
  return: 'return',
  branch: 'branch',
} as const;

/** Of what a person waits for, and of trials that went well, nothing is told. */
function factOf(record: BackupRunRecord): Fact | undefined {
  const { status, organizationId, operation, backupId, backupRunId, ...run } = record;
  if (changesWhatRuns(operation) || (operation === 'verification' && status === 'done')) return undefined;
  const isBase = /\.base\.tar\.gz(\.age)?$/.test(run.path);
  const words = isBase ? 'base backup for the recovery' : operationWords[operation];
  const what = `The ${words} of ${subjectOf(run)}`;
  return {
    event: status === 'done' ? 'backupDone' : 'backupFailed',
    organizationId,
    subject: {
      type: 'backup',
      id: backupId ?? serviceIdOf(run) ?? backupRunId,
      name: what.replace('The ', ''),
    },
    sentence:
      status === 'done'
        ? `${what} is done: ${run.path}.`
        : `${what} failed: ${run.errorMessage ?? ''}${operation === 'verification' ? wayOf(run) : ''}`,
  };
}

const wayOf = ({ path }: Pick<BackupRunRecord, 'path'>): string =>
  ` The object ${path} is stored, and cannot be restored as it is: mend what the reason names and make a ` +
  'backup again, or restore it with leaveOut, which goes on without what fails and lists it.';

function queuedRun(
  accepting: Omit<Accepting, 'serviceKey' | 'laneKind'>,
  at: { createdAt: string; sequence: number },
): BackupRunRecord {
  return {
    backupRunId: randomId(),
    status: 'queued',
    steps: [],
    bytes: null,
    storedBytes: null,
    checksum: null,
    isStored: false,
    previousVolume: null,
    previousDatabase: null,
    restoredAt: null,
    shape: null,
    leftOut: null,
    moment: null,
    errorCode: null,
    errorMessage: null,
    startedAt: null,
    finishedAt: null,
    applicationId: null,
    composeId: null,
    volumeName: null,
    held: null,
    recipients: [],
    identity: null,
    ...accepting,
    ...at,
  };
}

function createReads(store: BackupRunStore): BackupRunReads {
  return {
    async one(backupRunId, organizationId) {
      const run = await store.find({ backupRunId, organizationId });
      if (!run)
        throw new AppError(
          'NOT_FOUND',
          'There is no such run of a backup. It may have been removed with its database.',
        );
      return run;
    },
    find: (backupRunId) => store.find({ backupRunId }),
    ofBackup: (backupId, organizationId) => store.list({ backupId, organizationId }, newestFirst),
    ofDatabase: (databaseId, organizationId) => store.list({ databaseId, organizationId }, newestFirst),
    ofService: (service, organizationId) => store.list({ ...service, organizationId }, newestFirst),
    unfinished: () => store.unfinished(),
    stillHolding: () => store.stillHolding(),
    ofObject: async (destinationId, path) =>
      (await store.list({ destinationId, path, operation: 'backup' }, newestFirst))[0],
    restoredAt: async (destinationId, organizationId) =>
      new Map(
        (await store.list({ destinationId, organizationId, operation: 'backup', isStored: true })).flatMap(
          ({ path, restoredAt }) => (restoredAt === null ? [] : [[path, restoredAt] as const]),
        ),
      ),
    keysOf: (destinationId) => store.keysOf(destinationId),
    stored: (backupId) => store.list({ backupId, operation: 'backup', isStored: true }, newestFirst),
    async settled(backupRunId, signal) {
      const look = async (): Promise<BackupRunRecord | undefined> => {
        const run = await store.find({ backupRunId });
        if (!run) throw new AppError('NOT_FOUND', 'The run was removed before it ended.');
        if (run.status === 'error')
          throw new AppError(run.errorCode ?? 'INTERNAL_SERVER_ERROR', run.errorMessage ?? 'It failed.');
        return run.status === 'done' ? run : undefined;
      };
      return waitUntil(look, { everyMs: pollMs, signal });
    },
  };
}

/** Says what, when and which, and is no other run's. */
function objectPath(
  { prefix, database, volumeName, sourceType }: BackupRecord,
  ending: string,
  clock: Clock,
): string {
  const name =
    sourceType === 'installation'
      ? 'berth'
      : (volumeName ?? database)
          .replaceAll(/[^\w.-]+/g, '_')
          .replace(/^[.-]+/, '_')
          .slice(0, 60) || 'database';
  const time = isoTime(clock).slice(0, 19).replaceAll(':', '-');
  const file = `${name}-${time}-${randomId(6).toLowerCase()}.${ending}`;
  return [...prefix.split('/').filter((part) => part !== '' && part !== '.'), file].join('/');
}
