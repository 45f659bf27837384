import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';

export type MemberStore = TableStore<'member'>;

export const createMemberStore = (database: Database): MemberStore => tableStore(database, 'member');
