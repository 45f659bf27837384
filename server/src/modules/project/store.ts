import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type ProjectRecord = TableRecord<'project'>;
export type ProjectStore = TableStore<'project'>;

export const createProjectStore = (database: Database): ProjectStore => tableStore(database, 'project');
