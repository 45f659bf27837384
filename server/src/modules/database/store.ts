import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';
import { databaseIds, type DatabaseIds } from '../../domain/database-kind.ts';

export type DatabaseRecord = TableRecord<'database'>;

/** A backup with its database under the name of its kind. */
export type BackupOfDatabase = TableRecord<'backup'> & DatabaseIds<string | null>;

export interface DatabaseStore extends TableStore<'database'> {
  /** Newest first. */
  backups(databaseId: string, organizationId: string): Promise<BackupOfDatabase[]>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createDatabaseStore(database: Database): DatabaseStore {
  const backups = tableStore(database, 'backup');
  return {
    ...tableStore(database, 'database'),
    async backups(databaseId, organizationId) {
      const list = await backups.list({ databaseId, organizationId }, { by: ['createdAt', 'backupId'], direction: 'desc' });
      return list.map((backup) => ({ ...backup, ...databaseIds(backup.databaseType, databaseId) }));
    },
    transaction: (work) => database.transaction(work),
  };
}
