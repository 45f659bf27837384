import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';

export interface ServiceNameStore extends TableStore<'service_name'> {
  /** Whether another service than this has one of these as a stem. */
  hasStemOfOthers(serviceId: string, nameKeys: readonly string[]): Promise<boolean>;
  /** Whether another service than this has a name that begins so. */
  hasBelow(serviceId: string, beginning: string): Promise<boolean>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createServiceNameStore(database: Database): ServiceNameStore {
  const names = tableStore(database, 'service_name');
  return {
    ...names,
    async hasStemOfOthers(serviceId, nameKeys) {
      for (const nameKey of nameKeys) {
        const found = await names.find({ nameKey, isStem: true });
        if (found && found.serviceId !== serviceId) return true;
      }
      return false;
    },
    async hasBelow(serviceId, beginning) {
      const all = await names.list({});
      return all.some((row) => row.nameKey.startsWith(beginning) && row.serviceId !== serviceId);
    },
    transaction: (work) => database.transaction(work),
  };
}
