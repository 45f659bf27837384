import { sql } from 'kysely';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Database } from '../../db/database.ts';
import { oneAtATime, sharedByOrganizations } from '../../db/writing/one-at-a-time.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type PortRecord = TableRecord<'port'>;

/** Who has a port of a server: an application that publishes it, or a database that is opened on it. */
export interface PortHolder {
  holderId: string;
  organizationId: string;
  kind: 'application' | 'database';
  name: string;
  serverId: string | null;
}

export interface PortStore extends TableStore<'port'> {
  /**
   * The holders of a port, on whatever server. In a transaction, others that ask wait until it ends: it may
   * take the port.
   */
  holders(publishedPort: number, protocol: string): Promise<PortHolder[]>;
  /** Key of the server that the application stands on. */
  serverKeyOf(applicationId: string): Promise<string>;
}

export function createPortStore(database: Database): PortStore {
  const { builder } = database;
  const holders = sql<PortHolder>`
    select p."portId" as "holderId", p."organizationId", 'application' as "kind", a."name", a."serverId"
      from "port" p join "application" a on a."applicationId" = p."applicationId"
      where p."publishedPort" = ${0} and p."protocol" = ${''}
    union all select "databaseId", "organizationId", 'database', "name", "serverId"
      from "database" where "externalPort" = ${0} and 'tcp' = ${''}`.compile(builder);
  const server = builder
    .selectFrom('application')
    .select('serverId')
    .where('applicationId', '=', '')
    .compile();
  return {
    ...tableStore(database, 'port'),
    async holders(publishedPort, protocol) {
      await oneAtATime(database, sharedByOrganizations);
      return database.run(holders, [publishedPort, protocol, publishedPort, protocol]);
    },
    serverKeyOf: async (applicationId) =>
      serverKeyOf((await database.run(server, [applicationId]))[0] ?? { serverId: null }),
  };
}
