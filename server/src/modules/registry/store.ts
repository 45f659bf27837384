import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type RegistryRecord = TableRecord<'registry'>;

export interface RegistryStore extends TableStore<'registry'> {
  /** How many applications use the registry. */
  countUses(registryId: string): Promise<number>;
}

export function createRegistryStore(database: Database): RegistryStore {
  const uses = database.builder
    .selectFrom('application')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('registryId', '=', '')
    .compile();
  return {
    ...tableStore(database, 'registry'),
    countUses: async (registryId) => Number((await database.run(uses, [registryId]))[0]?.count ?? 0),
  };
}
