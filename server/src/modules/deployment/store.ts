/** SQL of deployments; every change of status asks the table of states in its condition. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { fixedLimit } from '../../db/fixed-limit.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { DeploymentRecord, Tables } from '../../db/tables.ts';
import { deploymentStatusesBefore, type DeploymentStatus } from '../../domain/lifecycle.ts';
import { idFields, type DeployedKind, type OwnerColumns, type ServiceRef } from '../../domain/service-ref.ts';

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
  'image',
  'errorMessage',
  'createdAt',
  'startedAt',
  'healthyAt',
  'finishedAt',
] as const;

/** So many a service shows. */
const shownDeployments = 50;

export interface DeploymentStore extends TableStore<'deployment'> {
  /** Newest first, as many as a service shows. */
  recent(service: ServiceRef): Promise<ShownDeployment[]>;
  /** All of them, newest first. */
  all(service: ServiceRef): Promise<ShownDeployment[]>;
  /** Moves a deployment to `to` where the table of states allows it; false when it is elsewhere by now. */
  transition(deploymentId: string, to: DeploymentStatus, patch: Partial<DeploymentRecord>): Promise<boolean>;
  countUnfinished(service: ServiceRef): Promise<number>;
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
  const count = perKind((column) =>
    builder
      .selectFrom('deployment')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where(column, '=', '')
      .where('status', 'in', ['queued', 'running'])
      .compile(),
  );
  const unfinished = builder
    .selectFrom('deployment')
    .selectAll()
    .where('status', 'in', ['queued', 'running'])
    .orderBy('sequence')
    .compile();
  return {
    ...deployments,
    recent: ({ kind, serviceId }) => database.run(recent[kind], [serviceId]),
    all: ({ kind, serviceId }) => database.run(all[kind], [serviceId]),
    async transition(deploymentId, to, patch) {
      return database.transaction(async () => {
        const froms = deploymentStatusesBefore(to);
        const claim = sql`update "deployment" set "status" = ${to}
          where "deploymentId" = ${deploymentId} and "status" in (${sql.join(froms)})`.compile(builder);
        if ((await database.change(claim)) !== 1) return false;
        await deployments.update({ deploymentId }, patch);
        return true;
      });
    },
    countUnfinished: async ({ kind, serviceId }) =>
      Number((await database.run(count[kind], [serviceId, 'queued', 'running']))[0]?.count ?? 0),
    unfinished: async () => (await database.run(unfinished)).map(deployments.decode),
    transactionOf: (service, work) =>
      database.transaction(async () => {
        if (database.dialect === 'postgres') await database.run(lockOf(database, service));
        return work();
      }),
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
