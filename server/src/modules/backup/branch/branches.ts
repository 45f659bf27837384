/** Branches as records: what one is filled from, and when it may be reached. */
import type { DatabaseRecord } from '../../../db/tables.ts';
import type { Scope } from '../../../domain/access/permissions.ts';
import type { BranchOrigin } from '../../../domain/branch-origin.ts';
import { AppError, badField } from '../../../domain/errors.ts';
import { serverKeyOf } from '../../../domain/names/server-key.ts';
import { isoTime, type Clock } from '../../../ports/clock.ts';
import { fillsKey } from '../../../ports/queue.ts';
import { newPassword } from '../../database/database.ts';
import { databaseKind } from '../../database/kinds.ts';
import type { Quotas } from '../../quota/quota.ts';
import type { ServiceCopies } from '../../service/service.ts';
import type { Recoveries } from '../recovery/recovery.ts';
import { requireKey } from '../keys/keys.ts';
import type { BackupRuns } from '../runs/runs.ts';
import type { BackupRunRecord, BranchStore, PlacedBranch, RecoveryStore } from '../store.ts';

export interface NewBranch {
  databaseId: string;
  name: string;
  environmentId?: string | undefined;
  backupRunId?: string | undefined;
  at?: string | undefined;
  mask?: string | undefined;
  expiresInHours?: number | undefined;
  identity?: string | undefined;
  /** Absent: of what is stored. */
  origin?: BranchOrigin | undefined;
  /** Of the preview that it is made for, on the preview's server. */
  preview?:
    | (Pick<DatabaseRecord, 'serverId' | 'previewDeploymentId' | 'description'> & { env?: string })
    | undefined;
}

export interface Branch extends Omit<PlacedBranch, 'kind' | 'status' | 'expiresAt' | 'projectId'> {
  databaseType: PlacedBranch['kind'];
  status: 'filling' | 'ready' | 'failed';
  expiresAt: string | null;
}

export interface Branches {
  /** Looks for what it is filled from; PRECONDITION_FAILED when there is nothing. Changes nothing. */
  plan(organizationId: string, input: NewBranch): Promise<BranchPlan>;
  /** Stores the new database, the branch and its run; part of the caller's transaction. */
  create(plan: BranchPlan, userId: string): Promise<Branch>;
  /** Branches of a database, and the branch that it is itself; newest first. */
  of(databaseId: string, organizationId: string): Promise<{ branch: Branch; scope: Scope }[]>;
}

export interface BranchPlan {
  input: NewBranch;
  source: DatabaseRecord;
  from: Pick<BackupRunRecord, 'path' | 'destinationId' | 'database' | 'moment' | 'identity'> & {
    asOf: string;
  };
}

export interface BranchesPorts {
  store: BranchStore;
  recovery: Pick<RecoveryStore, 'bases'>;
  recoveries: Pick<Recoveries, 'plan'>;
  runs: Pick<BackupRuns, 'accept' | 'keysOf' | 'ofDatabase' | 'ofObject'>;
  copies: Pick<ServiceCopies, 'database'>;
  quotas: Pick<Quotas, 'diskLeft'>;
  clock: Clock;
  /** Throws NOT_FOUND when the organization has no such database. */
  findDatabase(databaseId: string, organizationId: string): Promise<DatabaseRecord>;
  /** The image that the database runs; undefined before its first deployment. */
  liveImage(database: DatabaseRecord): Promise<string | undefined>;
}

const hourMs = 3_600_000;

export function createBranches(ports: BranchesPorts): Branches {
  return {
    plan: (organizationId, input) => plan(ports, organizationId, input),
    create: (wanted, userId) => create(ports, wanted, userId),
    of: async (databaseId, organizationId) =>
      (await ports.store.of(databaseId, organizationId)).map((placed) => ({
        branch: shown(placed),
        scope: {
          organizationId,
          projectId: placed.projectId,
          environmentId: placed.environmentId,
          serviceId: placed.databaseId,
        },
      })),
  };
}

/** PRECONDITION_FAILED for a branch whose data are not complete and masked. */
export async function requireFilled(store: Pick<BranchStore, 'find'>, databaseId: string): Promise<void> {
  const branch = await store.find({ databaseId });
  if (!branch || branch.filledAt !== null) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `This database is a branch of ${branch.sourceName} whose data are not complete and masked, so it ` +
      'cannot be started. backup.branches tells how far it is; when it has failed, remove it and make ' +
      'another one.',
  );
}

async function plan(ports: BranchesPorts, organizationId: string, input: NewBranch): Promise<BranchPlan> {
  const source = await ports.findDatabase(input.databaseId, organizationId);
  if (input.at !== undefined && input.backupRunId !== undefined)
    throw badField('at', 'is one way to say what it is filled from, and backupRunId another: give one');
  const { bytes, ...from } = await fromOf(ports, source, input);
  await requireDisk(ports, organizationId, bytes);
  const identity = await requireKey(ports.runs, { ...from, identity: input.identity });
  const image = (await ports.liveImage(source)) ?? source.containerImage;
  return { input, from: { ...from, identity }, source: { ...source, containerImage: image } };
}

