/** SQL of domains. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { fixedLimit } from '../../db/fixed-limit.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { DomainRecord, TableRecord } from '../../db/tables.ts';

/** A domain with the service it leads to and what stands before that. */
export interface RoutedDomain extends DomainRecord {
  appName: string | null;
  releasedAppName: string | null;
  /** Of the compose service that it leads to. */
  composeName: string | null;
  releasedComposeName: string | null;
  composeSuffix: string | null;
  accounts: Pick<TableRecord<'basic_auth'>, 'username' | 'passwordHash'>[];
  /** In the order in which they were made. */
  redirects: Pick<TableRecord<'redirect'>, 'regex' | 'replacement' | 'permanent'>[];
}

export interface DomainStore extends TableStore<'domain'> {
  /** Every domain of this server, in a stable order; a fixed number of statements. */
  routed(): Promise<RoutedDomain[]>;
  /** Key of the server that the domain's service stands on: its id, or `local`. */
  serverKeyOf(
    domain: Pick<DomainRecord, 'applicationId' | 'composeId' | 'previewDeploymentId'>,
  ): Promise<string>;
  hasResolver(organizationId: string, name: string): Promise<boolean>;
  /** Whether another organization has one of two hosts on the server. */
  isHostOfOthers(of: {
    serverKey: string;
    organizationId: string;
    hosts: readonly [string, string];
  }): Promise<boolean>;
  nextConfigKey(): Promise<number>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export type RequestMinuteRecord = TableRecord<'request_minute'>;

export interface RequestStore {
  /** Adds to what stands there for the same minutes; one transaction. */
  addMinutes(
    minutes: readonly RequestMinuteRecord[],
    merge: (to: RequestMinuteRecord, from: RequestMinuteRecord) => void,
  ): Promise<void>;
  /** Of a domain, from this minute on. */
  minutes(domainId: string, from: number): Promise<RequestMinuteRecord[]>;
  prune(before: number): Promise<void>;
}

export function createRequestStore(database: Database): RequestStore {
  const { builder } = database;
  const minutes = tableStore(database, 'request_minute');
  const since = builder
    .selectFrom('request_minute')
    .selectAll()
    .where('domainId', '=', '')
    .where('minute', '>=', 0)
    .orderBy('minute')
    .compile();
  const prune = builder.deleteFrom('request_minute').where('minute', '<', 0).compile();
  return {
    addMinutes: (added, merge) =>
      database.transaction(async () => {
        for (const { domainId, minute, ...counts } of added) {
          const present = await minutes.find({ domainId, minute });
          if (!present) {
            await minutes.insert({ domainId, minute, ...counts });
            continue;
          }
          merge(present, { domainId, minute, ...counts });
          await minutes.update({ domainId, minute }, present);
        }
      }),
    minutes: async (domainId, from) => (await database.run(since, [domainId, from])).map(minutes.decode),
    prune: async (before) => void (await database.change(prune, [before])),
  };
}

export function createDomainStore(database: Database): DomainStore {
  const domains = tableStore(database, 'domain');
  const { decode: decodeRedirect } = tableStore(database, 'redirect');
  const { builder } = database;
  const routed = builder
    .selectFrom('domain')
    .leftJoin('application', 'application.applicationId', 'domain.applicationId')
    .leftJoin('compose', 'compose.composeId', 'domain.composeId')
    .leftJoin('preview_deployment as preview', 'preview.previewDeploymentId', 'domain.previewDeploymentId')
    .selectAll('domain')
    .select([
      'application.appName',
      'application.releasedAppName',
      'compose.appName as composeName',
      'compose.releasedAppName as releasedComposeName',
      'compose.releasedSuffix as composeSuffix',
      'preview.appName as previewName',
      'preview.releasedAppName as previewReleasedName',
      'preview.applicationId as previewOf',
    ])
    .where('domain.serverKey', '=', '')
    .orderBy('domain.domainId')
    .compile();
  const accounts = builder
    .selectFrom('basic_auth')
    .select(['applicationId', 'username', 'passwordHash'])
    .orderBy('username')
    .compile();
  const redirects = builder
    .selectFrom('redirect')
    .selectAll()
    .orderBy('createdAt')
    .orderBy('redirectId')
    .compile();
  const maxKey = sql<{
    next: number;
  }>`select coalesce(max("uniqueConfigKey"), 0) + 1 as "next" from "domain"`.compile(builder);
  const serverOf = sql<{
    serverId: string | null;
  }>`select "serverId" from "application" where "applicationId" = ${''} or "applicationId" = (select "applicationId" from "preview_deployment" where "previewDeploymentId" = ${''})
    union all select "serverId" from "compose" where "composeId" = ${''}`.compile(builder);
  const foreign = builder
    .selectFrom('domain')
    .select('domainId')
    .where('serverKey', '=', '')
    .where('asciiHost', 'in', ['', ''])
    .where('organizationId', '<>', '')
    .limit(fixedLimit(1))
    .compile();
  const resolver = builder
    .selectFrom('certificate_resolver')
    .select('name')
    .where('organizationId', '=', '')
    .where('name', '=', '')
    .compile();
  return {
    ...domains,
    serverKeyOf: async ({ applicationId, composeId, previewDeploymentId }) =>
      (await database.run(serverOf, [applicationId ?? '', previewDeploymentId ?? '', composeId ?? '']))[0]
        ?.serverId ?? 'local',
    hasResolver: async (organizationId, name) =>
      (await database.run(resolver, [organizationId, name])).length > 0,
    isHostOfOthers: async ({ serverKey, organizationId, hosts }) =>
      (await database.run(foreign, [serverKey, ...hosts, organizationId])).length > 0,
    async routed() {
      const rows = await database.run(routed, ['local']);
      const accountsOf = Map.groupBy(await database.run(accounts), ({ applicationId }) => applicationId);
      const redirectsOf = Map.groupBy(
        (await database.run(redirects)).map(decodeRedirect),
        ({ applicationId }) => applicationId,
      );
      return rows.map((row) => ({
        ...domains.decode(row),
        appName: row.appName ?? row.previewName,
        releasedAppName: row.releasedAppName ?? row.previewReleasedName,
        composeName: row.composeName,
        releasedComposeName: row.releasedComposeName,
        composeSuffix: row.composeSuffix,
        // What stands behind a sign-in must not be open as a preview.
        accounts: accountsOf.get(row.applicationId ?? row.previewOf ?? '') ?? [],
        redirects: redirectsOf.get(row.applicationId ?? '') ?? [],
      }));
    },
    nextConfigKey: async () => Number((await database.run(maxKey))[0]?.next ?? 1),
    transaction: (work) => database.transaction(work),
  };
}
