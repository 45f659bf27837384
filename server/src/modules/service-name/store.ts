import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';

export interface ServiceNameStore extends TableStore<'service_name'> {
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export const createServiceNameStore = (database: Database): ServiceNameStore => ({
  ...tableStore(database, 'service_name'),
  transaction: (work) => database.transaction(work),
});
