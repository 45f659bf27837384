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
}

export function createMountStore(database: Database): MountStore {
  const of = (table: 'application' | 'compose' | 'database', type: ReturnType<typeof sql>) =>
    sql`select ${type} as "serviceType" from ${sql.table(table)}
      where ${sql.ref(`${table}Id`)} = ${''} and "organizationId" = ${''}`;
  const services = [
    of('application', sql`'application'`),
    of('compose', sql`'compose'`),
    of('database', sql`"kind"`),
  ];
  const serviceType = sql<{ serviceType: ServiceType }>`${sql.join(services, sql` union all `)}`.compile(
    database.builder,
  );
  return {
    ...tableStore(database, 'mount'),
    serviceType: async (serviceId, organizationId) => {
      const ids = services.flatMap(() => [serviceId, organizationId]);
      return (await database.run(serviceType, ids))[0]?.serviceType;
    },
  };
}
