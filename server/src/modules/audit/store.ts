import type { Database } from '../../db/database.ts';
import { tableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type AuditRecord = TableRecord<'audit'>;

export interface AuditStore {
  insert(record: AuditRecord): Promise<void>;
  find(auditId: string, organizationId: string): Promise<AuditRecord | undefined>;
  /** Newest first. */
  all(organizationId: string): Promise<AuditRecord[]>;
  /** At most `limit` of those that stand after the given one, newest first. */
  page(organizationId: string, limit: number, after?: Pick<AuditRecord, 'at' | 'auditId'>): Promise<AuditRecord[]>;
}

export function createAuditStore(database: Database): AuditStore {
  const { insert, find, list, decode } = tableStore(database, 'audit');
  const newest = database.builder.selectFrom('audit').selectAll().where('organizationId', '=', '').orderBy('at', 'desc').orderBy('auditId', 'desc');
  const firstPage = newest.limit(0).compile();
  const nextPage = newest.where((e) => e.or([e('at', '<', ''), e.and([e('at', '=', ''), e('auditId', '<', '')])])).limit(0).compile();
  return {
    insert,
    find: (auditId, organizationId) => find({ auditId, organizationId }),
    all: (organizationId) => list({ organizationId }, { by: ['at', 'auditId'], direction: 'desc' }),
    async page(organizationId, limit, after) {
      const rows = after ? await database.run(nextPage, [organizationId, after.at, after.at, after.auditId, limit]) : await database.run(firstPage, [organizationId, limit]);
      return rows.map(decode);
    },
  };
}
