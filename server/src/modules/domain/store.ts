/** SQL of domains. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { DomainRecord } from '../../db/tables.ts';

/** A domain with the service it leads to. */
export interface RoutedDomain extends DomainRecord {
  appName: string | null;
  releasedAppName: string | null;
}

export interface DomainStore extends TableStore<'domain'> {
  /** Every domain of this server with its application's names, in a stable order. */
  routed(): Promise<RoutedDomain[]>;
  nextConfigKey(): Promise<number>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createDomainStore(database: Database): DomainStore {
  const domains = tableStore(database, 'domain');
  const { builder } = database;
  const routed = builder.selectFrom('domain').leftJoin('application', 'application.applicationId', 'domain.applicationId')
    .selectAll('domain').select(['application.appName', 'application.releasedAppName']).orderBy('domain.domainId').compile();
  const maxKey = sql<{ next: number }>`select coalesce(max("uniqueConfigKey"), 0) + 1 as "next" from "domain"`.compile(builder);
  return {
    ...domains,
    routed: async () => (await database.run(routed)).map((row) => ({ ...domains.decode(row), appName: row.appName, releasedAppName: row.releasedAppName })),
    nextConfigKey: async () => Number((await database.run(maxKey))[0]?.next ?? 1),
    transaction: (work) => database.transaction(work),
  };
}
