/** SQL of deletions that go on. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

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

const idColumns = { application: 'applicationId', database: 'databaseId', compose: 'composeId' } as const;

export function createUnfinishedDeletionStore(database: Database): UnfinishedDeletionStore {
  return {
    ...tableStore(database, 'unfinished_deletion'),
    transaction: (work) => database.transaction(work),
    async isStillMeant({ kind, serviceId, since }) {
      const id = sql.ref(idColumns[kind]);
      const [found] = await database.run(
        sql<{ isStopped: number; newest: string | null }>`
          select "isStopped",
            (select max("createdAt") from "deployment" where ${id} = ${serviceId}) as "newest"
          from ${sql.table(kind)} where ${id} = ${serviceId}`.compile(database.builder),
      );
      return found && found.isStopped === 1 && (found.newest ?? '') <= since;
    },
  };
}
