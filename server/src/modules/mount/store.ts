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
    sql`select ${type} as "serviceType" from ${sql.table(table)} where ${sql.ref(`${table}Id`)} = ${''} and "organizationId" = ${''}`;
  const serviceType = sql<{
    serviceType: ServiceType;
  }>`${of('application', sql`'application'`)} union all ${of('compose', sql`'compose'`)} union all ${of('database', sql`"kind"`)}`.compile(
    database.builder,
  );
  return {
    ...tableStore(database, 'mount'),
    serviceType: async (serviceId, organizationId) =>
      (
        await database.run(serviceType, [
          serviceId,
          organizationId,
          serviceId,
          organizationId,
          serviceId,
          organizationId,
        ])
      )[0]?.serviceType,
  };
}
