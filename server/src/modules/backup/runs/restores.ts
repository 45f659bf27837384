/** Restores and trials as records: when one may begin. */
import { AppError } from '../../../domain/errors.ts';
import type { BackupRuns } from './runs.ts';
import type { BackupRecord, BackupRunRecord } from '../store.ts';

export interface Restores {
  /**
   * CONFLICT while another object is being restored into the database; the same one again is the restore
   * under way.
   */
  accept(
    restore: Pick<BackupRunRecord, 'organizationId' | 'destinationId' | 'path' | 'database'> & {
      databaseId: string;
    },
  ): Promise<BackupRunRecord>;
  /** A trial of the newest object; PRECONDITION_FAILED when there is none. */
  acceptTrial(backup: BackupRecord, startedBy: BackupRunRecord['startedBy']): Promise<BackupRunRecord>;
}

export function createRestores(runs: BackupRuns): Restores {
  return {
    async accept({ databaseId, ...restore }) {
      const present = (await runs.unfinished()).find(
        (run) => run.operation === 'restore' && run.databaseId === databaseId,
      );
      if (
        present &&
        present.path === restore.path &&
        present.destinationId === restore.destinationId &&
        present.database === restore.database
      )
        return present;
      if (present)
        throw new AppError(
          'CONFLICT',
          `${present.path} is being restored into this database. Wait for its end: ` +
            'backup.runsByDatabase shows it.',
        );
      return runs.accept({
        ...restore,
        operation: 'restore',
        backupId: null,
        databaseId,
        startedBy: 'person',
        serviceKey: `restore:${databaseId}`,
      });
    },
    async acceptTrial(backup, startedBy) {
      const [newest] = await runs.stored(backup.backupId);
      if (!newest)
        throw new AppError('PRECONDITION_FAILED', 'This backup has no good object yet. Make one first.');
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
      });
    },
  };
}
