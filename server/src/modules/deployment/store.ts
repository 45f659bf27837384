/** SQL of deployments; every change of status asks the table of states in its condition. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { fixedLimit } from '../../db/values/fixed-limit.ts';
import { systemClock } from '../../ports/clock.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { DeploymentRecord, NewEvent, Tables } from '../../db/tables.ts';
import {
  deploymentStatusesBefore,
  nextStages,
  type DeploymentStatus,
} from '../../domain/states/lifecycle.ts';
import type { SourceApplication } from '../../domain/builds/source-applications.ts';
import type { Scope } from '../../domain/access/permissions.ts';
import {
  deployedKinds,
  idFields,
  type DeployedKind,
  type OwnerColumns,
  type ServiceRef,
} from '../../domain/names/service-ref.ts';

/** What lists show of a deployment: not the snapshot of its settings, which is encrypted and large. */
export type ShownDeployment = Pick<DeploymentRecord, (typeof shownColumns)[number]>;

const shownColumns = [
  'deploymentId',
  'applicationId',
  'databaseId',
  'composeId',
  'previewDeploymentId',
  'kind',
  'title',
  'description',
  'status',
  'stage',
  'commit',
  'commitInfo',
  'image',
  'errorMessage',
  'createdAt',
  'startedAt',
  'healthyAt',
  'finishedAt',
  'startedBy',
  'stages',
] as const;

/** So many a service shows. */
const shownDeployments = 50;

export interface DeploymentStore extends TableStore<'deployment'> {
  /** Newest first, as many as a service shows. */
  recent(service: ServiceRef): Promise<ShownDeployment[]>;
  /** Applications of the newest source of the service that had several; null without one. */
  sourceApplications(applicationId: string): Promise<SourceApplication[] | null>;
  /** All of them, newest first. */
  all(service: ServiceRef): Promise<ShownDeployment[]>;
  /** Stores a new one; gives where its service stands. */
  add(record: DeploymentRecord): Promise<Scope | undefined>;
  /** Moves a deployment to `to` where the table of states allows it; false when it is elsewhere by now. */
  transition(deploymentId: string, to: DeploymentStatus, patch: Partial<DeploymentRecord>): Promise<boolean>;
  /** Those of every service, newest first, with where each stands; `before` is a sequence to go on after. */
  everywhere(
    organizationId: string,
    page: { before: number | undefined; limit: number },
  ): Promise<{ scope: Scope; deployment: ShownDeployment & Pick<DeploymentRecord, 'sequence'> }[]>;
  countUnfinished(service: ServiceRef): Promise<number>;
  /** Services with more finished deployments than so many. */
  crowded(keep: number): Promise<{ service: ServiceRef; count: number }[]>;
  unfinished(): Promise<DeploymentRecord[]>;
  /**
   * A transaction that no other one of the same service runs beside: a service's status follows from all of
   * its deployments, and two that each count while the other has not committed leave one that is not so.
   */
  transactionOf<T>(service: ServiceRef, work: () => Promise<T>): Promise<T>;
}

