import type { TableRecord } from '../../server/src/db/tables.ts';

/** A restore of the volume `data` that has ended, and left the former volume. */
export function restoredVolumeRun(
  organizationId: string,
  applicationId: string,
  previousVolume: string,
  finishedAt: string,
): TableRecord<'backup_run'> {
  return {
    backupRunId: 'restore',
    organizationId,
    operation: 'restore',
    backupId: null,
    databaseId: null,
    applicationId,
    composeId: null,
    volumeName: 'data',
    startedBy: 'person',
    destinationId: 'destination',
    path: 'shop/data.tar.gz',
    database: '',
    status: 'done',
    steps: [],
    bytes: null,
    storedBytes: null,
    checksum: null,
    isStored: false,
    previousVolume,
    errorCode: null,
    errorMessage: null,
    createdAt: finishedAt,
    startedAt: finishedAt,
    finishedAt,
    sequence: 1,
    previousDatabase: null,
    restoredAt: null,
    shape: null,
    leftOut: null,
    moment: null,
    held: null,
  };
}
