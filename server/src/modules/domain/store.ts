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
  /** Key of the server that the domain's service stands on: its id, or `local`. */
  serverKeyOf(domain: Pick<DomainRecord, 'applicationId' | 'composeId' | 'previewDeploymentId'>): Promise<string>;
  hasResolver(organizationId: string, name: string): Promise<boolean>;
  nextConfigKey(): Promise<number>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createDomainStore(database: Database): DomainStore {
  const domains = tableStore(database, 'domain');
  const { builder } = database;
  const routed = builder.selectFrom('domain').leftJoin('application', 'application.applicationId', 'domain.applicationId')
    .selectAll('domain').select(['application.appName', 'application.releasedAppName']).where('domain.serverKey', '=', '').orderBy('domain.domainId').compile();
  const maxKey = sql<{ next: number }>`select coalesce(max("uniqueConfigKey"), 0) + 1 as "next" from "domain"`.compile(builder);
  const serverOf = sql<{ serverId: string | null }>`select "serverId" from "application" where "applicationId" = ${''} or "applicationId" = (select "applicationId" from "preview_deployment" where "previewDeploymentId" = ${''})
    union all select "serverId" from "compose" where "composeId" = ${''}`.compile(builder);
  const resolver = builder.selectFrom('certificate_resolver').select('name').where('organizationId', '=', '').where('name', '=', '').compile();
  return {
    ...domains,
    routed: async () => (await database.run(routed, ['local'])).map((row) => ({ ...domains.decode(row), appName: row.appName, releasedAppName: row.releasedAppName })),
    serverKeyOf: async ({ applicationId, composeId, previewDeploymentId }) => (await database.run(serverOf, [applicationId ?? '', previewDeploymentId ?? '', composeId ?? '']))[0]?.serverId ?? 'local',
    hasResolver: async (organizationId, name) => (await database.run(resolver, [organizationId, name])).length > 0,
    nextConfigKey: async () => Number((await database.run(maxKey))[0]?.next ?? 1),
    transaction: (work) => database.transaction(work),
  };
}
