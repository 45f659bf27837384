import type { Database } from '../../db/database.ts';
import { tableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type AuditRecord = TableRecord<'audit'>;

/** The entries to find; an absent field matches all. */
export interface AuditFilter {
  userId?: string | undefined;
  procedure?: string | undefined;
  resourceId?: string | undefined;
  /** ISO 8601 in UTC with milliseconds: this time and later. */
  since?: string | undefined;
}

export interface AuditPage {
  /** Maximum number of entries after the given one. */
  limit: number;
  after?: Pick<AuditRecord, 'at' | 'auditId'> | undefined;
}

export interface AuditStore {
  insert(record: AuditRecord): Promise<void>;
  find(auditId: string, organizationId: string): Promise<AuditRecord | undefined>;
  /** Newest first; without a page all of them. */
  all(organizationId: string, filter?: AuditFilter, page?: AuditPage): Promise<AuditRecord[]>;
  /** Removes entries older than this time (ISO 8601). */
  prune(before: string): Promise<void>;
}

export function createAuditStore(database: Database): AuditStore {
  const { insert, find, decode } = tableStore(database, 'audit');
  const { builder } = database;
  const prune = builder.deleteFrom('audit').where('at', '<', '').compile();
  return {
    insert,
    find: (auditId, organizationId) => find({ auditId, organizationId }),
    async all(organizationId, { userId, procedure, resourceId, since } = {}, page) {
      let query = builder.selectFrom('audit').selectAll().where('organizationId', '=', organizationId);
      if (userId !== undefined) query = query.where('userId', '=', userId);
      if (procedure !== undefined) query = query.where('procedure', '=', procedure);
      if (resourceId !== undefined) query = query.where('resourceId', '=', resourceId);
      if (since !== undefined) query = query.where('at', '>=', since);
      const { after } = page ?? {};
      if (after)
        query = query.where((e) =>
          e.or([e('at', '<', after.at), e.and([e('at', '=', after.at), e('auditId', '<', after.auditId)])]),
        );
      const ordered = query.orderBy('at', 'desc').orderBy('auditId', 'desc');
      return (await database.run((page ? ordered.limit(page.limit) : ordered).compile())).map(decode);
    },
    prune: async (before) => {
      await database.change(prune, [before]);
    },
  };
}
