/** SQL of what is shown to monitoring systems: few statements, whatever the number of rows. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';

interface BackupFacts {
  backupId: string;
  database: string;
  volumeName: string | null;
  lastGoodAt: string | null;
  alarmSince: string | null;
}

export interface MetricsStore {
  jobs(): Promise<{ kind: string; state: string; count: number }[]>;
  deployments(): Promise<{ status: string; count: number }[]>;
  alarms(): Promise<{ kind: string; count: number }[]>;
  services(): Promise<ServiceLabels[]>;
  /** ms; of ACME authorities. */
  certificates(): Promise<{ host: string; expiresAt: number }[]>;
  /** ISO 8601. */
  uploaded(): Promise<{ name: string; expirationDate: string }[]>;
  backups(): Promise<BackupFacts[]>;
}

export interface ServiceLabels {
  serviceId: string;
  name: string;
  environment: string;
  project: string;
  organization: string;
}

export function createMetricsStore({ builder, run }: Database): MetricsStore {
  const counted = async <T extends { count: number }>(query: ReturnType<typeof sql<T>>): Promise<T[]> =>
    (await run(query.compile(builder))).map((row) => ({ ...row, count: Number(row.count) }));
  return {
    jobs: () =>
      counted(sql<{ kind: string; state: string; count: number }>`
        select "kind", "state", count(*) as "count" from "job"
        where "state" in ('queued', 'running') group by "kind", "state" order by "kind", "state"`),
    deployments: () =>
      counted(sql<{ status: string; count: number }>`
        select "status", count(*) as "count" from "deployment" group by "status" order by "status"`),
    alarms: () =>
      counted(sql<{ kind: string; count: number }>`
        select "kind", count(*) as "count" from "alarm"
        where "endedAt" is null group by "kind" order by "kind"`),
    services: () => run(servicesQuery().compile(builder)),
    async certificates() {
      const rows = await run(
        sql<{
          host: string;
          expiresAt: number;
        }>`select "host", max("expiresAt") as "expiresAt" from "issuance"
          where "status" = 'issued' and "expiresAt" is not null group by "host" order by "host"`.compile(
          builder,
        ),
      );
      return rows.map(({ host, expiresAt }) => ({ host, expiresAt: Number(expiresAt) }));
    },
    uploaded: () =>
      run(
        sql<{ name: string; expirationDate: string }>`select "commonName" as "name", min("expirationDate")
          as "expirationDate" from "certificate" group by "commonName" order by "commonName"`.compile(
          builder,
        ),
      ),
    backups: () =>
      run(
        sql<BackupFacts>`
          select "backupId", "database", "volumeName", "lastGoodAt", "alarmSince" from "backup"
          where "enabled" = 1 order by "backupId"`.compile(builder),
      ),
  };
}

function servicesQuery() {
  const parts = (['application', 'database', 'compose'] as const).map(
    (table) => sql`select ${sql.ref(`s.${table}Id`)} as "serviceId", s."name", e."name" as "environment",
        p."name" as "project", o."name" as "organization"
      from ${sql.table(table)} as s
      join "environment" as e on e."environmentId" = s."environmentId"
      join "project" as p on p."projectId" = e."projectId"
      join "organization" as o on o."organizationId" = s."organizationId"`,
  );
  return sql<ServiceLabels>`${sql.join(parts, sql` union all `)} order by "serviceId"`;
}
