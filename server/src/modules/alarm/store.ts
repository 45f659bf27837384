/** SQL of alarms, and of what in the records is a reason for one. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';
import { heldKeys } from '../../domain/secrets/age-identities.ts';

export type AlarmRecord = TableRecord<'alarm'>;

/** Where something stands, for members. */
export interface Placed {
  organizationId: string;
  projectId: string | null;
  environmentId: string | null;
  serviceId: string | null;
}

export interface SilentBackup extends Placed {
  backupId: string;
  database: string;
  databaseId: string | null;
  volumeName: string | null;
  alarmSince: string;
  lastGoodAt: string | null;
}

export interface PlacedService extends Placed {
  serviceId: string;
  name: string;
  /** How its last action ended, or that one is under way. */
  status: string;
}

export interface AlarmStore extends TableStore<'alarm'> {
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Those that go on, of every organization. */
  open(): Promise<AlarmRecord[]>;
  /** Newest first, behind the one given. */
  page(
    organizationId: string,
    options: { ended: boolean; after: AlarmRecord | undefined; limit: number },
  ): Promise<AlarmRecord[]>;
  /** The newest of a subject that ended since then (ISO 8601). */
  endedSince(
    alarm: Pick<AlarmRecord, 'organizationId' | 'kind' | 'subjectType' | 'subjectId'>,
    since: string,
  ): Promise<AlarmRecord | undefined>;
  /** Removes what ended before this time (ISO 8601), and all but the newest ended of an organization. */
  prune(before: string, keep: number): Promise<void>;
  /** Services of any kind by their ids. */
  services(ids: readonly string[]): Promise<PlacedService[]>;
  /** Hosts of domains whose certificate was refused, or should have been renewed by now (ms). */
  certificates(
    now: number,
  ): Promise<(Placed & { host: string; status: string; error: string | null; expiresAt: number | null })[]>;
  /** Uploaded ones that end before this time (ISO 8601). */
  uploaded(
    before: string,
  ): Promise<{ organizationId: string; certificateId: string; name: string; expirationDate: string }[]>;
  /** Certificate orders whose newest attempt failed, with the end of the certificate that is there. */
  failedOrders(): Promise<FailedOrder[]>;
  silentBackups(): Promise<SilentBackup[]>;
  /** Destinations of backups that are encrypted for keys of which Berth has none. */
  lockedDestinations(): Promise<
    Pick<TableRecord<'destination'>, 'organizationId' | 'destinationId' | 'name' | 'recipients'>[]
  >;
  /** Jobs that have been queued since before this time (ISO 8601). */
  waiting(before: string): Promise<{ count: number; oldest: string | null }>;
}

export interface FailedOrder {
  organizationId: string;
  certificateOrderId: string;
  name: string;
  error: string | null;
  expirationDate: string | null;
}

const idsAtOnce = 500;

const behind = (alarm: AlarmRecord | undefined) =>
  alarm === undefined ? sql`1 = 1` : sql`("begunAt", "alarmId") < (${alarm.begunAt}, ${alarm.alarmId})`;

export function createAlarmStore(database: Database): AlarmStore {
  const { builder } = database;
  const alarms = tableStore(database, 'alarm');
  const rows = <T>(query: ReturnType<typeof sql<T>>): Promise<T[]> => database.run(query.compile(builder));
  const listed = async (condition: ReturnType<typeof sql>, limit?: number): Promise<AlarmRecord[]> => {
    const end = limit === undefined ? sql`` : sql`limit ${limit}`;
    const found = await rows(
      sql<Record<string, unknown>>`select * from "alarm" where ${condition}
        order by "begunAt" desc, "alarmId" desc ${end}`,
    );
    return found.map(alarms.decode);
  };
  return {
    ...alarms,
    transaction: (work) => database.transaction(work),
    open: () => listed(sql`"endedAt" is null`),
    page: (organizationId, { ended, after, limit }) =>
      listed(
        sql`"organizationId" = ${organizationId} and ${ended ? sql`1 = 1` : sql`"endedAt" is null`}
          and ${behind(after)}`,
        limit,
      ),
    async endedSince({ organizationId, kind, subjectType, subjectId }, since) {
      const [found] = await listed(
        sql`"organizationId" = ${organizationId} and "kind" = ${kind} and "subjectType" = ${subjectType}
          and "subjectId" = ${subjectId} and "endedAt" >= ${since}`,
        1,
      );
      return found;
    },
    async prune(before, keep) {
      await database.change(sql`delete from "alarm" where "endedAt" < ${before}`.compile(builder));
      await database.change(
        sql`delete from "alarm" where "alarmId" in (select "alarmId" from (
          select "alarmId", row_number() over (
            partition by "organizationId" order by "endedAt" desc, "alarmId") as "place"
          from "alarm" where "endedAt" is not null) as "ended" where "place" > ${keep})`.compile(builder),
      );
    },
    async services(ids) {
      const found: PlacedService[] = [];
      for (let at = 0; at < ids.length; at += idsAtOnce)
        found.push(...(await rows(servicesQuery(ids.slice(at, at + idsAtOnce)))));
      return found;
    },
    certificates: (now) => rows(certificatesQuery(now)),
    uploaded: (before) => rows(uploadedQuery(before)),
    failedOrders: () => rows(ordersQuery()),
    silentBackups: () => rows(backupsQuery()),
    lockedDestinations: () => lockedDestinations(database),
    async waiting(before) {
      const [row] = await rows(sql<{ count: number; oldest: string | null }>`
        select count(*) as "count", min(j."createdAt") as "oldest" from "job" as j
        where j."state" = 'queued' and j."createdAt" < ${before} and not exists (
          select 1 from "job" as e where e."serviceKey" = j."serviceKey" and e."state" = 'running')`);
      return { count: Number(row?.count ?? 0), oldest: row?.oldest ?? null };
    },
  };
}

