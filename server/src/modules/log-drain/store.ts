/** SQL of log drains. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type LogDrainRecord = TableRecord<'log_drain'>;

export interface LogDrainStore extends TableStore<'log_drain'> {
  /** Takes or prolongs the turn of a drain; false while another process has it. Times in ms. */
  lease(logDrainId: string, lease: { holder: string; now: number; until: number }): Promise<boolean>;
  count(logDrainId: string, counts: { sent: number; dropped: number }): Promise<void>;
}

export function createLogDrainStore(database: Database): LogDrainStore {
  const { builder } = database;
  return {
    ...tableStore(database, 'log_drain'),
    lease: async (logDrainId, { holder, now, until }) =>
      (await database.change(
        sql`update "log_drain" set "leaseHolder" = ${holder}, "leaseUntil" = ${until}
          where "logDrainId" = ${logDrainId}
            and ("leaseUntil" <= ${now} or "leaseHolder" = ${holder})`.compile(builder),
      )) === 1,
    async count(logDrainId, { sent, dropped }) {
      await database.change(
        sql`update "log_drain" set "sent" = "sent" + ${sent}, "dropped" = "dropped" + ${dropped}
          where "logDrainId" = ${logDrainId}`.compile(builder),
      );
    },
  };
}
