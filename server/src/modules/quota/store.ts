/** SQL of quotas, and of what an organization uses. */
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../db/database.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableName, TableRecord } from '../../db/tables.ts';
import type { LeftRecord, LeftStore } from './left-running.ts';
import { releasedComposes, type ReleasedCompose } from '../../db/reading/released-composes.ts';
import { createOneOffRuns } from './one-off-runs.ts';

export type QuotaRecord = TableRecord<'quota'>;
export type ClaimRecord = TableRecord<'quota_claim'>;

/** Tables whose records people of an organization make, and how the records are called. */
export const countedRecords = {
  project: 'projects',
  environment: 'environments',
  application: 'applications',
  database: 'databases',
  compose: 'compose services',
  preview_deployment: 'previews',
  domain: 'domains',
  port: 'ports',
  mount: 'mounts',
  redirect: 'redirects',
  basic_auth: 'users of basic authentication',
  schedule: 'schedules',
  backup: 'backup schedules',
  destination: 'destinations',
  registry: 'registries',
  ssh_key: 'SSH keys',
  git_provider: 'git providers',
  certificate: 'certificates',
  certificate_resolver: 'certificate resolvers',
  certificate_order: 'certificate orders',
  dns_provider: 'DNS providers',
  server: 'servers',
  notification: 'notification channels',
  log_drain: 'log drains',
  invitation: 'invitations',
  api_key: 'API keys',
  member: 'members',
} as const satisfies { [T in TableName]?: string };

type CountedTable = keyof typeof countedRecords;
const countedTables = Object.keys(countedRecords) as CountedTable[];

/** Number of records of each counted table. */
export type RecordCounts = Record<CountedTable, number>;

/** A service that an organization has, with what it is given. */
export interface ServiceResources {
  serviceId: string;
  name: string;
  replicas: number;
  memoryLimit: string | null;
  cpuLimit: string | null;
}

/** A scheduled run that goes on, with what it takes. */
export type RunningTask = Pick<ClaimRecord, 'serviceId' | 'name' | 'nanoCpus' | 'memoryBytes'>;

export interface QuotaStore extends LeftStore {
  quotas: TableStore<'quota'>;
  /** The quota that the organization counts in, which may be another one's; undefined without one. */
  quotaOf(organizationId: string): Promise<QuotaRecord | undefined>;
  /** The same quota, and how many records of each kind those that share it have together. */
  bounds(organizationId: string): Promise<{ quota: QuotaRecord | undefined; records: RecordCounts }>;
  /** The organization that has the quota, and behind it those that share it: one of them is the one named. */
  family(organizationId: string): Promise<string[]>;
  /** Applications, databases, compose services and previews, and those that run without a record. */
  countServices(organizationId: string): Promise<number>;
  /** Of applications, databases and previews. */
  resources(organizationId: string): Promise<ServiceResources[]>;
  /** Compose services that were deployed, with what their live release runs. */
  composes(organizationId: string): Promise<ReleasedCompose[]>;
  /** Deployments that build now. */
  countBuilds(organizationId: string): Promise<number>;
  /** Of the backups that are kept. */
  backupBytes(organizationId: string): Promise<number>;
  /** Of volumes and images on every server, as it was last measured. */
  diskBytes(organizationId: string): Promise<number>;
  /** Other changes of the organization wait until the transaction ends. */
  hold(organizationId: string): Promise<void>;
  /** Work in a transaction of its own, one at a time for each organization. */
  serially<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
  /** What deployments under way take. */
  claims(organizationId: string): Promise<ClaimRecord[]>;
  /** Scheduled commands that run now. */
  runs(organizationId: string): Promise<RunningTask[]>;
  /** What runs beside what its records say, as it was last counted. */
  left(organizationId: string): Promise<LeftRecord[]>;
  /** In place of what the deployment claimed before; nothing when it is not under way. */
  claim(claim: ClaimRecord): Promise<void>;
}