export function createDeploymentStore(database: Database): DeploymentStore {
  const deployments = tableStore(database, 'deployment');
  const { builder } = database;
  const newestFirst = (column: keyof OwnerColumns) =>
    builder.selectFrom('deployment').select(shownColumns).where(column, '=', '').orderBy('sequence', 'desc');
  const recent = perKind((column) => newestFirst(column).limit(fixedLimit(shownDeployments)).compile());
  const all = perKind((column) => newestFirst(column).compile());
  const newestApplications = builder
    .selectFrom('deployment')
    .select('sourceApplications')
    .where('applicationId', '=', '')
    .where('sourceApplications', 'is not', null)
    .orderBy('sequence', 'desc')
    .limit(fixedLimit(1))
    .compile();
  const count = perKind((column) =>
    builder
      .selectFrom('deployment')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where(column, '=', '')
      .where('status', 'in', ['queued', 'running'])
      .compile(),
  );
  const everywhere = everywhereOf(database);
  const unfinished = builder
    .selectFrom('deployment')
    .selectAll()
    .where('status', 'in', ['queued', 'running'])
    .orderBy('sequence')
    .compile();
  return {
    ...deployments,
    ...toldSteps(database, deployments),
    recent: async ({ kind, serviceId }) =>
      (await database.run(recent[kind], [serviceId])).map(deployments.decode),
    sourceApplications: async (applicationId) =>
      (await database.run(newestApplications, [applicationId])).map(deployments.decode)[0]
        ?.sourceApplications ?? null,
    all: async ({ kind, serviceId }) => (await database.run(all[kind], [serviceId])).map(deployments.decode),
    async everywhere(organizationId, { before, limit }) {
      const rows = await database.run(everywhere, [organizationId, before ?? Number.MAX_SAFE_INTEGER, limit]);
      return rows.map(({ projectId, environmentId, serviceId, ...row }) => ({
        scope: scopeOf({ organizationId, projectId, environmentId, serviceId }),
        deployment: deployments.decode(row),
      }));
    },
    countUnfinished: async ({ kind, serviceId }) =>
      Number((await database.run(count[kind], [serviceId, 'queued', 'running']))[0]?.count ?? 0),
    crowded: (keep) => crowded(database, keep),
    unfinished: async () => (await database.run(unfinished)).map(deployments.decode),
    transactionOf: (service, work) =>
      database.transaction(
        async () => {
          if (database.dialect === 'postgres') await database.run(lockOf(database, service));
          return work();
        },
        { waitsForNothing: true },
      ),
  };
}

function scopeOf({ organizationId, projectId, environmentId, serviceId }: Place): Scope {
  return {
    organizationId,
    projectId: projectId ?? undefined,
    environmentId: environmentId ?? undefined,
    serviceId: serviceId ?? undefined,
  };
}

async function crowded(database: Database, keep: number): Promise<{ service: ServiceRef; count: number }[]> {
  const found: { service: ServiceRef; count: number }[] = [];
  for (const kind of deployedKinds) {
    const id = sql.ref(idFields[kind]);
    const rows = await database.run(
      sql<{ serviceId: string; count: number }>`select ${id} as "serviceId", count(*) as "count"
        from "deployment" where ${id} is not null and "status" not in ('queued', 'running')
        group by ${id} having count(*) > ${keep}`.compile(database.builder),
    );
    found.push(
      ...rows.map(({ serviceId, count }) => ({ service: { kind, serviceId }, count: Number(count) })),
    );
  }
  return found;
}

/** What changes a deployment, each step told with it. */
function toldSteps(
  database: Database,
  deployments: TableStore<'deployment'>,
): Pick<DeploymentStore, 'insert' | 'add' | 'update' | 'transition'> {
  const tell = tellDeployment(database);
  const together = <T>(work: () => Promise<T>): Promise<T> =>
    database.transaction(work, { waitsForNothing: true });
  const add: DeploymentStore['add'] = (record) =>
    together(async () => {
      await deployments.insert(record);
      return tell(record.deploymentId);
    });
  /** The stages that it has come through; undefined when it is no longer where it could go on to `to`. */
  async function claim(
    deploymentId: string,
    to: DeploymentStatus,
  ): Promise<Pick<DeploymentRecord, 'stages'> | undefined> {
    const [row] = await database.run(
      sql<Record<string, unknown>>`update "deployment" set "status" = ${to}
        where "deploymentId" = ${deploymentId} and "status" in (${sql.join(deploymentStatusesBefore(to))})
        returning "stages"`.compile(database.builder),
    );
    return row && deployments.decode(row);
  }
  return {
    add,
    insert: async (record) => void (await add(record)),
    update: (where, patch) =>
      together(async () => {
        const changed = await deployments.update(where, patch);
        if (changed > 0 && patch.stage !== undefined && where.deploymentId !== undefined)
          await tell(where.deploymentId);
        return changed;
      }),
    transition: (deploymentId, to, patch) =>
      together(async () => {
        const claimed = await claim(deploymentId, to);
        if (!claimed) return false;
        const { stages } = claimed;
        const { finishedAt } = patch;
        const ended =
          stages && typeof finishedAt === 'string' ? { stages: nextStages(stages, finishedAt) } : {};
        await deployments.update({ deploymentId }, { ...patch, ...ended });
        await tell(deploymentId);
        return true;
      }),
  };
}

