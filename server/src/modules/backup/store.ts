import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { NewEvent, TableRecord } from '../../db/tables.ts';
import { words } from '../../db/values/stored-json.ts';
import { systemClock } from '../../ports/clock.ts';
import type { Scope } from '../../domain/access/permissions.ts';
import type { DatabaseKindName } from '../../domain/database-kind.ts';
import { heldKeys } from '../../domain/secrets/age-identities.ts';
import { serviceIdOf } from '../../domain/names/backup-subject.ts';
import { releasedComposes, type ReleasedCompose } from '../../db/reading/released-composes.ts';
import type { ServiceKindName } from '../service/record-lists.ts';

export type BackupRecord = TableRecord<'backup'>;
export type BackupRunRecord = TableRecord<'backup_run'>;

type PlacedRow = Record<string, unknown> & { projectId: string; environmentId: string };

export interface BackupStore extends TableStore<'backup'> {
  /** A database of the organization; undefined when it has no such database. */
  database(
    databaseId: string,
    organizationId: string,
  ): Promise<{ kind: DatabaseKindName; appName: string } | undefined>;
  /** All of an organization, newest first, each with the place of its database. */
  everywhere(organizationId: string): Promise<{ record: BackupRecord; scope: Scope }[]>;
  /** Those of volumes of an organization, newest first, each with the place of its service. */
  volumesEverywhere(organizationId: string): Promise<{ record: BackupRecord; scope: Scope }[]>;
  /** The enabled ones that are due (epoch milliseconds), or whose next time was not computed yet. */
  due(now: number): Promise<BackupRecord[]>;
  /** The enabled ones that raise an alarm when the last good backup is too old. */
  watched(): Promise<BackupRecord[]>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createBackupStore(database: Database): BackupStore {
  const rows = tableStore(database, 'backup');
  const named = database.builder
    .selectFrom('database')
    .select(['kind', 'appName'])
    .where('databaseId', '=', '')
    .where('organizationId', '=', '')
    .compile();
  const due = sql<Record<string, unknown>>`select * from "backup"
    where "enabled" = 1 and ("nextRunAt" is null or "nextRunAt" <= ${0}
      or ("verifySchedule" is not null and ("nextVerifyAt" is null or "nextVerifyAt" <= ${0})))`.compile(
    database.builder,
  );
  const everywhere = sql<PlacedRow>`
    select b.*, e."environmentId", e."projectId" from "backup" as b
    join "database" as d on d."databaseId" = b."databaseId"
    join "environment" as e on e."environmentId" = d."environmentId"
    where b."organizationId" = ${''} order by b."createdAt" desc, b."backupId" desc`.compile(
    database.builder,
  );
  const volumes = sql<PlacedRow>`
    select b.*, e."environmentId", e."projectId" from "backup" as b
    left join "database" as d on d."databaseId" = b."databaseId"
    left join "application" as a on a."applicationId" = b."applicationId"
    left join "compose" as c on c."composeId" = b."composeId"
    join "environment" as e
      on e."environmentId" = coalesce(d."environmentId", a."environmentId", c."environmentId")
    where b."organizationId" = ${''} and b."sourceType" = 'volume'
    order by b."createdAt" desc, b."backupId" desc`.compile(database.builder);
  const placed = ({ projectId, environmentId, ...row }: PlacedRow, organizationId: string) => {
    const record = rows.decode(row);
    const serviceId = serviceIdOf(record) ?? undefined;
    return { record, scope: { organizationId, projectId, environmentId, serviceId } };
  };
  const watched = sql<
    Record<string, unknown>
  >`select * from "backup" where "enabled" = 1 and "alarmAfterHours" is not null`.compile(database.builder);
  return {
    ...rows,
    database: async (databaseId, organizationId) =>
      (await database.run(named, [databaseId, organizationId]))[0],
    everywhere: async (organizationId) =>
      (await database.run(everywhere, [organizationId])).map((row) => placed(row, organizationId)),
    volumesEverywhere: async (organizationId) =>
      (await database.run(volumes, [organizationId])).map((row) => placed(row, organizationId)),
    due: async (now) => (await database.run(due, [now, now])).map(rows.decode),
    watched: async () => (await database.run(watched, [])).map(rows.decode),
    transaction: (work) => database.transaction(work),
  };
}

/** The volume that holds the state before a restore. */
export interface RestoreLeft {
  applicationId: string | null;
  composeId: string | null;
  name: string;
  serverId: string | null;
  volumeName: string;
  since: string;
}

export interface BackupRunStore extends TableStore<'backup_run'> {
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Volumes that restores of volumes left behind, of one organization or of all. */
  formerVolumes(organizationId?: string): Promise<RestoreLeft[]>;
  /** Queued and running ones, oldest first. */
  unfinished(): Promise<BackupRunRecord[]>;
  /** Ended ones that could not resume the service that they had stopped or paused. */
  stillHolding(): Promise<BackupRunRecord[]>;
  /** Public keys of a destination: whom backups are encrypted for, and whose private keys are stored. */
  keysOf(destinationId: string): Promise<{ recipients: string[]; held: string[] }>;
}

export function createBackupRunStore(database: Database): BackupRunStore {
  const rows = tableStore(database, 'backup_run');
  const unfinished = sql<
    Record<string, unknown>
  >`select * from "backup_run" where "status" in ('queued', 'running') order by "sequence"`.compile(
    database.builder,
  );
  const stillHolding = sql<Record<string, unknown>>`
    select * from "backup_run" where "status" in ('done', 'error') and "held" is not null
    order by "sequence"`.compile(database.builder);
  const left = sql<RestoreLeft & { organizationId: string }>`
    select r."organizationId", r."applicationId", r."composeId", coalesce(a."name", c."name") as "name",
      coalesce(a."serverId", c."serverId") as "serverId", r."previousVolume" as "volumeName",
      r."finishedAt" as "since"
    from "backup_run" as r
    left join "application" as a on a."applicationId" = r."applicationId"
    left join "compose" as c on c."composeId" = r."composeId"
    where r."operation" in ('restore', 'return') and r."status" = 'done' and r."databaseId" is null
      and r."previousVolume" is not null`.compile(database.builder);
  const tell = tellRun(database);
  const destinations = tableStore(database, 'destination');
  return {
    ...rows,
    insert: (record) =>
      database.transaction(async () => {
        await rows.insert(record);
        await tell(record.backupRunId);
      }),
    update: (where, patch) =>
      database.transaction(async () => {
        const changed = await rows.update(where, patch);
        if (changed > 0 && where.backupRunId !== undefined) await tell(where.backupRunId);
        return changed;
      }),
    transaction: (work) => database.transaction(work),
    formerVolumes: async (wanted) =>
      (await database.run(left, [])).flatMap(({ organizationId, ...volume }) =>
        wanted === undefined || wanted === organizationId ? [volume] : [],
      ),
    unfinished: async () => (await database.run(unfinished, [])).map(rows.decode),
    stillHolding: async () => (await database.run(stillHolding, [])).map(rows.decode),
    async keysOf(destinationId) {
      const found = await destinations.find({ destinationId });
      return { recipients: found?.recipients ?? [], held: heldKeys(found?.identities ?? null) };
    },
  };
}

/**
 * Each step of a run is an event in the same transaction (decisions 14), for those who may read its backup.
 */
function tellRun({ builder, run, tell }: Database): (backupRunId: string) => Promise<void> {
  const place = sql<
    Pick<NewEvent, 'organizationId' | 'projectId' | 'environmentId' | 'serviceId' | 'status'>
  >`
    select r."organizationId", e."projectId", e."environmentId",
      coalesce(r."databaseId", r."applicationId", r."composeId") as "serviceId", r."status"
    from "backup_run" as r
    left join "database" as d on d."databaseId" = r."databaseId"
    left join "application" as a on a."applicationId" = r."applicationId"
    left join "compose" as c on c."composeId" = r."composeId"
    join "environment" as e
      on e."environmentId" = coalesce(d."environmentId", a."environmentId", c."environmentId")
    where r."backupRunId" = ${''}`.compile(builder);
  return async (backupRunId) => {
    const [row] = await run(place, [backupRunId]);
    if (row)
      await tell({
        ...row,
        at: systemClock.now(),
        formerProjectId: null,
        formerEnvironmentId: null,
        userId: null,
        kind: 'backup',
        what: 'updated',
        resourceId: backupRunId,
        stage: null,
      });
  };
}

export type WalSpan = TableRecord<'wal_span'>;

/** A base backup whose object is stored and verified. */
export interface StoredBase {
  backupRunId: string;
  walSpanId: string;
  path: string;
  destinationId: string;
  storedBytes: number | null;
  checksum: string | null;
  firstSegment: number;
  restorableFrom: string;
}

/** Spans of stored logs, how far they had come at which moments, and the base backups they begin from. */
export interface RecoveryStore {
  spans: TableStore<'wal_span'>;
  marks: TableStore<'wal_mark'>;
  bases: TableStore<'base_backup'>;
  /** Oldest first. */
  storedBases(backupId: string): Promise<StoredBase[]>;
  /** Forgets marks of segments that are removed. */
  forgetMarks(walSpanId: string, firstSegment: number): Promise<void>;
}

export function createRecoveryStore(database: Database): RecoveryStore {
  const bases = sql<StoredBase>`
    select b."backupRunId", b."walSpanId", b."firstSegment", b."restorableFrom", r."path", r."destinationId",
      r."storedBytes", r."checksum"
    from "base_backup" as b join "backup_run" as r on r."backupRunId" = b."backupRunId"
    where r."backupId" = ${''} and r."isStored" = 1 order by b."restorableFrom"`.compile(database.builder);
  return {
    spans: tableStore(database, 'wal_span'),
    marks: tableStore(database, 'wal_mark'),
    bases: tableStore(database, 'base_backup'),
    storedBases: async (backupId) =>
      (await database.run(bases, [backupId])).map((base) => ({
        ...base,
        firstSegment: Number(base.firstSegment),
        storedBytes: base.storedBytes === null ? null : Number(base.storedBytes),
      })),
    async forgetMarks(walSpanId, firstSegment) {
      await database.change(
        database.builder
          .deleteFrom('wal_mark')
          .where('walSpanId', '=', walSpanId)
          .where('nextSegment', '<=', firstSegment)
          .compile(),
      );
    },
  };
}

export type BranchRecord = TableRecord<'database_branch'>;

/** A branch with its database and the run that fills it. */
export interface PlacedBranch
  extends Pick<
    BranchRecord,
    'databaseId' | 'sourceId' | 'sourceName' | 'backupRunId' | 'asOf' | 'createdAt' | 'expiresAt'
  > {
  name: string;
  appName: string;
  kind: DatabaseKindName;
  environmentId: string;
  projectId: string;
  isMasked: boolean;
  status: BackupRunRecord['status'];
  path: string;
  moment: string | null;
  errorMessage: string | null;
}

export interface BranchStore extends TableStore<'database_branch'> {
  /** Branches made of a database, and the branch that it is itself; newest first. */
  of(databaseId: string, organizationId: string): Promise<PlacedBranch[]>;
  /** Branches that end before this time, in epoch milliseconds. */
  endingBefore(time: number): Promise<BranchRecord[]>;
}

export function createBranchStore(database: Database): BranchStore {
  const rows = tableStore(database, 'database_branch');
  const placed = sql<PlacedBranch>`
    select b."databaseId", b."sourceId", b."sourceName", b."backupRunId", b."asOf", b."createdAt",
      b."expiresAt", d."name", d."appName", d."kind", d."environmentId", e."projectId",
      case when b."mask" is null then 0 else 1 end as "isMasked", r."status", r."path", r."moment",
      r."errorMessage"
    from "database_branch" as b
    join "database" as d on d."databaseId" = b."databaseId"
    join "environment" as e on e."environmentId" = d."environmentId"
    join "backup_run" as r on r."backupRunId" = b."backupRunId"
    where b."organizationId" = ${''} and (b."databaseId" = ${''} or b."sourceId" = ${''})
    order by b."createdAt" desc, b."databaseId" desc`.compile(database.builder);
  const ending = sql<Record<string, unknown>>`
    select * from "database_branch" where "expiresAt" is not null and "expiresAt" <= ${0}
    order by "expiresAt"`.compile(database.builder);
  return {
    ...rows,
    of: async (databaseId, organizationId) =>
      (await database.run(placed, [organizationId, databaseId, databaseId])).map((row) => ({
        ...row,
        isMasked: Number(row.isMasked) === 1,
        expiresAt: row.expiresAt === null ? null : Number(row.expiresAt),
      })),
    endingBefore: async (time) => (await database.run(ending, [time])).map(rows.decode),
  };
}

export interface PlacedService {
  kind: ServiceKindName;
  serviceId: string;
  name: string;
  projectId: string;
  environmentId: string;
}

/** Of one backup record. */
export interface KeptOfBackup {
  backupId: string;
  goodAt: string | null;
  restoredAt: string | null;
  /** Everything that is kept. */
  isEncrypted: boolean;
  /** Something is encrypted for keys whose private ones are not stored here. */
  isLocked: boolean;
}

export interface CoverageStore {
  /** By name. */
  services(organizationId: string): Promise<PlacedService[]>;
  /** A record of which nothing is stored is not in it. */
  kept(organizationId: string): Promise<KeptOfBackup[]>;
  /** Volumes that the records of applications and compose services mount. */
  mounted(organizationId: string): Promise<{ serviceId: string; volumeName: string }[]>;
  releases(organizationId: string): Promise<ReleasedCompose[]>;
}

export function createCoverageStore(database: Database): CoverageStore {
  const services = sql<PlacedService>`
    select s."kind", s."serviceId", s."name", e."projectId", s."environmentId" from (
      select 'application' as "kind", "applicationId" as "serviceId", "name", "environmentId",
        "organizationId" from "application"
      union all select 'compose', "composeId", "name", "environmentId", "organizationId" from "compose"
      union all select "kind", "databaseId", "name", "environmentId", "organizationId" from "database"
        where "previewDeploymentId" is null) as s
    join "environment" as e on e."environmentId" = s."environmentId"
    where s."organizationId" = ${''} order by s."name", s."serviceId"`.compile(database.builder);
  const kept = sql<Pick<KeptOfBackup, 'backupId' | 'goodAt' | 'restoredAt'>>`
    select "backupId", max("finishedAt") as "goodAt", max("restoredAt") as "restoredAt" from "backup_run"
      where "organizationId" = ${''} and "backupId" is not null and "operation" = 'backup'
        and "isStored" = 1 group by "backupId"`.compile(database.builder);
  const sealed = sql<{ backupId: string; destinationId: string; recipients: string }>`
    select distinct "backupId", "destinationId", "recipients" from "backup_run"
      where "organizationId" = ${''} and "backupId" is not null and "operation" = 'backup'
        and "isStored" = 1`.compile(database.builder);
  const destinations = tableStore(database, 'destination');
  const logs = sql<{ backupId: string; goodAt: string }>`
    select "backupId", max("restorableTo") as "goodAt" from "wal_span" where "organizationId" = ${''}
      and "restorableTo" is not null group by "backupId"`.compile(database.builder);
  const mounted = sql<{ serviceId: string; volumeName: string }>`
    select coalesce("applicationId", "composeId") as "serviceId", "volumeName" from "mount"
      where "organizationId" = ${''} and "type" = 'volume' and "volumeName" is not null
        and "databaseId" is null order by "volumeName"`.compile(database.builder);
  return {
    services: (organizationId) => database.run(services, [organizationId]),
    mounted: (organizationId) => database.run(mounted, [organizationId]),
    releases: releasedComposes(database),
    async kept(organizationId) {
      const stored = await database.run(kept, [organizationId]);
      const ends = new Map(
        (await database.run(logs, [organizationId])).map(({ backupId, goodAt }) => [backupId, goodAt]),
      );
      const keys = new Map(
        (await destinations.list({ organizationId })).map(({ destinationId, identities }) => [
          destinationId,
          new Set(heldKeys(identities)),
        ]),
      );
      const objects = Map.groupBy(await database.run(sealed, [organizationId]), (one) => one.backupId);
      return stored.map((one) => {
        const all = (objects.get(one.backupId) ?? []).map(({ destinationId, recipients }) => ({
          recipients: words(JSON.parse(recipients)),
          held: keys.get(destinationId),
        }));
        return {
          ...one,
          // A log without a base backup restores nothing.
          goodAt: ends.get(one.backupId) ?? one.goodAt,
          isEncrypted: all.every(({ recipients }) => recipients.length > 0),
          isLocked: all.some(
            ({ recipients, held }) => recipients.length > 0 && !recipients.some((key) => held?.has(key)),
          ),
        };
      });
    },
  };
}
