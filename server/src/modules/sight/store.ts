/** Where the services of an organization stand. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';

export interface PlacementOfService {
  projectId: string;
  environmentId: string;
  /** The service that grants name, where it is another: the application of a preview. */
  serviceId?: string;
}

export interface SightStore {
  /** Of every application, database, compose service and preview, by its id; one statement. */
  placements(organizationId: string): Promise<Map<string, PlacementOfService>>;
}

export function createSightStore(database: Database): SightStore {
  const services = (['application', 'database', 'compose'] as const).map(
    (table) =>
      sql`select ${sql.ref(`${table}Id`)} as "id", ${sql.ref(`${table}Id`)} as "serviceId", "environmentId"
        from ${sql.table(table)} where "organizationId" = ${''}`,
  );
  const previews = sql`
    select p."previewDeploymentId" as "id", a."applicationId" as "serviceId", a."environmentId"
    from "preview_deployment" as p join "application" as a on a."applicationId" = p."applicationId"
    where p."organizationId" = ${''}`;
  const placements = sql<PlacementOfService & { id: string }>`
    select s."id", s."serviceId", e."environmentId", e."projectId"
    from (${sql.join([...services, previews], sql` union all `)}) as s
    join "environment" as e on e."environmentId" = s."environmentId"`.compile(database.builder);
  return {
    placements: async (organizationId) =>
      new Map(
        (
          await database.run(placements, [organizationId, organizationId, organizationId, organizationId])
        ).map(({ id, ...place }) => [id, place]),
      ),
  };
}
