/** SQL over services of every kind: the reads of projects and environments, in one statement each. */
import { sql, type CompiledQuery, type RawBuilder } from 'kysely';
import type { Database } from '../../db/database.ts';
import { idList } from '../../db/id-list.ts';
import { tableStore } from '../../db/table-store.ts';
import type { Services, ServiceSummary } from './service.ts';

/** The tables of services; the kind of a database stands in its row. */
const tables = [
  { table: 'application', kind: sql.lit('application'), id: 'applicationId', status: 'applicationStatus' },
  { table: 'database', kind: sql.ref('kind'), id: 'databaseId', status: 'applicationStatus' },
  { table: 'compose', kind: sql.lit('compose'), id: 'composeId', status: 'composeStatus' },
] as const;

export function createServiceStore(database: Database): Services {
  const { builder, run } = database;
  const inEach = (condition: RawBuilder<unknown>): CompiledQuery<ServiceSummary> => {
    const parts = tables.map(
      ({ table, kind, id, status }) => sql`
        select ${kind} as "kind", ${sql.ref(id)} as "serviceId", "environmentId", "name", "appName",
          "description", ${sql.ref(status)} as "status", "createdAt"
        from ${sql.table(table)} where "organizationId" = ${''} and ${condition}`,
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
