import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';
import type { DatabaseKindName } from '../../domain/database-kind.ts';

export type BackupRecord = TableRecord<'backup'>;

export interface BackupStore extends TableStore<'backup'> {
  /** The kind of a database of the organization; undefined when there is no such database. */
  kindOf(databaseId: string, organizationId: string): Promise<DatabaseKindName | undefined>;
}

export function createBackupStore(database: Database): BackupStore {
  const kind = database.builder.selectFrom('database').select('kind').where('databaseId', '=', '').where('organizationId', '=', '').compile();
  return {
    ...tableStore(database, 'backup'),
    kindOf: async (databaseId, organizationId) => (await database.run(kind, [databaseId, organizationId]))[0]?.kind,
  };
}
