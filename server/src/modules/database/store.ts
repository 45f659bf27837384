import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';

export interface DatabaseStore extends TableStore<'database'> {
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export const createDatabaseStore = (database: Database): DatabaseStore => ({
  ...tableStore(database, 'database'),
  transaction: (work) => database.transaction(work),
});
