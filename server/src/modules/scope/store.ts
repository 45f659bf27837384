/** Where a thing stands: one prepared statement per kind, for the guard. */
import type { CompiledQuery } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { Scope } from '../../domain/permissions.ts';
import type { ResourceKind } from '../../procedure/procedure.ts';

export type FindScope = (kind: ResourceKind, id: string) => Promise<Scope | undefined>;

interface ScopeRow {
  organizationId: string;
  projectId?: string | null;
  environmentId?: string | null;
  serviceId?: string | null;
}

export function createFindScope({ builder, run }: Database): FindScope {
  /** Things that belong to an application take its place. */
  const ofApplication = (table: 'deployment' | 'domain' | 'port' | 'mount', key: string): CompiledQuery<ScopeRow> =>
    builder.selectFrom(table).leftJoin('application', 'application.applicationId', `${table}.applicationId`).leftJoin('environment', 'environment.environmentId', 'application.environmentId')
      .select([`${table}.organizationId`, 'environment.projectId', 'environment.environmentId', `${table}.applicationId as serviceId`]).where(builder.dynamic.ref(`${table}.${key}`), '=', '').compile();
  const queries: Record<ResourceKind, CompiledQuery<ScopeRow>> = {
    project: builder.selectFrom('project').select(['organizationId', 'projectId']).where('projectId', '=', '').compile(),
    environment: builder.selectFrom('environment').select(['organizationId', 'projectId', 'environmentId']).where('environmentId', '=', '').compile(),
    application: builder.selectFrom('application').innerJoin('environment', 'environment.environmentId', 'application.environmentId')
      .select(['application.organizationId', 'environment.projectId', 'environment.environmentId', 'application.applicationId as serviceId']).where('application.applicationId', '=', '').compile(),
    deployment: ofApplication('deployment', 'deploymentId'),
    domain: ofApplication('domain', 'domainId'),
    port: ofApplication('port', 'portId'),
    mount: ofApplication('mount', 'mountId'),
    sshKey: builder.selectFrom('ssh_key').select('organizationId').where('sshKeyId', '=', '').compile(),
    registry: builder.selectFrom('registry').select('organizationId').where('registryId', '=', '').compile(),
  };
  return async (kind, id) => {
    const [row] = await run(queries[kind], [id]);
    return row && { organizationId: row.organizationId, projectId: row.projectId ?? undefined, environmentId: row.environmentId ?? undefined, serviceId: row.serviceId ?? undefined };
  };
}