async function lockedDestinations(database: Database): ReturnType<AlarmStore['lockedDestinations']> {
  const locked = (await tableStore(database, 'destination').list({})).filter(({ recipients, identities }) => {
    const held = heldKeys(identities);
    return recipients.length > 0 && !recipients.some((recipient) => held.includes(recipient));
  });
  if (locked.length === 0) return [];
  const used = await database.run(
    sql<{ destinationId: string }>`
      select distinct "destinationId" from "backup" where "enabled" = 1`.compile(database.builder),
  );
  return locked.filter((one) => used.some(({ destinationId }) => destinationId === one.destinationId));
}

function servicesQuery(ids: readonly string[]) {
  const parts = (
    [
      ['application', 'applicationStatus'],
      ['database', 'applicationStatus'],
      ['compose', 'composeStatus'],
    ] as const
  ).map(
    ([table, status]) => sql`select s."organizationId", e."projectId", s."environmentId",
        ${sql.ref(`s.${table}Id`)} as "serviceId", s."name", ${sql.ref(`s.${status}`)} as "status"
      from ${sql.table(table)} as s join "environment" as e on e."environmentId" = s."environmentId"
      where ${sql.ref(`s.${table}Id`)} in (${sql.join([...ids])})`,
  );
  return sql<PlacedService>`${sql.join(parts, sql` union all `)}`;
}

/** A host that the domain name system leads elsewhere is one after some looks, since it may be on its way. */
function certificatesQuery(now: number) {
  return sql<Placed & { host: string; status: string; error: string | null; expiresAt: number | null }>`
    select distinct d."organizationId", e."projectId", e."environmentId",
      coalesce(a."applicationId", c."composeId") as "serviceId",
      i."host", i."status", i."error", i."expiresAt"
    from "issuance" as i
    join "domain" as d on d."asciiHost" = i."host" and d."serverKey" = i."serverKey"
      and d."https" = 1 and d."certificateType" <> 'none'
    left join "application" as a on a."applicationId" = d."applicationId"
    left join "compose" as c on c."composeId" = d."composeId"
    left join "environment" as e on e."environmentId" = coalesce(a."environmentId", c."environmentId")
    where (i."status" = 'failed' and (i."authority" <> '' or i."attempts" >= 5))
      or (i."status" = 'issued' and i."warnAt" <= ${now})`;
}

/** Those of certificate orders are renewed by themselves, and told of when that fails. */
function uploadedQuery(before: string) {
  return sql<{ organizationId: string; certificateId: string; name: string; expirationDate: string }>`
    select "organizationId", "certificateId", "name", "expirationDate" from "certificate"
    where "expirationDate" < ${before} and not exists (select 1 from "certificate_order" as o
      where o."certificateId" = "certificate"."certificateId")`;
}

function ordersQuery() {
  return sql<FailedOrder>`
    select o."organizationId", o."certificateOrderId", o."name", o."error", c."expirationDate"
    from "certificate_order" as o left join "certificate" as c on c."certificateId" = o."certificateId"
    where o."status" = 'failed'`;
}

function backupsQuery() {
  return sql<SilentBackup>`
    select b."organizationId", e."projectId", e."environmentId",
      coalesce(b."databaseId", b."applicationId", b."composeId") as "serviceId",
      b."backupId", b."database", b."databaseId", b."volumeName", b."alarmSince", b."lastGoodAt"
    from "backup" as b
    left join "database" as d on d."databaseId" = b."databaseId"
    left join "application" as a on a."applicationId" = b."applicationId"
    left join "compose" as c on c."composeId" = b."composeId"
    left join "environment" as e
      on e."environmentId" = coalesce(d."environmentId", a."environmentId", c."environmentId")
    where b."alarmSince" is not null and b."enabled" = 1`;
}
