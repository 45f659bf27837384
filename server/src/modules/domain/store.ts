/** SQL of domains. */
import { sql } from 'kysely';
import type { Scope } from '../../domain/access/permissions.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Database } from '../../db/database.ts';
import { oneAtATime, sharedByOrganizations } from '../../db/writing/one-at-a-time.ts';
import { textByName } from '../../db/values/stored-json.ts';
import { fixedLimit } from '../../db/values/fixed-limit.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { DomainRecord, TableRecord } from '../../db/tables.ts';

/** A domain with the service it leads to and what stands before that. */
export interface RoutedDomain extends DomainRecord {
  appName: string | null;
  releasedAppName: string | null;
  /** Of the compose service that it leads to. */
  composeName: string | null;
  /** What the engine calls its released services. */
  releasedServices: Record<string, string> | null;
  accounts: Pick<TableRecord<'basic_auth'>, 'username' | 'passwordHash'>[];
  /** In the order in which they were made. */
  redirects: Pick<TableRecord<'redirect'>, 'regex' | 'replacement' | 'permanent'>[];
}

export interface DomainStore extends TableStore<'domain'> {
  /** Every domain of the server, in a stable order; a fixed number of statements. */
  routed(serverKey: string): Promise<RoutedDomain[]>;
  /** Key of the server that the domain's service stands on: its id, or `local`. */
  serverKeyOf(
    domain: Pick<DomainRecord, 'applicationId' | 'composeId' | 'previewDeploymentId'>,
  ): Promise<string>;
  /** Where the image of an application listens by what it exposes; null before its first release. */
  shownPort(applicationId: string | null): Promise<number | null>;
  hasResolver(organizationId: string, name: string): Promise<boolean>;
  /** Of a compose service whose file stands in the record; undefined for the others. */
  composeFile(composeId: string): Promise<{ name: string; composeFile: string } | undefined>;
  /** Whether another organization has one of two hosts on the server. */
  isHostOfOthers(of: {
    serverKey: string;
    organizationId: string;
    hosts: readonly [string, string];
  }): Promise<boolean>;
  /** Where the services stand that have one of two hosts of an organization on the server. */
  placesOfHosts(of: {
    serverKey: string;
    organizationId: string;
    hosts: readonly [string, string];
  }): Promise<Scope[]>;
  /** Names of the service of the organization that has the appName, and of its project; at most one. */
  named(
    appName: string,
    organizationId: string,
  ): Promise<{ name: string; projectName: string; scope: Scope }[]>;
  /** Domains of the server whose services allow names of customers, oldest first. */
  allowing(serverKey: string): Promise<DomainRecord[]>;
  /** How many names the services of an organization have allowed since (ISO 8601). */
  allowedSince(organizationId: string, since: string): Promise<number>;
  /** Makes others that take hosts wait until the transaction ends. */
  takeTurn(): Promise<void>;
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
  const { builder } = database;
  const serverOf = serverOfService(builder);
  const foreign = hostsOfOthers(builder);
  const places = placesOfHosts(builder);
  const named = namesOfServices(builder);
  const resolver = builder
    .selectFrom('certificate_resolver')
    .select('name')
    .where('organizationId', '=', '')
    .where('name', '=', '')
    .compile();
  return {
    ...domains,
    serverKeyOf: async ({ applicationId, composeId, previewDeploymentId }) => {
      const ids = [applicationId ?? '', previewDeploymentId ?? '', composeId ?? ''];
      return serverKeyOf((await database.run(serverOf, ids))[0] ?? { serverId: null });
    },
    shownPort: async (applicationId) =>
      applicationId === null
        ? null
        : ((await tableStore(database, 'application').find({ applicationId }))?.shownPort ?? null),
    hasResolver: async (organizationId, name) =>
      (await database.run(resolver, [organizationId, name])).length > 0,
    composeFile: async (composeId) => tableStore(database, 'compose').find({ composeId, sourceType: 'raw' }),
    isHostOfOthers: async ({ serverKey, organizationId, hosts }) =>
      (await database.run(foreign, [serverKey, ...hosts, organizationId])).length > 0,
    placesOfHosts: async ({ serverKey, organizationId, hosts }) =>
      (await database.run(places, [serverKey, ...hosts, organizationId])).map((row) => ({
        organizationId,
        projectId: row.projectId ?? undefined,
        environmentId: row.environmentId ?? undefined,
        serviceId: row.serviceId ?? undefined,
      })),
    named: async (appName, organizationId) =>
      (await database.run(named, [appName, organizationId, appName, organizationId])).map(
        ({ name, projectName, ...place }) => ({ name, projectName, scope: { organizationId, ...place } }),
      ),
    ...onDemandReads(database),
    routed: routedReader(database),
    takeTurn: () => oneAtATime(database, sharedByOrganizations),
    nextConfigKey: configKeys(database),
    transaction: (work) => database.transaction(work),
  };
}

