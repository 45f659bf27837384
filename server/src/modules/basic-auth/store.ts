import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type BasicAuthRecord = TableRecord<'basic_auth'>;
export type BasicAuthStore = TableStore<'basic_auth'>;

export const createBasicAuthStore = (database: Database): BasicAuthStore =>
  tableStore(database, 'basic_auth');
