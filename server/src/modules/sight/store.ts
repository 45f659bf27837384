/** Where the services of an organization stand. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';

export interface PlacementOfService {
  projectId: string;
  environmentId: string;
}

export interface SightStore {
  /** Of every application, database and compose service, by its id; one statement. */
  placements(organizationId: string): Promise<Map<string, PlacementOfService>>;
}

export function createSightStore(database: Database): SightStore {
  const services = (['application', 'database', 'compose'] as const).map((table) => sql`select ${sql.ref(`${table}Id`)} as "serviceId", "environmentId" from ${sql.table(table)} where "organizationId" = ${''}`);
  const placements = sql<PlacementOfService & { serviceId: string }>`select s."serviceId", e."environmentId", e."projectId" from (${sql.join(services, sql` union all `)}) as s
    join "environment" as e on e."environmentId" = s."environmentId"`.compile(database.builder);
  return {
    placements: async (organizationId) => new Map((await database.run(placements, [organizationId, organizationId, organizationId])).map(({ serviceId, ...place }) => [serviceId, place])),
  };
}
