/** SQL of servers. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type ServerRecord = TableRecord<'server'>;

export interface ServerStore extends TableStore<'server'> {
  /**
   * How many applications, databases and compose services stand on each server of the organization; a server
   * without any is not among them.
   */
  countServices(organizationId: string): Promise<Map<string, number>>;
  countCertificates(serverId: string): Promise<number>;
}

export function createServerStore(database: Database): ServerStore {
  const { builder } = database;
  const onServers = (table: 'application' | 'database' | 'compose') =>
    sql`select "serverId" from ${sql.table(table)} where "organizationId" = ${''} and "serverId" is not null`;
  const services = sql<{ serverId: string; count: number }>`select "serverId", count(*) as "count" from (
    ${onServers('application')} union all ${onServers('database')} union all ${onServers('compose')})
    as "placed" group by "serverId"`.compile(builder);
  const certificates = builder
    .selectFrom('certificate')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('serverId', '=', '')
    .compile();
  return {
    ...tableStore(database, 'server'),
    countServices: async (organizationId) =>
      new Map(
        (await database.run(services, [organizationId, organizationId, organizationId])).map(
          ({ serverId, count }) => [serverId, Number(count)],
        ),
      ),
    countCertificates: async (serverId) =>
      Number((await database.run(certificates, [serverId]))[0]?.count ?? 0),
  };
}
