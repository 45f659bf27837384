import type { Database } from '../../db/database.ts';
import { freeNetworkIndex, type FreeNetworkIndex } from '../../db/values/network-index.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';

export interface ComposeStore extends TableStore<'compose'> {
  /** What leads to it goes with it; its mounts go by themselves. */
  removeDomains(composeId: string): Promise<void>;
  freeNetworkIndex: FreeNetworkIndex;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createComposeStore(database: Database): ComposeStore {
  const domains = tableStore(database, 'domain');
  return {
    ...tableStore(database, 'compose'),
    removeDomains: async (composeId) => void (await domains.remove({ composeId })),
    freeNetworkIndex: freeNetworkIndex(database),
    transaction: (work) => database.transaction(work),
  };
}
