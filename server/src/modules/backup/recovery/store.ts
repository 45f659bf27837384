/**
 * Spans of stored logs, how far they had come at which moments, and the base backups that they begin
 * from.
 */
import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { tableStore, type TableStore } from '../../../db/table-store.ts';
import type { TableRecord } from '../../../db/tables.ts';

export type WalSpan = TableRecord<'wal_span'>;

/** A base backup whose object is stored and verified. */
export interface StoredBase {
  backupRunId: string;
  walSpanId: string;
  path: string;
  destinationId: string;
  storedBytes: number | null;
  checksum: string | null;
  firstSegment: number;
  restorableFrom: string;
}

export interface RecoveryStore {
  spans: TableStore<'wal_span'>;
  marks: TableStore<'wal_mark'>;
  bases: TableStore<'base_backup'>;
  /** Oldest first. */
  storedBases(backupId: string): Promise<StoredBase[]>;
  /** Forgets marks of segments that are removed. */
  forgetMarks(walSpanId: string, firstSegment: number): Promise<void>;
}

export function createRecoveryStore(database: Database): RecoveryStore {
  const bases = sql<StoredBase>`
    select b."backupRunId", b."walSpanId", b."firstSegment", b."restorableFrom", r."path", r."destinationId",
      r."storedBytes", r."checksum"
    from "base_backup" as b join "backup_run" as r on r."backupRunId" = b."backupRunId"
    where r."backupId" = ${''} and r."isStored" = 1 order by b."restorableFrom"`.compile(database.builder);
  const marks = tableStore(database, 'wal_mark');
  return {
    spans: tableStore(database, 'wal_span'),
    marks,
    bases: tableStore(database, 'base_backup'),
    storedBases: async (backupId) =>
      (await database.run(bases, [backupId])).map((base) => ({
        ...base,
        firstSegment: Number(base.firstSegment),
      })),
    async forgetMarks(walSpanId, firstSegment) {
      for (const { at, nextSegment } of await marks.list({ walSpanId }))
        if (nextSegment <= firstSegment) await marks.remove({ walSpanId, at });
    },
  };
}
