/** SQL of servers. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';
import type { ServerPlace } from '../../procedure/place.ts';

export type ServerRecord = TableRecord<'server'>;

export interface ServerStore extends TableStore<'server'> {
  /**
   * How many applications, databases and compose services stand on each server of the organization; a server
   * without any is not among them.
   */
  countServices(organizationId: string): Promise<Map<string, number>>;
  countCertificates(serverId: string): Promise<number>;
  /** Applications that are built on it. */
  countBuilt(serverId: string): Promise<number>;
  /**
   * Keeps the host key that a server showed at its first contact; false when another is pinned by now, or the
   * record names another machine than the one that was connected to.
   */
  pinFirst(
    machine: Pick<ServerRecord, 'serverId' | 'ipAddress' | 'port'>,
    hostKeyFingerprint: string,
  ): Promise<boolean>;
}

export function createServerStore(database: Database): ServerStore {
  const { builder } = database;
  const onServers = (table: 'application' | 'database' | 'compose') =>
    sql`select "serverId" from ${sql.table(table)} where "organizationId" = ${''} and "serverId" is not null`;
  const services = sql<{ serverId: string; count: number }>`select "serverId", count(*) as "count" from (
    ${onServers('application')} union all ${onServers('database')} union all ${onServers('compose')})
    as "placed" group by "serverId"`.compile(builder);
  // Those that are being asked for are certificates of the server, too.
  const certificates = sql<{ count: number }>`select count(*) as "count" from (
    select "certificateId" from "certificate" where "serverId" = ${''}
    union all select "certificateOrderId" from "certificate_order"
      where "serverId" = ${''} and "certificateId" is null) as "placed"`.compile(builder);
  const built = builder
    .selectFrom('application')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('buildServerId', '=', '')
    .compile();
  const servers = tableStore(database, 'server');
  return {
    ...servers,
    pinFirst: async (machine, hostKeyFingerprint) =>
      (await servers.update({ ...machine, hostKeyFingerprint: null }, { hostKeyFingerprint })) === 1,
    countServices: async (organizationId) =>
      new Map(
        (await database.run(services, [organizationId, organizationId, organizationId])).map(
          ({ serverId, count }) => [serverId, Number(count)],
        ),
      ),
    countCertificates: async (serverId) =>
      Number((await database.run(certificates, [serverId, serverId]))[0]?.count ?? 0),
    countBuilt: async (serverId) => Number((await database.run(built, [serverId]))[0]?.count ?? 0),
  };
}

/**
 * Whether an organization owns a server, as the installation's Owner says: false for Berth's own machine,
 * and for a head with a node that is not trusted.
 */
export type OwnsServer = (organizationId: string, place: ServerPlace) => Promise<boolean>;

/** One statement, whatever is asked. */
export function createOwnsServer({ builder, run }: Database): OwnsServer {
  const owned = (serverId: ReturnType<typeof sql>) =>
    sql<{ serverId: string }>`select s."serverId" from "server" as s
      where s."organizationId" = ${''} and s."trusted" = 1 and s."serverId" in (${serverId})
        and not exists (
          select 1 from "server" as n where n."clusterServerId" = s."serverId" and n."trusted" = 0)`.compile(
      builder,
    );
  const standing = (['application', 'database', 'compose'] as const).map(
    (table) =>
      sql`select "serverId" from ${sql.table(table)} where ${sql.ref(`${table}Id`)} = ${''}
        and "serverId" is not null`,
  );
  const ofServer = owned(sql`${''}`);
  const ofService = owned(sql.join(standing, sql` union all `));
  return async (organizationId, place) => {
    const [query, id] = 'serverId' in place ? [ofServer, place.serverId] : [ofService, place.serviceId];
    const rows = await run(
      query,
      query.parameters.map((_, index) => (index === 0 ? organizationId : id)),
    );
    return rows.length > 0;
  };
}
