/** Where a thing stands: one prepared statement per kind, for the guard. */
import { sql, type CompiledQuery } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { TableName } from '../../db/tables.ts';
import { perDatabaseKind, type DatabaseKindName } from '../../domain/database-kind.ts';
import type { Scope } from '../../domain/permissions.ts';
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

export function createFindScope({ builder, run }: Database): FindScope {
  const ref = (text: string) => sql.ref(text);
  const service = (table: Service, kind?: DatabaseKindName): CompiledQuery<ScopeRow> =>
    sql<ScopeRow>`select ${ref('s.organizationId')}, ${ref('e.projectId')}, ${ref('e.environmentId')}, ${ref(`s.${table}Id`)} as ${ref('serviceId')}
    from ${sql.table(table)} as ${ref('s')} join ${sql.table('environment')} as ${ref('e')} on ${ref('e.environmentId')} = ${ref('s.environmentId')}
    where ${ref(`s.${table}Id`)} = ${''}${kind === undefined ? sql`` : sql` and ${ref('s.kind')} = ${sql.lit(kind)}`}`.compile(
      builder,
    );
  /** Things that belong to a service take its place; `owners` are the kinds of service that a row of this table can name. */
  const partOf = (
    table: TableName,
    key: string,
    owners: readonly Service[],
    through?: 'preview_deployment',
  ): CompiledQuery<ScopeRow> => {
    const idOf = (owner: Service) =>
      through && owner === 'application'
        ? sql`coalesce(${ref('t.applicationId')}, ${ref('p.applicationId')})`
        : sql`${ref(`t.${owner}Id`)}`;
    const first = (parts: readonly ReturnType<typeof sql>[]) =>
      parts.length === 1 ? sql`${parts[0]}` : sql`coalesce(${sql.join([...parts])})`;
    return sql<ScopeRow>`select ${ref('t.organizationId')}, ${ref('e.projectId')}, ${ref('e.environmentId')}, ${first(owners.map(idOf))} as ${ref('serviceId')} from ${sql.table(table)} as ${ref('t')}
      ${through ? sql`left join ${sql.table(through)} as ${ref('p')} on ${ref('p.previewDeploymentId')} = ${ref('t.previewDeploymentId')}` : sql``}
      ${sql.join(
        owners.map(
          (owner) =>
            sql`left join ${sql.table(owner)} as ${ref(owner)} on ${ref(`${owner}.${owner}Id`)} = ${idOf(owner)}`,
        ),
        sql` `,
      )}
      left join ${sql.table('environment')} as ${ref('e')} on ${ref('e.environmentId')} = ${first(owners.map((owner) => sql`${ref(`${owner}.environmentId`)}`))}
      where ${ref(`t.${key}`)} = ${''}`.compile(builder);
  };
  const ofOrganization = (table: TableName, key: string): CompiledQuery<ScopeRow> =>
    sql<ScopeRow>`select ${ref('organizationId')} from ${sql.table(table)} where ${ref(key)} = ${''}`.compile(
      builder,
    );
  const parts = (['application', 'database', 'compose'] as const).map(
    (table) =>
      sql`select ${ref('organizationId')}, ${ref('environmentId')}, ${ref(`${table}Id`)} as ${ref('serviceId')} from ${sql.table(table)} where ${ref(`${table}Id`)} = ${''}`,
  );
  const anyService =
    sql<ScopeRow>`select ${ref('s.organizationId')}, ${ref('e.projectId')}, ${ref('e.environmentId')}, ${ref('s.serviceId')} from (${sql.join(parts, sql` union all `)}) as ${ref('s')}
    join ${sql.table('environment')} as ${ref('e')} on ${ref('e.environmentId')} = ${ref('s.environmentId')}`.compile(
      builder,
    );
  const queries: Record<ResourceKind, CompiledQuery<ScopeRow>> = {
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
    application: service('application'),
    compose: service('compose'),
    database: service('database'),
    ...perDatabaseKind((kind) => service('database', kind)),
    service: anyService,
    deployment: partOf('deployment', 'deploymentId', ['application', 'database', 'compose']),
    domain: partOf('domain', 'domainId', ['application', 'compose'], 'preview_deployment'),
    port: partOf('port', 'portId', ['application']),
    mount: partOf('mount', 'mountId', ['application', 'database', 'compose']),
    redirect: partOf('redirect', 'redirectId', ['application']),
    basicAuth: partOf('basic_auth', 'basicAuthId', ['application']),
    backup: partOf('backup', 'backupId', ['database']),
    backupRun: partOf('backup_run', 'backupRunId', ['database']),
    previewDeployment: partOf('preview_deployment', 'previewDeploymentId', ['application']),
    sshKey: ofOrganization('ssh_key', 'sshKeyId'),
    registry: ofOrganization('registry', 'registryId'),
    server: ofOrganization('server', 'serverId'),
    destination: ofOrganization('destination', 'destinationId'),
    certificate: ofOrganization('certificate', 'certificateId'),
    certificateResolver: ofOrganization('certificate_resolver', 'certificateResolverId'),
    organization: ofOrganization('organization', 'organizationId'),
    gitProvider: ofOrganization('git_provider', 'gitProviderId'),
    invitation: ofOrganization('invitation', 'invitationId'),
    user: sql<ScopeRow>`select ${ref('organizationId')} from ${sql.table('member')} where ${ref('userId')} = ${''} order by case when ${ref('organizationId')} = ${organizationMark} then 0 else 1 end limit 1`.compile(
      builder,
    ),
    apiKey: builder
      .selectFrom('api_key')
      .select(['organizationId', 'userId'])
      .where('apiKeyId', '=', '')
      .compile(),
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
