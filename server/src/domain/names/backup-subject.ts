/** Of what a backup is. */

/** The columns that tell it. */
export interface BackupSubject {
  database: string;
  databaseId: string | null;
  volumeName: string | null;
}

export interface BackupOwner {
  databaseId: string | null;
  applicationId: string | null;
  composeId: string | null;
}

/** As sentences name it. */
export function subjectOf({ database, databaseId, volumeName }: BackupSubject): string {
  if (volumeName !== null)
    return databaseId === null ? `the volume ${volumeName}` : 'the data of a Redis database';
  return databaseId === null ? 'Berth itself' : `the database ${database}`;
}

/** The service whose data it is; null: it is Berth's own. */
export const serviceIdOf = ({ databaseId, applicationId, composeId }: BackupOwner): string | null =>
  databaseId ?? applicationId ?? composeId;