type From = Omit<BranchPlan['from'], 'identity'> & { bytes: number };

async function fromOf(
  ports: BranchesPorts,
  source: DatabaseRecord,
  { origin = 'backup', at, backupRunId }: NewBranch,
): Promise<From> {
  if (origin === 'backup')
    return at === undefined ? ofBackup(ports, source, backupRunId) : ofMoment(ports, source, at);
  const { database } = databaseKind(source.kind).server.login(source);
  return { path: '', destinationId: '', database, moment: null, asOf: isoTime(ports.clock), bytes: 0 };
}

async function ofMoment({ recoveries }: BranchesPorts, source: DatabaseRecord, at: string): Promise<From> {
  if (source.kind !== 'postgres')
    throw badField('at', `is of PostgreSQL only, and ${source.name} is a ${source.kind} database`);
  const { base, moment } = await recoveries.plan(source.databaseId, source.organizationId, at);
  const { path, destinationId, storedBytes } = base;
  const { database } = databaseKind(source.kind).server.login(source);
  return { path, destinationId, database, moment, asOf: moment, bytes: storedBytes ?? 0 };
}

async function ofBackup(
  { runs, recovery }: BranchesPorts,
  { databaseId, organizationId, name, kind }: DatabaseRecord,
  wanted: string | undefined,
): Promise<From> {
  for (const run of await runs.ofDatabase(databaseId, organizationId)) {
    if (wanted !== undefined && run.backupRunId !== wanted) continue;
    const isStored = run.operation === 'backup' && run.isStored;
    const isDump = isStored && (run.volumeName === null || kind === 'redis');
    // A base backup of the recovery is not a dump.
    if (!isDump || (await recovery.bases.find({ backupRunId: run.backupRunId }))) continue;
    const { path, destinationId, database, createdAt, startedAt } = run;
    const bytes = run.bytes ?? run.storedBytes ?? 0;
    return { path, destinationId, database, moment: null, asOf: startedAt ?? createdAt, bytes };
  }
  if (wanted !== undefined)
    throw badField(
      'backupRunId',
      `is not a stored backup of ${name}. backup.runsByDatabase shows those that are (isStored)`,
    );
  throw new AppError(
    'PRECONDITION_FAILED',
    `${name} has no stored and verified backup that a branch could be filled from. Make one first ` +
      '(“Back up now”, `berth db backup`), or name a moment (`at`) of a PostgreSQL database with recovery.',
  );
}

async function requireDisk({ quotas }: BranchesPorts, organizationId: string, bytes: number): Promise<void> {
  const left = await quotas.diskLeft(organizationId);
  if (bytes < left) return;
  throw new AppError(
    'CONFLICT',
    `A branch needs ${bytes} bytes of disk, and the quota of this organization leaves ${left}. Remove ` +
      'services with their volumes, or ask the Owner of the installation for more (organization.setQuota).',
  );
}

async function create(
  { store, runs, copies, clock }: BranchesPorts,
  { input, source, from }: BranchPlan,
  userId: string,
): Promise<Branch> {
  const { asOf, ...object } = from;
  const { organizationId } = source;
  const database = await copies.database(source, {
    name: input.name,
    environmentId: input.environmentId ?? source.environmentId,
    containerImage: source.containerImage,
    databasePassword: newPassword(),
    databaseRootPassword: source.databaseRootPassword === null ? null : newPassword(),
    ...input.preview,
  });
  const { databaseId } = database;
  const run = await runs.accept({
    ...object,
    organizationId,
    databaseId,
    operation: 'branch',
    backupId: null,
    startedBy: 'person',
    serviceKey: `restore:${databaseId}`,
    laneKind: 'restore',
    // Twenty database servers that begin at once keep each other from it.
    ...(input.preview && { serverKey: fillsKey(serverKeyOf(database)) }),
  });
  const record = {
    databaseId,
    organizationId,
    sourceId: source.databaseId,
    sourceName: source.name,
    backupRunId: run.backupRunId,
    asOf,
    mask: input.mask ?? null,
    filledAt: null,
    createdBy: userId,
    createdAt: isoTime(clock),
    expiresAt: input.expiresInHours === undefined ? null : clock.now() + input.expiresInHours * hourMs,
    warnedAt: null,
    origin: input.origin ?? 'backup',
  };
  await store.insert(record);
  return shown({ ...database, ...run, ...record, isMasked: record.mask !== null });
}

const statusOf = { queued: 'filling', running: 'filling', done: 'ready', error: 'failed' } as const;

function shown(placed: Omit<PlacedBranch, 'projectId'>): Branch {
  return {
    databaseId: placed.databaseId,
    databaseType: placed.kind,
    name: placed.name,
    appName: placed.appName,
    environmentId: placed.environmentId,
    sourceId: placed.sourceId,
    sourceName: placed.sourceName,
    backupRunId: placed.backupRunId,
    status: statusOf[placed.status],
    errorMessage: placed.errorMessage,
    path: placed.path,
    asOf: placed.asOf,
    moment: placed.moment,
    isMasked: placed.isMasked,
    expiresAt: placed.expiresAt === null ? null : new Date(placed.expiresAt).toISOString(),
    createdAt: placed.createdAt,
  };
}
