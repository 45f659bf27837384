/** Where a thing stands: one prepared statement per kind, for the guard. */
import { sql, type CompiledQuery } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { TableName } from '../../db/tables.ts';
import { perDatabaseKind, type DatabaseKindName } from '../../domain/database-kind.ts';
import type { Scope } from '../../domain/access/permissions.ts';
import type { ResourceKind } from '../../procedure/procedure.ts';

/** `organizationId` is the caller's: what can stand in several organizations is looked for there first. */
export type FindScope = (
  kind: ResourceKind,
  id: string,
  organizationId: string,
) => Promise<Scope | undefined>;

interface ScopeRow {
  organizationId: string;
  projectId?: string | null;
  environmentId?: string | null;
  serviceId?: string | null;
  userId?: string | null;
}

/** Stands for the caller's organization in a compiled query; every other parameter is the id. */
const organizationMark = 'organization';

type Service = 'application' | 'database' | 'compose';
type Builder = Database['builder'];
type Query = CompiledQuery<ScopeRow>;

export function createFindScope({ builder, run }: Database): FindScope {
  const queries: Record<ResourceKind, Query> = {
    ...placeQueries(builder),
    ...serviceQueries(builder),
    ...partQueries(builder),
    ...organizationQueries(builder),
  };
  return async (kind, id, organizationId) => {
    const query = queries[kind];
    const [row] = await run(
      query,
      query.parameters.map((mark) => (mark === organizationMark ? organizationId : id)),
    );
    return (
      row && {
        organizationId: row.organizationId,
        projectId: row.projectId ?? undefined,
        environmentId: row.environmentId ?? undefined,
        serviceId: row.serviceId ?? undefined,
        userId: row.userId ?? undefined,
      }
    );
  };
}

function placeQueries(builder: Builder) {
  return {
    project: builder
      .selectFrom('project')
      .select(['organizationId', 'projectId'])
      .where('projectId', '=', '')
      .compile(),
    environment: builder
      .selectFrom('environment')
      .select(['organizationId', 'projectId', 'environmentId'])
      .where('environmentId', '=', '')
      .compile(),
  };
}

function serviceQueries(builder: Builder) {
  const service = (table: Service, kind?: DatabaseKindName): Query => {
    const ofKind = kind === undefined ? sql`` : sql` and s."kind" = ${sql.lit(kind)}`;
    const key = sql.ref(`s.${table}Id`);
    // Who may reach a compose service reaches its previews.
    const standsFor =
      table === 'compose'
        ? sql`coalesce((select p."composeId" from "compose_preview" as p
            where p."previewDeploymentId" = ${key}), ${key})`
        : key;
    return sql<ScopeRow>`select s."organizationId", e."projectId", e."environmentId",
        ${standsFor} as "serviceId"
      from ${sql.table(table)} as s
      join "environment" as e on e."environmentId" = s."environmentId"
      where ${key} = ${''}${ofKind}`.compile(builder);
  };
  const services = (['application', 'database', 'compose'] as const).map((table) => {
    const key = sql.ref(`${table}Id`);
    return sql`select "organizationId", "environmentId", ${key} as "serviceId"
      from ${sql.table(table)} where ${key} = ${''}`;
  });
  return {
    application: service('application'),
    compose: service('compose'),
    database: service('database'),
    ...perDatabaseKind((kind) => service('database', kind)),
    service: sql<ScopeRow>`select s."organizationId", e."projectId", e."environmentId", s."serviceId"
      from (${sql.join(services, sql` union all `)}) as s
      join "environment" as e on e."environmentId" = s."environmentId"`.compile(builder),
  };
}

/** Things that belong to a service take its place. */
function partQueries(builder: Builder) {
  const part = (table: TableName, key: string, owners: readonly Service[]): Query =>
    partOf(builder, { table, key, owners });
  return {
    deployment: part('deployment', 'deploymentId', ['application', 'database', 'compose']),
    domain: partOf(builder, {
      table: 'domain',
      key: 'domainId',
      owners: ['application', 'compose'],
      throughPreview: true,
    }),
    port: part('port', 'portId', ['application']),
    mount: part('mount', 'mountId', ['application', 'database', 'compose']),
    redirect: part('redirect', 'redirectId', ['application']),
    basicAuth: part('basic_auth', 'basicAuthId', ['application']),
    backup: part('backup', 'backupId', ['database', 'application', 'compose']),
    volumeBackup: part('backup', 'backupId', ['database', 'application', 'compose']),
    backupRun: part('backup_run', 'backupRunId', ['database', 'application', 'compose']),
    schedule: part('schedule', 'scheduleId', ['application', 'compose']),
    scheduleRun: scheduleRunQuery(builder),
    webhookDelivery: part('hook_delivery', 'webhookDeliveryId', ['application', 'compose']),
    alarm: builder
      .selectFrom('alarm')
      .select(['organizationId', 'projectId', 'environmentId', 'serviceId'])
      .where('alarmId', '=', '')
      .compile(),
    previewDeployment: previewQuery(builder),
  };
}

