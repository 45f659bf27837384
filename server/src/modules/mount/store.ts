/** SQL of mounts. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';
import type { ServiceType } from './record.ts';

export type MountRecord = TableRecord<'mount'>;

export interface MountStore extends TableStore<'mount'> {
  /** What kind of service bears this id in the organization; undefined when none does. */
  serviceType(serviceId: string, organizationId: string): Promise<ServiceType | undefined>;
  /** Of the service's live release; null before the first one. */
  liveDeployment(serviceId: string, organizationId: string): Promise<string | null>;
}

export function createMountStore(database: Database): MountStore {
  const of = (table: 'application' | 'compose' | 'database', type: ReturnType<typeof sql>) =>
    sql`select ${type} as "serviceType", "liveDeploymentId" from ${sql.table(table)}
      where ${sql.ref(`${table}Id`)} = ${''} and "organizationId" = ${''}`;
  const services = [
    of('application', sql`'application'`),
    of('compose', sql`'compose'`),
    of('database', sql`"kind"`),
  ];
  const service = sql<{
    serviceType: ServiceType;
    liveDeploymentId: string | null;
  }>`${sql.join(services, sql` union all `)}`.compile(database.builder);
  const found = async (
    serviceId: string,
    organizationId: string,
  ): Promise<{ serviceType: ServiceType; liveDeploymentId: string | null } | undefined> => {
    const ids = services.flatMap(() => [serviceId, organizationId]);
    return (await database.run(service, ids))[0];
  };
  return {
    ...tableStore(database, 'mount'),
    serviceType: async (...of) => (await found(...of))?.serviceType,
    liveDeployment: async (...of) => (await found(...of))?.liveDeploymentId ?? null,
  };
}
