/** SQL of certificate orders and of accounts at authorities. */
import { sql } from 'kysely';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type OrderRecord = TableRecord<'certificate_order'>;
/** With the end of its certificate. */
export type DatedOrder = OrderRecord & { expirationDate: string | null };
export type AccountRecord = TableRecord<'acme_account'>;

export interface OrderStore extends TableStore<'certificate_order'> {
  accounts: TableStore<'acme_account'>;
  /** Newest first. */
  dated(organizationId: string): Promise<DatedOrder[]>;
  /** Orders that are due and that no process has. `now` in ms. */
  due(now: number): Promise<OrderRecord[]>;
  /** Takes or prolongs the turn of an order; false while another process has it. Times in ms. */
  lease(certificateOrderId: string, lease: { holder: string; now: number; until: number }): Promise<boolean>;
  /** Whether a wildcard domain of the order's server, with certificateType acme, has one of its names. */
  isNeeded(order: Pick<OrderRecord, 'organizationId' | 'serverId' | 'names'>): Promise<boolean>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createOrderStore(database: Database): OrderStore {
  const { builder } = database;
  const orders = tableStore(database, 'certificate_order');
  return {
    ...orders,
    accounts: tableStore(database, 'acme_account'),
    transaction: (work) => database.transaction(work),
    async dated(organizationId) {
      const rows = await database.run(
        sql<Record<string, unknown> & { expirationDate: string | null }>`
          select o.*, c."expirationDate" from "certificate_order" as o
          left join "certificate" as c on c."certificateId" = o."certificateId"
          where o."organizationId" = ${organizationId}
          order by o."createdAt" desc, o."certificateOrderId" desc`.compile(builder),
      );
      return rows.map(({ expirationDate, ...row }) => ({ ...orders.decode(row), expirationDate }));
    },
    async isNeeded({ organizationId, serverId, names }) {
      const found = await tableStore(database, 'domain').list({
        organizationId,
        serverKey: serverKeyOf({ serverId }),
        certificateType: 'acme',
      });
      return found.some(({ asciiHost, https }) => https && names.includes(asciiHost));
    },
    async due(now) {
      const rows = await database.run(
        sql<Record<string, unknown>>`select * from "certificate_order"
          where "nextAt" <= ${now} and "leaseUntil" <= ${now}
          order by "nextAt", "certificateOrderId" limit 100`.compile(builder),
      );
      return rows.map(orders.decode);
    },
    lease: async (certificateOrderId, { holder, now, until }) =>
      (await database.change(
        sql`update "certificate_order" set "leaseHolder" = ${holder}, "leaseUntil" = ${until}
          where "certificateOrderId" = ${certificateOrderId}
            and ("leaseUntil" <= ${now} or "leaseHolder" = ${holder})`.compile(builder),
      )) === 1,
  };
}
