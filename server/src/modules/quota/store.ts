/** SQL of quotas, and of what an organization uses. */
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type QuotaRecord = TableRecord<'quota'>;

/** A service that an organization has, with what it is given. */
export interface ServiceResources {
  serviceId: string;
  name: string;
  replicas: number;
  memoryLimit: string | null;
  cpuLimit: string | null;
}

export interface QuotaStore {
  quotas: TableStore<'quota'>;
  /** Applications, databases, compose services and previews. */
  countServices(organizationId: string): Promise<number>;
  /** Of applications, databases and previews. */
  resources(organizationId: string): Promise<ServiceResources[]>;
  /** Compose services that were deployed, with what their live release runs. */
  composes(organizationId: string): Promise<{ serviceId: string; name: string; settings: string | null }[]>;
  /** Deployments that build now. */
  countBuilds(organizationId: string): Promise<number>;
  /** Of the backups that are kept. */
  backupBytes(organizationId: string): Promise<number>;
  /** Other changes of the organization wait until the transaction ends. */
  hold(organizationId: string): Promise<void>;
}

export function createQuotaStore(database: Database): QuotaStore {
  const [composes, deployments] = [tableStore(database, 'compose'), tableStore(database, 'deployment')];
  const number = async (query: RawBuilder<{ value: unknown }>): Promise<number> =>
    Number((await database.run(query.compile(database.builder)))[0]?.value ?? 0);
  const { builder } = database;
  const held = builder.selectFrom('organization').select('organizationId').where('organizationId', '=', '');
  const hold = held.forNoKeyUpdate().compile();
  return {
    quotas: tableStore(database, 'quota'),
    countServices: (id) =>
      number(sql`select
        (select count(*) from "application" where "organizationId" = ${id}) +
        (select count(*) from "database" where "organizationId" = ${id}) +
        (select count(*) from "compose" where "organizationId" = ${id}) +
        (select count(*) from "preview_deployment" where "organizationId" = ${id}) as "value"`),
    countBuilds: (id) =>
      number(sql`select count(*) as "value" from "deployment"
        where "organizationId" = ${id} and "status" = 'running' and "stage" in ('checkout', 'build')`),
    backupBytes: (id) =>
      number(sql`select coalesce(sum("storedBytes"), 0) as "value" from "backup_run"
        where "organizationId" = ${id} and "isStored" = 1`),
    resources: resourcesOf(database),
    async composes(organizationId) {
      const found = await composes.list({ organizationId });
      return Promise.all(
        found
          .filter(({ liveDeploymentId }) => liveDeploymentId !== null)
          .map(async ({ composeId, name, liveDeploymentId }) => ({
            serviceId: composeId,
            name,
            settings: (await deployments.find({ deploymentId: liveDeploymentId ?? '' }))?.settings ?? null,
          })),
      );
    },
    async hold(organizationId) {
      if (database.dialect === 'postgres') await database.run(hold, [organizationId]);
    },
  };
}

function resourcesOf(database: Database): QuotaStore['resources'] {
  const [applications, databases, previews] = [
    tableStore(database, 'application'),
    tableStore(database, 'database'),
    tableStore(database, 'preview_deployment'),
  ];
  return async (organizationId) => {
    const own = await applications.list({ organizationId });
    const byId = new Map(own.map((one) => [one.applicationId, one]));
    return [
      ...own.map((one) => ({ ...one, serviceId: one.applicationId })),
      ...(await databases.list({ organizationId })).map((one) => ({
        ...one,
        serviceId: one.databaseId,
        replicas: 1,
      })),
      ...(await previews.list({ organizationId })).flatMap((preview) => {
        const application = byId.get(preview.applicationId);
        return application
          ? [{ ...application, serviceId: preview.previewDeploymentId, name: preview.appName, replicas: 1 }]
          : [];
      }),
    ];
  };
}