interface Place extends Record<'projectId' | 'environmentId' | 'serviceId', string | null> {
  organizationId: string;
}

/** Deployments with the service and the environment they stand in; a preview's are its application's. */
const placed = sql`"deployment" as d
  left join "preview_deployment" as p on p."previewDeploymentId" = d."previewDeploymentId"
  left join "application" as a on a."applicationId" = coalesce(d."applicationId", p."applicationId")
  left join "database" as s on s."databaseId" = d."databaseId"
  left join "compose" as c on c."composeId" = d."composeId"
  left join "environment" as e
    on e."environmentId" = coalesce(a."environmentId", s."environmentId", c."environmentId")`;

function everywhereOf({ builder }: Database) {
  const columns = [...shownColumns, 'sequence'].map((name) => sql.ref(`d.${name}`));
  return sql<Record<string, unknown> & Omit<Place, 'organizationId'>>`
    select ${sql.join(columns)}, e."projectId", e."environmentId",
      coalesce(a."applicationId", s."databaseId", c."composeId") as "serviceId"
    from ${placed} where d."organizationId" = ${''} and d."sequence" < ${0}
    order by d."sequence" desc limit ${0}`.compile(builder);
}

/**
 * Every step of a deployment is told with it (decisions 14), whoever makes it: worker, webhook, person. A
 * preview's stands where its application does.
 */
function tellDeployment({
  builder,
  run,
  tell,
}: Database): (deploymentId: string) => Promise<Scope | undefined> {
  const place = sql<Omit<NewEvent, 'at' | 'formerProjectId' | 'formerEnvironmentId' | 'userId'> & Place>`
    select d."organizationId", e."projectId", e."environmentId", d."status", d."stage",
      d."deploymentId" as "resourceId", 'deployment' as "kind", 'deployment' as "what",
      coalesce(a."applicationId", s."databaseId", c."composeId") as "serviceId"
    from ${placed} where d."deploymentId" = ${''}`.compile(builder);
  return async (deploymentId) => {
    const [row] = await run(place, [deploymentId]);
    if (!row) return undefined;
    await tell({
      ...row,
      at: systemClock.now(),
      formerProjectId: null,
      formerEnvironmentId: null,
      userId: null,
    });
    return scopeOf(row);
  };
}

const serviceTables = {
  application: 'application',
  database: 'database',
  compose: 'compose',
  previewDeployment: 'preview_deployment',
} as const satisfies Record<DeployedKind, keyof Tables>;

/**
 * PostgreSQL lets transactions run beside each other; SQLite has one at a time. The service's own row, which
 * whoever changes the service holds too, so that no two wait for each other.
 */
function lockOf({ builder }: Database, { kind, serviceId }: ServiceRef) {
  const [table, column] = [sql.table(serviceTables[kind]), sql.ref(idFields[kind])];
  return sql`select 1 from ${table} where ${column} = ${serviceId} for update`.compile(builder);
}

/** The same statement for each kind of service. */
function perKind<T>(make: (column: keyof OwnerColumns) => T): Record<DeployedKind, T> {
  return {
    application: make(idFields.application),
    database: make(idFields.database),
    compose: make(idFields.compose),
    previewDeployment: make(idFields.previewDeployment),
  };
}
