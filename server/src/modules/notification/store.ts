/** SQL of notifications: channels, and the messages that wait for them. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';

export type NotificationRecord = TableRecord<'notification'>;
export type DeliveryRecord = TableRecord<'notification_delivery'>;

export interface NotificationStore extends TableStore<'notification'> {
  deliveries: TableStore<'notification_delivery'>;
  /** Work that is taken back alone when it throws, inside whatever transaction is open. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Until the transaction ends nobody else adds to the messages of this organization's channels, so that what
   * is read of them is still so when it is written.
   */
  hold(organizationId: string): Promise<void>;
  /** The newest message of a group, by when its time began. */
  newestOf(notificationId: string, group: string): Promise<DeliveryRecord | undefined>;
  /** Single messages made since then, and messages that wait. */
  countOf(notificationId: string, since: number): Promise<{ recent: number; waiting: number }>;
  /** Messages that wait, by channel; of one organization. */
  waitingIn(organizationId: string): Promise<Map<string, number>>;
  /** Channels with a message that is due. */
  due(now: number): Promise<string[]>;
  /** The message that is next on a channel, whether or not its next attempt is due. */
  head(notificationId: string, now: number): Promise<DeliveryRecord | undefined>;
  /** Takes or prolongs the turn of a channel; false while another process has it. Times in ms. */
  lease(notificationId: string, lease: { holder: string; now: number; until: number }): Promise<boolean>;
  prune(before: number): Promise<void>;
}

export function createNotificationStore(database: Database): NotificationStore {
  const { builder } = database;
  const deliveries = tableStore(database, 'notification_delivery');
  const first = firstOf(database);
  return {
    ...tableStore(database, 'notification'),
    deliveries,
    attempt: (work) => database.attempt(work),
    transaction: (work) => database.transaction(work),
    async hold(organizationId) {
      // SQLite has one transaction at a time.
      if (database.dialect === 'sqlite') return;
      await database.run(
        sql`select 1 from "notification" where "organizationId" = ${organizationId}
          order by "notificationId" for no key update`.compile(builder),
      );
    },
    newestOf: (notificationId, group) =>
      first(sql`select * from "notification_delivery"
        where "notificationId" = ${notificationId} and "factGroup" = ${group}
        order by "opensAt" desc, "sequence" desc limit 1`),
    async countOf(notificationId, since) {
      const [row] = await database.run(
        sql<{ recent: number | null; waiting: number | null }>`select
          sum(case when "isSummary" = 0 and "opensAt" > ${since} then 1 else 0 end) as "recent",
          sum(case when "state" = 'queued' then 1 else 0 end) as "waiting"
          from "notification_delivery" where "notificationId" = ${notificationId}`.compile(builder),
      );
      return { recent: Number(row?.recent ?? 0), waiting: Number(row?.waiting ?? 0) };
    },
    async waitingIn(organizationId) {
      const rows = await database.run(
        sql<{ notificationId: string; count: number }>`select "notificationId", count(*) as "count"
          from "notification_delivery" where "organizationId" = ${organizationId} and "state" = 'queued'
          group by "notificationId"`.compile(builder),
      );
      return new Map(rows.map(({ notificationId, count }) => [notificationId, Number(count)]));
    },
    ...sendingOf(database),
  };
}

/** What whoever sends asks. */
function sendingOf(database: Database): Pick<NotificationStore, 'due' | 'head' | 'lease' | 'prune'> {
  const { builder } = database;
  const first = firstOf(database);
  return {
    async due(now) {
      const rows = await database.run(
        sql<{ notificationId: string }>`select distinct "notificationId" from "notification_delivery"
          where "state" = 'queued' and "dueAt" <= ${now} and "nextAt" <= ${now}`.compile(builder),
      );
      return rows.map(({ notificationId }) => notificationId);
    },
    head: (notificationId, now) =>
      first(sql`select * from "notification_delivery"
        where "notificationId" = ${notificationId} and "state" = 'queued' and "dueAt" <= ${now}
        order by "dueAt", "sequence" limit 1`),
    lease: async (notificationId, { holder, now, until }) =>
      (await database.change(
        sql`update "notification" set "leaseHolder" = ${holder}, "leaseUntil" = ${until}
          where "notificationId" = ${notificationId}
            and ("leaseUntil" <= ${now} or "leaseHolder" = ${holder})`.compile(builder),
      )) === 1,
    async prune(before) {
      await database.change(
        sql`delete from "notification_delivery" where "state" <> 'queued' and "dueAt" < ${before}`.compile(
          builder,
        ),
      );
    },
  };
}

function firstOf(database: Database): (query: ReturnType<typeof sql>) => Promise<DeliveryRecord | undefined> {
  const deliveries = tableStore(database, 'notification_delivery');
  return async (query) => {
    const [row] = await database.run(query.compile(database.builder));
    return row === undefined ? undefined : deliveries.decode(Object(row));
  };
}
