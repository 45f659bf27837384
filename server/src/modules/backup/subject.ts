/** Of what a backup is. */
import type { BackupRecord } from './store.ts';

/** As sentences name it. */
export function subjectOf({
  database,
  databaseId,
  volumeName,
}: Pick<BackupRecord, 'database' | 'databaseId' | 'volumeName'>): string {
  if (volumeName !== null) return `the volume ${volumeName}`;
  return databaseId === null ? 'Berth itself' : `the database ${database}`;
}

/** The service whose data it is; null: it is Berth's own. */
export const serviceIdOf = ({
  databaseId,
  applicationId,
  composeId,
}: Pick<BackupRecord, 'databaseId' | 'applicationId' | 'composeId'>): string | null =>
  databaseId ?? applicationId ?? composeId;
