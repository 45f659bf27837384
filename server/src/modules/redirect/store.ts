import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type RedirectRecord = TableRecord<'redirect'>;
export type RedirectStore = TableStore<'redirect'>;

export const createRedirectStore = (database: Database): RedirectStore => tableStore(database, 'redirect');