export function createQuotaStore(database: Database): QuotaStore {
  const number: Count = async (query) =>
    Number((await database.run(query.compile(database.builder)))[0]?.value ?? 0);
  const { builder } = database;
  const held = builder.selectFrom('organization').select('organizationId').where('organizationId', '=', '');
  const lock = held.forNoKeyUpdate().compile();
  // SQLite has one writer anyway.
  const hold = async (organizationId: string): Promise<void> => {
    if (database.dialect === 'postgres') await database.run(lock, [organizationId]);
  };
  return {
    quotas: tableStore(database, 'quota'),
    ...familiesOf(database),
    bounds: boundsOf(database),
    ...usedOf(number),
    resources: resourcesOf(database),
    composes: releasedComposes(database),
    runs: async (id) =>
      (
        await database.run(
          sql<RunningTask>`select r."scheduleRunId" as "serviceId", s."name", r."nanoCpus", r."memoryBytes"
            from "schedule_run" as r join "schedule" as s on s."scheduleId" = r."scheduleId"
            where r."status" = 'running' and r."organizationId" = ${id}`.compile(builder),
        )
      ).map(({ nanoCpus, memoryBytes, ...run }) => ({
        ...run,
        nanoCpus: nanoCpus === null ? null : Number(nanoCpus),
        memoryBytes: memoryBytes === null ? null : Number(memoryBytes),
      })),
    oneOffs: createOneOffRuns(),
    hold,
    serially: (organizationId, work) =>
      database.transaction(async () => {
        await hold(organizationId);
        return work();
      }),
    ...claimsOf(database),
    ...leftsOf(database),
  };
}

/** One statement, since every change of an organization begins with it. */
function boundsOf(database: Database): QuotaStore['bounds'] {
  const table = tableStore(database, 'quota');
  const counts = sql.join(
    countedTables.map(
      (name) =>
        sql`(select count(*) from ${sql.table(name)}
          where "organizationId" in (select "organizationId" from "family")) as ${sql.ref(`count:${name}`)}`,
    ),
  );
  const query = sql<Record<string, unknown>>`with "family" as (
      select f."organizationId" from "organization" as o join "organization" as f
        on coalesce(f."parentOrganizationId", f."organizationId")
          = coalesce(o."parentOrganizationId", o."organizationId")
      where o."organizationId" = ${''})
    select ${counts}, q.* from "organization" as o
      left join "quota" as q on q."organizationId" = coalesce(o."parentOrganizationId", o."organizationId")
      where o."organizationId" = ${''}`.compile(database.builder);
  return async (organizationId) => {
    const [row = {}] = await database.run(query, [organizationId, organizationId]);
    const records = Object.fromEntries(
      countedTables.map((name) => [name, Number(row[`count:${name}`] ?? 0)]),
    ) as RecordCounts;
    return { quota: row['organizationId'] == null ? undefined : table.decode({ ...row }), records };
  };
}

function familiesOf(database: Database): Pick<QuotaStore, 'quotaOf' | 'family'> {
  const table = tableStore(database, 'quota');
  const { builder } = database;
  return {
    async quotaOf(id) {
      const [row] = await database.run(
        sql<Record<string, unknown>>`select q.* from "organization" as o
          join "quota" as q on q."organizationId" = coalesce(o."parentOrganizationId", o."organizationId")
          where o."organizationId" = ${id}`.compile(builder),
      );
      return row && table.decode(row);
    },
    async family(id) {
      const rows = await database.run(
        sql<{ organizationId: string }>`select f."organizationId" from "organization" as o
          join "organization" as f
            on coalesce(f."parentOrganizationId", f."organizationId")
              = coalesce(o."parentOrganizationId", o."organizationId")
          where o."organizationId" = ${id}
          order by case when f."parentOrganizationId" is null then 0 else 1 end, f."organizationId"`.compile(
          builder,
        ),
      );
      return rows.map(({ organizationId }) => organizationId);
    },
  };
}

type Count = (query: RawBuilder<{ value: unknown }>) => Promise<number>;

