/** SQL over services of every kind: the reads of projects and environments, in one statement each. */
import { sql, type CompiledQuery, type RawBuilder } from 'kysely';
import type { Database } from '../../db/database.ts';
import { idList } from '../../db/values/id-list.ts';
import { tableStore } from '../../db/table-store.ts';
import type {
  JudgedService,
  NewestDeployment,
  PlacedService,
  ServiceReads,
  Services,
  ServiceSummary,
} from './service.ts';

/** The tables of services; the kind of a database stands in its row. */
const tables = [
  {
    table: 'application',
    kind: sql.lit('application'),
    id: 'applicationId',
    status: 'applicationStatus',
    isListed: sql`1 = 1`,
  },
  {
    table: 'database',
    kind: sql.ref('kind'),
    id: 'databaseId',
    status: 'applicationStatus',
    // Previews are shown with what they are previews of, and their databases with them.
    isListed: sql`"previewDeploymentId" is null`,
  },
  {
    table: 'compose',
    kind: sql.lit('compose'),
    id: 'composeId',
    status: 'composeStatus',
    isListed: sql`"previewOf" is null`,
  },
] as const;

export function createServiceStore(database: Database): Services {
  const { builder, run } = database;
  const inEach = (condition: RawBuilder<unknown>): CompiledQuery<ServiceSummary> => {
    const parts = tables.map(
      ({ table, kind, id, status, isListed }) => sql`
        select ${kind} as "kind", ${sql.ref(id)} as "serviceId", "environmentId", "name", "appName",
          "description", ${sql.ref(status)} as "status", "createdAt"
        from ${sql.table(table)} where "organizationId" = ${''} and ${isListed} and ${condition}`,
    );
    return sql<ServiceSummary>`${sql.join(parts, sql` union all `)}
      order by "createdAt" desc, "serviceId" desc`.compile(builder);
  };
  const thrice = (...parameters: string[]): string[] => tables.flatMap(() => parameters);
  const all = inEach(sql`1 = 1`);
  const inEnvironment = inEach(sql`"environmentId" = ${''}`);
  const inProjects = idList((ids) =>
    inEach(
      sql`"environmentId" in
        (select "environmentId" from "environment" where "projectId" in (${sql.join(ids)}))`,
    ),
  );
  return {
    ofOrganization: (organizationId) => run(all, thrice(organizationId)),
    ofEnvironment: (organizationId, environmentId) =>
      run(inEnvironment, thrice(organizationId, environmentId)),
    async ofProjects(organizationId, projectIds) {
      const list = inProjects.of(projectIds);
      return list ? run(list.query, thrice(organizationId, ...list.ids)) : [];
    },
  };
}

export function createServiceReads({ builder, run }: Database): ServiceReads {
  const inEach = (condition: RawBuilder<unknown>) =>
    sql<Omit<PlacedService, 'isStopped'> & { isStopped: number }>`
      select s.*, e."name" as "environmentName", e."projectId", p."name" as "projectName" from (${sql.join(
        tables.map(
          ({ table, kind, id, status, isListed }) => sql`
            select ${kind} as "kind", ${sql.ref(id)} as "serviceId", "organizationId", "environmentId",
              "name", "appName", ${sql.ref(status)} as "status", "serverId", "liveDeploymentId",
              "isStopped", "createdAt"
            from ${sql.table(table)} where ${isListed} and ${condition}`,
        ),
        sql` union all `,
      )}) as s
      join "environment" as e on e."environmentId" = s."environmentId"
      join "project" as p on p."projectId" = e."projectId"
      order by s."createdAt" desc, s."serviceId" desc`.compile(builder);
  const ofOrganization = inEach(sql`"organizationId" = ${''}`);
  const everywhere = inEach(sql`1 = 1`);
  const newest = sql<NewestDeployment>`
    select coalesce("applicationId", "databaseId", "composeId") as "serviceId", "deploymentId", "status",
      "stage", "title", "commit", "errorMessage", "createdAt", "finishedAt"
    from "deployment" where "organizationId" = ${''} and "sequence" in (
      select max("sequence") from "deployment"
      where "organizationId" = ${''} and "previewDeploymentId" is null
      group by "applicationId", "databaseId", "composeId")
    and "previewDeploymentId" is null`.compile(builder);
  const domains = sql<{ serviceId: string; host: string; path: string; https: number }>`
    select coalesce("applicationId", "composeId") as "serviceId", "host", "path", "https" from "domain"
    where "organizationId" = ${''} and "previewDeploymentId" is null
    order by "uniqueConfigKey"`.compile(builder);
  const judged = sql<Omit<JudgedService, 'isStopped'> & { isStopped: number }>`${sql.join(
    tables.map(
      ({ table, kind, id }) => sql`
        select ${kind} as "kind", ${sql.ref(id)} as "serviceId", "organizationId", "serverId",
          "liveDeploymentId", "isStopped" from ${sql.table(table)}`,
    ),
    sql` union all `,
  )}`.compile(builder);
  const withFlag = <T extends { isStopped: number }>(
    row: T,
  ): Omit<T, 'isStopped'> & { isStopped: boolean } => ({
    ...row,
    isStopped: row.isStopped === 1,
  });
  const placed = async (query: typeof everywhere, parameters: string[]): Promise<PlacedService[]> =>
    (await run(query, parameters)).map(withFlag);
  return {
    placed: (organizationId) =>
      placed(
        ofOrganization,
        tables.map(() => organizationId),
      ),
    everywhere: () => placed(everywhere, []),
    judged: async () => (await run(judged)).map(withFlag),
    newestDeployments: (organizationId) => run(newest, [organizationId, organizationId]),
    addresses: async (organizationId) =>
      (await run(domains, [organizationId])).map((row) => ({ ...row, https: row.https === 1 })),
  };
}

/** Whole rows of services and of what is copied with them. */
export function createServiceRows(database: Database) {
  return {
    application: tableStore(database, 'application'),
    database: tableStore(database, 'database'),
    compose: tableStore(database, 'compose'),
    mount: tableStore(database, 'mount'),
    redirect: tableStore(database, 'redirect'),
    basicAuth: tableStore(database, 'basic_auth'),
  };
}

export type ServiceRows = ReturnType<typeof createServiceRows>;
