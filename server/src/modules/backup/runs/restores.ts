/** Restores and trials as records: when one may begin. */
import { AppError } from '../../../domain/errors.ts';
import { canOpen, cannotBeTried, requireKey } from '../keys/keys.ts';
import { changesWhatRuns, laneKindOf, type BackupRuns } from './runs.ts';
import type { BackupRecord, BackupRunRecord } from '../store.ts';
import { serviceIdOf } from '../../../domain/names/backup-subject.ts';

/** A database, or a volume of an application or compose service. */
export type RestoreTarget = Pick<BackupRunRecord, 'databaseId'> &
  Partial<Pick<BackupRunRecord, 'applicationId' | 'composeId' | 'volumeName'>>;

export interface Restores {
  /**
   * CONFLICT while another object is being restored into the database; the same one again is the restore
   * under way.
   */
  accept(
    restore: Pick<BackupRunRecord, 'organizationId' | 'destinationId' | 'path' | 'database'> &
      Partial<Pick<BackupRunRecord, 'leftOut' | 'moment'>> & {
        /** A private key that opens the object, when the destination has none. */
        identity?: string | undefined;
        operation?: 'restore' | 'return';
      } & RestoreTarget,
  ): Promise<BackupRunRecord>;
  /** A trial of the newest object; PRECONDITION_FAILED when there is none. */
  acceptTrial(backup: BackupRecord, startedBy: BackupRunRecord['startedBy']): Promise<BackupRunRecord>;
}

export function createRestores(runs: BackupRuns): Restores {
  return {
    async accept(restore) {
      const serviceId = serviceIdOf({ applicationId: null, composeId: null, ...restore });
      // Two volumes of one service cannot change over at once either.
      const present = (await runs.unfinished()).find(
        ({ operation, ...run }) => changesWhatRuns(operation) && serviceIdOf(run) === serviceId,
      );
      if (
        present &&
        present.path === restore.path &&
        present.destinationId === restore.destinationId &&
        present.database === restore.database &&
        present.moment === (restore.moment ?? null) &&
        present.volumeName === (restore.volumeName ?? null)
      )
        return present;
      if (present)
        throw new AppError(
          'CONFLICT',
          restore.databaseId === null
            ? `${present.path} is being restored into a volume of this service. Wait for its end: ` +
                'volumeBackup.runsByService shows it.'
            : `${present.path} is being restored into this database. Wait for its end: ` +
                'backup.runsByDatabase shows it.',
        );
      const identity =
        restore.operation === 'return' ? null : await requireKey(runs, { identity: undefined, ...restore });
      return runs.accept({
        operation: 'restore',
        ...restore,
        identity,
        backupId: null,
        startedBy: 'person',
        serviceKey: `restore:${serviceId ?? ''}`,
        laneKind: 'restore',
      });
    },
    async acceptTrial(backup, startedBy) {
      const trial = await acceptTrial(runs, backup, startedBy);
      if (trial) return trial;
      const [newest] = await runs.stored(backup.backupId);
      if (newest) throw new AppError('PRECONDITION_FAILED', cannotBeTried(newest));
      throw new AppError('PRECONDITION_FAILED', 'This backup has no good object yet. Make one first.');
    },
  };
}

/** A trial of the newest object; undefined when there is none, or Berth has no key of it. */
export async function acceptTrial(
  runs: BackupRuns,
  backup: BackupRecord,
  startedBy: BackupRunRecord['startedBy'],
): Promise<BackupRunRecord | undefined> {
  const [newest] = await runs.stored(backup.backupId);
  if (!newest || !(await canOpen(runs, newest))) return undefined;
  return runs.accept({
    organizationId: backup.organizationId,
    operation: 'verification',
    backupId: backup.backupId,
    databaseId: backup.databaseId,
    startedBy,
    destinationId: newest.destinationId,
    path: newest.path,
    database: backup.database,
    serviceKey: `verification:${backup.backupId}`,
    laneKind: laneKindOf(backup),
  });
}