function usedOf(
  number: Count,
): Pick<QuotaStore, 'countServices' | 'countBuilds' | 'backupBytes' | 'diskBytes'> {
  return {
    countServices: (id) =>
      number(sql`select
        (select count(*) from "application" where "organizationId" = ${id}) +
        (select count(*) from "database" where "organizationId" = ${id}) +
        (select count(*) from "compose" where "organizationId" = ${id}) +
        (select count(*) from "preview_deployment" where "organizationId" = ${id}) +
        (select count(*) from "quota_left"
          where "organizationId" = ${id} and "isRecorded" = 0 and ${stands}) as "value"`),
    countBuilds: (id) =>
      number(sql`select count(*) as "value" from "deployment"
        where "organizationId" = ${id} and "status" = 'running' and "stage" in ('checkout', 'build')`),
    backupBytes: (id) =>
      number(sql`select
        (select coalesce(sum("storedBytes"), 0) from "backup_run"
          where "organizationId" = ${id} and "isStored" = 1) +
        (select coalesce(sum("storedBytes"), 0) from "wal_span" where "organizationId" = ${id}) as "value"`),
    diskBytes: (id) =>
      number(sql`select coalesce(sum("bytes"), 0) as "value" from "quota_disk"
        where "organizationId" = ${id} and ${stands}`),
  };
}

/** Of a server that Berth has: what was measured on one that it gave up counts no longer. */
const stands = sql`("serverKey" = ${localServer} or "serverKey" in (select "serverId" from "server"))`;

function leftsOf(database: Database): Omit<LeftStore, 'oneOffs'> & Pick<QuotaStore, 'left'> {
  const table = tableStore(database, 'quota_left');
  const idsOf = async (query: RawBuilder<{ id: string }>): Promise<ReadonlySet<string>> =>
    new Set((await database.run(query.compile(database.builder))).map(({ id }) => id));
  return {
    async left(organizationId) {
      const found = await database.run(
        sql<Record<string, unknown>>`select * from "quota_left"
          where "organizationId" = ${organizationId} and ${stands}`.compile(database.builder),
      );
      return found.map((row) => table.decode(row));
    },
    async isCounted() {
      const [found] = await database.run(
        sql`select 1 from "quota" where "services" is not null or "memoryBytes" is not null
          or "nanoCpus" is not null limit 1`.compile(database.builder),
      );
      return found !== undefined;
    },
    recorded: async () => ({
      organizations: await idsOf(sql`select "organizationId" as "id" from "organization"`),
      services: await idsOf(sql`select "applicationId" as "id" from "application"
        union all select "databaseId" from "database" union all select "composeId" from "compose"
        union all select "previewDeploymentId" from "preview_deployment"`),
    }),
    async keep(serverKey, left) {
      if (left.length === 0 && (await table.find({ serverKey })) === undefined) return;
      await database.transaction(async () => {
        await table.remove({ serverKey });
        for (const one of left) await table.insert({ ...one, serverKey });
      });
    },
  };
}

const isUnderWay = ({ status }: TableRecord<'deployment'>): boolean =>
  status === 'queued' || status === 'running';

function claimsOf(database: Database): Pick<QuotaStore, 'claims' | 'claim'> {
  const [claims, deployments] = [tableStore(database, 'quota_claim'), tableStore(database, 'deployment')];
  const find = async (deploymentId: string): Promise<boolean> => {
    const found = await deployments.find({ deploymentId });
    return found !== undefined && isUnderWay(found);
  };
  return {
    async claims(organizationId) {
      const held: ClaimRecord[] = [];
      for (const one of await claims.list({ organizationId }))
        if (await find(one.deploymentId)) held.push(one);
        else await claims.remove({ deploymentId: one.deploymentId });
      return held;
    },
    async claim(one) {
      const { deploymentId } = one;
      await claims.remove({ deploymentId });
      if (await find(deploymentId)) await claims.insert(one);
    },
  };
}

function resourcesOf(database: Database): QuotaStore['resources'] {
  const [applications, databases, previews] = [
    tableStore(database, 'application'),
    tableStore(database, 'database'),
    tableStore(database, 'preview_deployment'),
  ];
  return async (organizationId) => {
    const own = await applications.list({ organizationId });
    const byId = new Map(own.map((one) => [one.applicationId, one]));
    return [
      ...own.map((one) => ({ ...one, serviceId: one.applicationId })),
      ...(await databases.list({ organizationId })).map((one) => ({
        ...one,
        serviceId: one.databaseId,
        replicas: 1,
      })),
      ...(await previews.list({ organizationId })).flatMap((preview) => {
        const application = byId.get(preview.applicationId);
        return application
          ? [{ ...application, serviceId: preview.previewDeploymentId, name: preview.appName, replicas: 1 }]
          : [];
      }),
    ];
  };
}
