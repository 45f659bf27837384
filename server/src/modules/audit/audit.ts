/** The audit log: one entry for each change, written in the transaction of the change (decisions 12). */
import { badField } from '../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { AuditEntry } from '../../procedure/guard.ts';
import type { AuditFilter, AuditRecord, AuditStore } from './store.ts';

export interface Audit {
  record(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  all(organizationId: string, filter?: AuditFilter): Promise<AuditRecord[]>;
  /** The cursor is the id of the last entry seen. */
  page(
    organizationId: string,
    filter: AuditFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<{ items: AuditRecord[]; nextCursor: string | null }>;
}

export function createAudit(store: AuditStore, clock: Clock): Audit {
  return {
    record: ({ actor, procedure, resourceId, outcome, ip }) =>
      store.insert({
        auditId: randomId(),
        organizationId: actor.organizationId,
        at: isoTime(clock),
        userId: actor.userId ?? null,
        apiKeyId: actor.apiKeyId ?? null,
        procedure,
        resourceId: resourceId ?? null,
        outcome,
        ip,
      }),
    all: (organizationId, filter = {}) => store.all(organizationId, filter),
    async page(organizationId, filter, { limit, cursor }) {
      const after = cursor === undefined ? undefined : await store.find(cursor, organizationId);
      if (cursor !== undefined && !after)
        throw badField('cursor', 'is not known; leave it out to begin with the newest');
      const rows = await store.all(organizationId, filter, { limit: limit + 1, after });
      const items = rows.slice(0, limit);
      return { items, nextCursor: rows.length > limit ? (items.at(-1)?.auditId ?? null) : null };
    },
  };
}