/** The domains of a server, each with the sign-ins and redirects of its service. */
function routedReader(database: Database): DomainStore['routed'] {
  const domains = tableStore(database, 'domain');
  const { decode: decodeRedirect } = tableStore(database, 'redirect');
  const { builder } = database;
  const routed = routedDomains(builder);
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
  return async (serverKey) => {
    const rows = await database.run(routed, [serverKey]);
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
      releasedServices: row.releasedServices === null ? null : textByName(JSON.parse(row.releasedServices)),
      // What stands behind a sign-in must not be open as a preview.
      accounts: accountsOf.get(row.applicationId ?? row.previewOf ?? '') ?? [],
      redirects: redirectsOf.get(row.applicationId ?? '') ?? [],
    }));
  };
}

function onDemandReads(database: Database): Pick<DomainStore, 'allowing' | 'allowedSince'> {
  const { builder } = database;
  const { decode } = tableStore(database, 'domain');
  const allowing = builder
    .selectFrom('domain')
    .selectAll()
    .where('serverKey', '=', '')
    .where('allowOnDemand', 'is not', null)
    .orderBy('uniqueConfigKey')
    .compile();
  const allowedSince = builder
    .selectFrom('domain')
    .select(builder.fn.countAll<number>().as('count'))
    .where('organizationId', '=', '')
    .where('createdAt', '>', '')
    .where('onDemandOf', 'is not', null)
    .compile();
  return {
    allowing: async (serverKey) => (await database.run(allowing, [serverKey])).map(decode),
    allowedSince: async (organizationId, since) =>
      Number((await database.run(allowedSince, [organizationId, since]))[0]?.count ?? 0),
  };
}

type Builder = Database['builder'];

/** The domains of a server with the names of the services they lead to; only the values are missing. */
function routedDomains(builder: Builder) {
  return builder
    .selectFrom('domain')
    .leftJoin('application', 'application.applicationId', 'domain.applicationId')
    .leftJoin('compose', 'compose.composeId', 'domain.composeId')
    .leftJoin('preview_deployment as preview', 'preview.previewDeploymentId', 'domain.previewDeploymentId')
    .selectAll('domain')
    .select([
      'application.appName',
      'application.releasedAppName',
      'compose.appName as composeName',
      'compose.releasedServices',
      'preview.appName as previewName',
      'preview.releasedAppName as previewReleasedName',
      'preview.applicationId as previewOf',
    ])
    .where('domain.serverKey', '=', '')
    .orderBy('domain.domainId')
    .compile();
}

function hostsOfOthers(builder: Builder) {
  return builder
    .selectFrom('domain')
    .select('domainId')
    .where('serverKey', '=', '')
    .where('asciiHost', 'in', ['', ''])
    .where('organizationId', '<>', '')
    .limit(fixedLimit(1))
    .compile();
}

/** A preview stands where its application does. */
function placesOfHosts(builder: Builder) {
  return sql<Record<'projectId' | 'environmentId' | 'serviceId', string | null>>`
    select e."projectId", e."environmentId", coalesce(a."applicationId", c."composeId") as "serviceId"
    from "domain" as d
    left join "preview_deployment" as p on p."previewDeploymentId" = d."previewDeploymentId"
    left join "application" as a on a."applicationId" = coalesce(d."applicationId", p."applicationId")
    left join "compose" as c on c."composeId" = d."composeId"
    left join "environment" as e on e."environmentId" = coalesce(a."environmentId", c."environmentId")
    where d."serverKey" = ${''} and d."asciiHost" in (${''}, ${''}) and d."organizationId" = ${''}`.compile(
    builder,
  );
}

/** Takes appName and organization twice. */
function namesOfServices(builder: Builder) {
  return sql<Record<'name' | 'projectName' | 'projectId' | 'environmentId' | 'serviceId', string>>`
    select s."name", p."name" as "projectName", p."projectId", s."environmentId", s."serviceId"
    from (
      select "name", "environmentId", "applicationId" as "serviceId" from "application"
        where "appName" = ${''} and "organizationId" = ${''}
      union all select "name", "environmentId", "composeId" from "compose"
        where "appName" = ${''} and "organizationId" = ${''}
    ) as s
    join "environment" as e on e."environmentId" = s."environmentId"
    join "project" as p on p."projectId" = e."projectId"`.compile(builder);
}

/** Takes the ids of application, preview and compose service; those that are not meant are empty. */
function serverOfService(builder: Builder) {
  return sql<{ serverId: string | null }>`
    select "serverId" from "application" where "applicationId" = ${''} or "applicationId" =
      (select "applicationId" from "preview_deployment" where "previewDeploymentId" = ${''})
    union all select "serverId" from "compose" where "composeId" = ${''}`.compile(builder);
}

/** The next key, in the transaction that stores it and has its turn. */
function configKeys(database: Database): () => Promise<number> {
  const { builder } = database;
  const maxKey = sql<{
    next: number;
  }>`select coalesce(max("uniqueConfigKey"), 0) + 1 as "next" from "domain"`.compile(builder);
  return async () => Number((await database.run(maxKey))[0]?.next ?? 1);
}
