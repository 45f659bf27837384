import type { BranchOrigin } from '../../domain/branch-origin.ts';
import type { DatabaseKindName } from '../../domain/database-kind.ts';
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import { pullRequestEvent } from '../../db/stored-records.ts';
import type { ComposeRecord, DomainRecord, NewEvent, TableRecord } from '../../db/tables.ts';
import type { PullRequestEvent } from '../../domain/git/git-event.ts';
import { idFields, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { ApplicationStatus } from '../../domain/states/lifecycle.ts';
import { systemClock } from '../../ports/clock.ts';

/** Parses an event that a job has stored; throws ZodError for anything else. */
export function readPullRequestEvent(text: string): PullRequestEvent {
  return pullRequestEvent.parse(JSON.parse(text));
}

export type PreviewDeploymentRecord = TableRecord<'preview_deployment'>;

export interface PreviewDeploymentStore extends TableStore<'preview_deployment'> {
  countOf(applicationId: string): Promise<number>;
  /** Removes the domains that lead to the preview. */
  removeDomains(previewDeploymentId: string, organizationId: string): Promise<void>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createPreviewDeploymentStore(database: Database): PreviewDeploymentStore {
  const domains = tableStore(database, 'domain');
  const count = sql<{
    count: number;
  }>`select count(*) as "count" from "preview_deployment" where "applicationId" = ${''}`.compile(
    database.builder,
  );
  return {
    ...tableStore(database, 'preview_deployment'),
    countOf: async (applicationId) => Number((await database.run(count, [applicationId]))[0]?.count ?? 0),
    removeDomains: async (previewDeploymentId, organizationId) =>
      void (await domains.remove({ previewDeploymentId, organizationId })),
    transaction: (work) => database.transaction(work),
  };
}

export type ComposePreviewRow = TableRecord<'compose_preview'>;
type MountRecord = TableRecord<'mount'>;

/** With what its compose service tells of it. */
export interface ComposePreview extends ComposePreviewRow {
  status: PreviewDeploymentRecord['status'];
  liveDeploymentId: string | null;
}

export interface ComposePreviewStore {
  /** Newest first. */
  list(where: Partial<ComposePreviewRow>): Promise<ComposePreview[]>;
  find(where: Partial<ComposePreviewRow>): Promise<ComposePreview | undefined>;
  insert(row: ComposePreviewRow, copy: ComposeRecord, mounts: readonly MountRecord[]): Promise<void>;
  update(previewDeploymentId: string, patch: Partial<ComposePreviewRow>): Promise<void>;
  domains(composeId: string): Promise<DomainRecord[]>;
  mounts(composeId: string): Promise<MountRecord[]>;
}

const statuses: Record<ApplicationStatus, ComposePreview['status']> = {
  idle: 'building',
  running: 'building',
  done: 'running',
  error: 'error',
};

export function createComposePreviewStore(database: Database): ComposePreviewStore {
  const rows = tableStore(database, 'compose_preview');
  const composes = tableStore(database, 'compose');
  const domains = tableStore(database, 'domain');
  const mounts = tableStore(database, 'mount');
  const copies = copiesOf(database);
  const list = async (where: Partial<ComposePreviewRow>): Promise<ComposePreview[]> => {
    const found = await rows.list(where, { by: ['createdAt', 'previewDeploymentId'], direction: 'desc' });
    const [first] = found;
    if (first === undefined) return [];
    // One that is looked for alone, or all of an organization: the statements are as many for any number.
    const isAlone = found.length === 1;
    const told = await copies(isAlone ? { id: first.previewDeploymentId } : where);
    return found.map((row) => wholeOf(row, told.get(row.previewDeploymentId)));
  };
  return {
    list,
    find: async (where) => (await list(where))[0],
    async insert(row, copy, added) {
      await composes.insert(copy);
      for (const mount of added) await mounts.insert(mount);
      await rows.insert(row);
    },
    update: async (previewDeploymentId, patch) => void (await rows.update({ previewDeploymentId }, patch)),
    domains: (composeId) => domains.list({ composeId }, { by: ['createdAt', 'domainId'], direction: 'asc' }),
    mounts: (composeId) => mounts.list({ composeId }),
  };
}

type CopyState = Pick<ComposeRecord, 'composeStatus' | 'isStopped' | 'liveDeploymentId'> & {
  liveCommit: string | null;
};

function wholeOf(row: ComposePreviewRow, copy: CopyState | undefined): ComposePreview {
  return {
    ...row,
    // The newest of a branch is known once it was fetched.
    commit: row.commit ?? copy?.liveCommit ?? null,
    status: copy?.isStopped === true ? 'stopped' : statuses[copy?.composeStatus ?? 'idle'],
    liveDeploymentId: copy?.liveDeploymentId ?? null,
  };
}

/** What the copies of previews tell, by their ids: of one, of one compose service, or of all. */
function copiesOf(database: Database) {
  const composes = tableStore(database, 'compose');
  const selected = sql`select c."composeId", c."composeStatus", c."isStopped", c."liveDeploymentId",
      d."commit" as "liveCommit"
    from "compose_preview" as p join "compose" as c on c."composeId" = p."previewDeploymentId"
    left join "deployment" as d on d."deploymentId" = c."liveDeploymentId"`;
  type Row = Record<string, unknown> & { liveCommit: string | null };
  const compiled = {
    one: sql<Row>`${selected} where p."previewDeploymentId" = ${''}`.compile(database.builder),
    ofCompose: sql<Row>`${selected} where p."composeId" = ${''}`.compile(database.builder),
    all: sql<Row>`${selected}`.compile(database.builder),
  };
  return async (of: { id?: string; composeId?: string | undefined }): Promise<Map<string, CopyState>> => {
    const rows =
      of.id !== undefined
        ? await database.run(compiled.one, [of.id])
        : of.composeId !== undefined
          ? await database.run(compiled.ofCompose, [of.composeId])
          : await database.run(compiled.all, []);
    return new Map(
      rows.map(({ liveCommit, ...row }) => {
        const { composeId, ...copy } = composes.decode(row);
        return [composeId, { ...copy, liveCommit }];
      }),
    );
  };
}

type ToldState = Pick<TableRecord<'pull_request_state'>, 'action' | 'updatedAt'>;

export interface PullRequestStateStore {
  find(service: ServiceRef, event: PullRequestEvent): Promise<ToldState | undefined>;
  /** In place of what was remembered; part of the caller's transaction. */
  remember(service: ServiceRef, event: PullRequestEvent, state: ToldState): Promise<void>;
  /** Forgets those of a service beyond the newest. */
  keepNewest(service: ServiceRef, count: number): Promise<void>;
}

export function createPullRequestStateStore(database: Database): PullRequestStateStore {
  const states = tableStore(database, 'pull_request_state');
  const keyOf = ({ kind, serviceId }: ServiceRef, { repository, number }: PullRequestEvent) => ({
    [idFields[kind]]: serviceId,
    repository: repository.toLowerCase(),
    number,
  });
  return {
    find: (service, event) => states.find(keyOf(service, event)),
    async remember(service, event, state) {
      const key = keyOf(service, event);
      await states.remove(key);
      await states.insert({ applicationId: null, composeId: null, ...key, ...state });
    },
    async keepNewest({ kind, serviceId }, count) {
      const column = sql.ref(idFields[kind]);
      await database.change(
        sql`delete from "pull_request_state" where ${column} = ${serviceId} and "updatedAt" < (
          select "updatedAt" from "pull_request_state" where ${column} = ${serviceId}
          order by "updatedAt" desc limit 1 offset ${count})`.compile(database.builder),
      );
    },
  };
}

/** One that waits for an approval; one row for each pull request of a service. */
export type HeldPullRequest = TableRecord<'held_pull_request'>;

export interface HeldPullRequestStore {
  find(service: ServiceRef, number: number): Promise<HeldPullRequest | undefined>;
  /** Newest first. */
  list(service: ServiceRef): Promise<HeldPullRequest[]>;
  insert(row: HeldPullRequest): Promise<void>;
  update(service: ServiceRef, number: number, patch: Partial<HeldPullRequest>): Promise<void>;
  /** How many were removed. */
  remove(service: ServiceRef, number: number): Promise<number>;
  /** Forgets those of a service beyond the newest. */
  keepNewest(service: ServiceRef, count: number): Promise<void>;
  /** Publishes that what waits at a service has changed; part of the caller's transaction. */
  publish(service: ServiceRef): Promise<void>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createHeldPullRequestStore(database: Database): HeldPullRequestStore {
  const rows = tableStore(database, 'held_pull_request');
  const keyOf = ({ kind, serviceId }: ServiceRef, number?: number): Partial<HeldPullRequest> => ({
    [idFields[kind]]: serviceId,
    ...(number === undefined ? {} : { number }),
  });
  return {
    find: (service, number) => rows.find(keyOf(service, number)),
    list: (service) => rows.list(keyOf(service), { by: ['heldAt', 'number'], direction: 'desc' }),
    insert: rows.insert,
    update: async (service, number, patch) => void (await rows.update(keyOf(service, number), patch)),
    remove: (service, number) => rows.remove(keyOf(service, number)),
    async keepNewest({ kind, serviceId }, count) {
      const column = sql.ref(idFields[kind]);
      await database.change(
        sql`delete from "held_pull_request" where ${column} = ${serviceId} and "heldAt" < (
          select "heldAt" from "held_pull_request" where ${column} = ${serviceId}
          order by "heldAt" desc limit 1 offset ${count})`.compile(database.builder),
      );
    },
    publish: createPublish(database),
    transaction: (work) => database.transaction(work),
  };
}

function createPublish(database: Database): HeldPullRequestStore['publish'] {
  const place = sql<Pick<NewEvent, 'organizationId' | 'projectId' | 'environmentId'>>`
    select p."organizationId", e."projectId", e."environmentId" from "environment" as e
    join "project" as p on p."projectId" = e."projectId"
    where e."environmentId" = coalesce(
      (select "environmentId" from "application" where "applicationId" = ${''}),
      (select "environmentId" from "compose" where "composeId" = ${''}))`.compile(database.builder);
  return async ({ serviceId }) => {
    const [row] = await database.run(place, [serviceId, serviceId]);
    if (row)
      await database.tell({
        ...row,
        at: systemClock.now(),
        serviceId,
        formerProjectId: null,
        formerEnvironmentId: null,
        userId: null,
        kind: 'previewDeployment',
        what: 'updated',
        resourceId: serviceId,
        status: null,
        stage: null,
      });
  };
}

/** A database of a preview with its place, its origin and the run that fills it. */
export interface PlacedOwnDatabase {
  previewDeploymentId: string;
  databaseId: string;
  kind: DatabaseKindName;
  name: string;
  projectId: string;
  environmentId: string;
  sourceId: string | null;
  sourceName: string;
  origin: BranchOrigin;
  asOf: string;
  filledAt: string | null;
  isMasked: boolean;
  backupRunId: string;
  /** Null once the run is forgotten. */
  runStatus: TableRecord<'backup_run'>['status'] | null;
  errorMessage: string | null;
}

export interface PreviewDatabaseReads {
  /** Of all previews of an organization, by name. */
  ofOrganization(organizationId: string): Promise<PlacedOwnDatabase[]>;
  /** What the newest deployments of previews that failed say of it, by the ids of the previews. */
  reasons(service: ServiceRef): Promise<Map<string, string>>;
}

/** Of the newest deployment of each preview of an application or a compose service. */
function reasonsOf(database: Database): PreviewDatabaseReads['reasons'] {
  const query = (owner: string, table: string, service: string) =>
    sql<{ id: string; errorMessage: string }>`
      select d.${sql.ref(owner)} as "id", d."errorMessage" from "deployment" as d
      join ${sql.table(table)} as p on p."previewDeploymentId" = d.${sql.ref(owner)}
      where p.${sql.ref(service)} = ${''} and d."errorMessage" is not null and d."sequence" = (
        select max(n."sequence") from "deployment" as n
        where n.${sql.ref(owner)} = d.${sql.ref(owner)})`.compile(database.builder);
  const ofApplication = query('previewDeploymentId', 'preview_deployment', 'applicationId');
  const ofCompose = query('composeId', 'compose_preview', 'composeId');
  return async ({ kind, serviceId }) => {
    const rows = await database.run(kind === 'compose' ? ofCompose : ofApplication, [serviceId]);
    return new Map(rows.map(({ id, errorMessage }) => [id, errorMessage]));
  };
}

export function createPreviewDatabaseReads(database: Database): PreviewDatabaseReads {
  const all = sql<Omit<PlacedOwnDatabase, 'isMasked'> & { isMasked: number | string }>`
    select d."previewDeploymentId", d."databaseId", d."kind", d."name", d."environmentId", e."projectId",
      b."sourceId", b."sourceName", b."origin", b."asOf", b."filledAt", b."backupRunId",
      case when b."mask" is null then 0 else 1 end as "isMasked", r."status" as "runStatus", r."errorMessage"
    from "database" as d
    join "environment" as e on e."environmentId" = d."environmentId"
    join "database_branch" as b on b."databaseId" = d."databaseId"
    left join "backup_run" as r on r."backupRunId" = b."backupRunId"
    where d."organizationId" = ${''} and d."previewDeploymentId" is not null
    order by d."name", d."databaseId"`.compile(database.builder);
  return {
    reasons: reasonsOf(database),
    ofOrganization: async (organizationId) =>
      (await database.run(all, [organizationId])).map((row) => ({
        ...row,
        isMasked: Number(row.isMasked) === 1,
      })),
  };
}
