import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type MountRecord = TableRecord<'mount'>;
export type MountStore = TableStore<'mount'>;

export const createMountStore = (database: Database): MountStore => tableStore(database, 'mount');