/** A preview stands where the service does that it is of. */
function previewQuery(builder: Builder): Query {
  return sql<ScopeRow>`select p."organizationId", e."projectId", e."environmentId", p."serviceId" from (
      select p."organizationId", a."environmentId", p."applicationId" as "serviceId"
        from "preview_deployment" as p
        join "application" as a on a."applicationId" = p."applicationId"
        where p."previewDeploymentId" = ${''}
      union all
      select p."organizationId", c."environmentId", p."composeId" as "serviceId"
        from "compose_preview" as p
        join "compose" as c on c."composeId" = p."composeId"
        where p."previewDeploymentId" = ${''}) as p
    join "environment" as e on e."environmentId" = p."environmentId"`.compile(builder);
}

/** A run stands where its schedule does. */
function scheduleRunQuery(builder: Builder): Query {
  return sql<ScopeRow>`select s."organizationId", e."projectId", e."environmentId",
      coalesce(s."applicationId", s."composeId") as "serviceId"
    from "schedule_run" as r
    join "schedule" as s on s."scheduleId" = r."scheduleId"
    left join "application" as a on a."applicationId" = s."applicationId"
    left join "compose" as c on c."composeId" = s."composeId"
    left join "environment" as e on e."environmentId" = coalesce(a."environmentId", c."environmentId")
    where r."scheduleRunId" = ${''}`.compile(builder);
}

interface Part {
  table: TableName;
  key: string;
  /** The kinds of service that a row of this table can name. */
  owners: readonly Service[];
  /** A row can name a preview instead, which has the place of its application. */
  throughPreview?: boolean;
}

function partOf(builder: Builder, { table, key, owners, throughPreview = false }: Part): Query {
  const idOf = (owner: Service) =>
    throughPreview && owner === 'application'
      ? sql`coalesce(t."applicationId", p."applicationId")`
      : sql`${sql.ref(`t.${owner}Id`)}`;
  const first = (parts: readonly ReturnType<typeof sql>[]) =>
    parts.length === 1 ? sql`${parts[0]}` : sql`coalesce(${sql.join([...parts])})`;
  const preview = throughPreview
    ? sql`left join "preview_deployment" as p on p."previewDeploymentId" = t."previewDeploymentId"`
    : sql``;
  const joins = owners.map((owner) => {
    const ownKey = sql.ref(`${owner}.${owner}Id`);
    return sql`left join ${sql.table(owner)} as ${sql.ref(owner)} on ${ownKey} = ${idOf(owner)}`;
  });
  const environmentId = first(owners.map((owner) => sql`${sql.ref(`${owner}.environmentId`)}`));
  return sql<ScopeRow>`select t."organizationId", e."projectId", e."environmentId",
      ${first(owners.map(idOf))} as "serviceId"
    from ${sql.table(table)} as t
    ${preview}
    ${sql.join(joins, sql` `)}
    left join "environment" as e on e."environmentId" = ${environmentId}
    where ${sql.ref(`t.${key}`)} = ${''}`.compile(builder);
}

/** What belongs to an organization as a whole, or to a person. */
function organizationQueries(builder: Builder) {
  const owned = (table: TableName, key: string): Query =>
    sql<ScopeRow>`select "organizationId" from ${sql.table(table)} where ${sql.ref(key)} = ${''}`.compile(
      builder,
    );
  return {
    sshKey: owned('ssh_key', 'sshKeyId'),
    registry: owned('registry', 'registryId'),
    templateCatalogue: owned('template_catalogue', 'templateCatalogueId'),
    server: owned('server', 'serverId'),
    destination: owned('destination', 'destinationId'),
    logDrain: owned('log_drain', 'logDrainId'),
    notification: owned('notification', 'notificationId'),
    certificate: owned('certificate', 'certificateId'),
    certificateResolver: owned('certificate_resolver', 'certificateResolverId'),
    certificateOrder: owned('certificate_order', 'certificateOrderId'),
    dnsProvider: owned('dns_provider', 'dnsProviderId'),
    organization: owned('organization', 'organizationId'),
    gitProvider: owned('git_provider', 'gitProviderId'),
    invitation: owned('invitation', 'invitationId'),
    // An account that belongs to no organization is the first one's, whose people run the installation.
    user: sql<ScopeRow>`select p."organizationId" from (
      select "organizationId", case when "organizationId" = ${organizationMark} then 0 else 1 end as "rank"
        from "member" where "userId" = ${''}
      union all select f."organizationId", 2 as "rank" from (
        select "organizationId" from "organization"
        where exists (select 1 from "user" where "userId" = ${''})
        order by "createdAt", "organizationId" limit 1) as f
      ) as p order by p."rank" limit 1`.compile(builder),
    apiKey: builder
      .selectFrom('api_key')
      .select(['organizationId', 'userId'])
      .where('apiKeyId', '=', '')
      .compile(),
  };
}
