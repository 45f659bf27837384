/** Whether a service that was stopped still is, by its record. */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { idFields, type ServiceRef } from '../domain/names/service-ref.ts';

const tables = {
  application: 'application',
  database: 'database',
  compose: 'compose',
  previewDeployment: 'preview_deployment',
} as const satisfies Record<ServiceRef['kind'], string>;

/**
 * Whether the service still has its record and nobody has started or deployed it since then (ISO 8601);
 * undefined when the record is gone.
 */
export async function isStillStopped(
  database: Database,
  { kind, serviceId }: ServiceRef,
  since: string,
): Promise<boolean | undefined> {
  const id = sql.ref(idFields[kind]);
  const [found] = await database.run(
    sql<{ isStopped: number; newest: string | null }>`
      select "isStopped",
        (select max("createdAt") from "deployment" where ${id} = ${serviceId}) as "newest"
      from ${sql.table(tables[kind])} where ${id} = ${serviceId}`.compile(database.builder),
  );
  return found && found.isStopped === 1 && (found.newest ?? '') <= since;
}
