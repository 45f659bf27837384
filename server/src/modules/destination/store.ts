import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type DestinationRecord = TableRecord<'destination'>;

export interface DestinationStore extends TableStore<'destination'> {
  /** How many backups are stored there by schedule. */
  countBackups(destinationId: string): Promise<number>;
}

export function createDestinationStore(database: Database): DestinationStore {
  const backups = database.builder
    .selectFrom('backup')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('destinationId', '=', '')
    .compile();
  return {
    ...tableStore(database, 'destination'),
    countBackups: async (destinationId) =>
      Number((await database.run(backups, [destinationId]))[0]?.count ?? 0),
  };
}
