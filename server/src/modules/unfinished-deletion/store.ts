/** SQL of deletions that go on. */
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';
import { isStillStopped } from '../../db/still-stopped.ts';

export type UnfinishedDeletion = TableRecord<'unfinished_deletion'>;

export interface UnfinishedDeletionStore extends TableStore<'unfinished_deletion'> {
  /**
   * Whether the service still has its record and nobody has started or deployed it since; undefined when the
   * record is gone.
   */
  isStillMeant(
    deletion: Pick<UnfinishedDeletion, 'kind' | 'serviceId' | 'since'>,
  ): Promise<boolean | undefined>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createUnfinishedDeletionStore(database: Database): UnfinishedDeletionStore {
  return {
    ...tableStore(database, 'unfinished_deletion'),
    transaction: (work) => database.transaction(work),
    isStillMeant: ({ kind, serviceId, since }) => isStillStopped(database, { kind, serviceId }, since),
  };
}

/** When each container that should have ended was first seen to go on, by the machine. Times in ms. */
export interface LeavingStore {
  read(serverKey: string): Promise<ReadonlyMap<string, number>>;
  /** In place of what was kept of the machine before. */
  keep(serverKey: string, since: ReadonlyMap<string, number>): Promise<void>;
}

export function createLeavingStore(database: Database): LeavingStore {
  const leaving = tableStore(database, 'leaving_container');
  return {
    read: async (serverKey) =>
      new Map((await leaving.list({ serverKey })).map(({ containerId, since }) => [containerId, since])),
    keep: (serverKey, since) =>
      database.transaction(async () => {
        await leaving.remove({ serverKey });
        for (const [containerId, each] of since)
          await leaving.insert({ serverKey, containerId, since: each });
      }),
  };
}
