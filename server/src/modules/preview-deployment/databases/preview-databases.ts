/**
 * Databases that previews have of their own: each is a branch of a database of the environment, made with the
 * first deployment of its preview, and gone with the preview.
 */
import type { DatabaseRecord, TableRecord } from '../../../db/tables.ts';
import type { PreviewDatabase } from '../../../domain/branch-origin.ts';
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import { calledPreview, previewTitle } from '../previewed.ts';

/** A preview, and the databases that it is to have. */
export interface PreviewOfDatabases {
  previewDeploymentId: string;
  organizationId: string;
  environmentId: string;
  /** Where the preview runs. */
  serverId: string | null;
  number: number | null;
  name: string | null;
  isTrusted: boolean;
  isFork: boolean;
  wanted: readonly PreviewDatabase[];
}

export interface Telling {
  signal: AbortSignal;
  say(line: string): void;
}

export interface PreviewDatabases {
  /**
   * Makes those that are missing, without waiting for their data, and removes what the setting no longer
   * names. Resolves with how many there are.
   */
  ensure(preview: PreviewOfDatabases, say: (line: string) => void): Promise<number>;
  /** Waits until all have their data; one that fails is removed, and its reason is thrown. */
  awaitFilled(preview: PreviewOfDatabases, telling: Telling): Promise<void>;
}

type BranchRecord = TableRecord<'database_branch'>;

/** A database that is to be made of another one. */
export interface WantedBranch {
  databaseId: string;
  name: string;
  origin: PreviewDatabase['from'];
  mask: string | undefined;
  preview: Pick<DatabaseRecord, 'serverId' | 'previewDeploymentId' | 'description'> & { env?: string };
}

/** What was found of it before it is made. */
export interface PlannedBranch {
  source: Pick<DatabaseRecord, 'name' | 'environmentId'>;
  input: object;
}

export interface PreviewDatabaseDeps<P extends PlannedBranch = PlannedBranch> {
  branches: {
    plan(organizationId: string, wanted: WantedBranch): Promise<P>;
    create(plan: P, userId: string): Promise<{ databaseId: string }>;
  };
  /** Of what fills them. */
  runs: {
    find(backupRunId: string): Promise<{ status: string } | undefined>;
    /** Throws the run's own error when it failed. */
    settled(backupRunId: string, signal: AbortSignal): Promise<unknown>;
    wake(): void;
  };
  databases: { list(where: Partial<DatabaseRecord>): Promise<DatabaseRecord[]> };
  branchOf(databaseId: string): Promise<BranchRecord | undefined>;
  /** Takes the mounts that a database brought along away; part of the caller's transaction. */
  removeMounts(databaseId: string): Promise<unknown>;
  /** Removes the database with all that runs of it and its data. */
  discard(database: DatabaseRecord): Promise<void>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Inside the transaction; CONFLICT when the organization may have no more. */
  withinQuota<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
}

/**
 * What a preview really gets: whoever reads data of the environment has to be trusted with them, and a fork
 * gets none that no statements have masked.
 */
export function grantedOrigin(
  { databaseId, from, mask }: PreviewDatabase,
  { isTrusted, isFork }: Pick<PreviewOfDatabases, 'isTrusted' | 'isFork'>,
): PreviewDatabase {
  if (!isTrusted || (isFork && mask === undefined)) return { databaseId, from: 'empty' };
  return { databaseId, from, mask };
}

/** Without what makes them. */
type Looking = Omit<PreviewDatabaseDeps, 'branches'>;

interface Own {
  database: DatabaseRecord;
  branch: BranchRecord;
}

export function createPreviewDatabases<P extends PlannedBranch>(
  deps: PreviewDatabaseDeps<P>,
): PreviewDatabases {
  return {
    async ensure(preview, say) {
      const own = await kept(deps, preview);
      const missing = preview.wanted.filter(
        ({ databaseId }) => !own.some(({ branch }) => branch.sourceId === databaseId),
      );
      for (const wanted of missing) await make(deps, preview, wanted, say);
      if (missing.length > 0) deps.runs.wake();
      return own.length + missing.length;
    },
    async awaitFilled(preview, { signal, say }) {
      for (const { database, branch } of await ownOf(deps, preview)) {
        if (branch.filledAt === null)
          say(`${branch.sourceName}: backup.runLogs ${branch.backupRunId} shows more.`);
        try {
          await settled(deps, branch, signal);
        } catch (error) {
          if (signal.aborted) throw error;
          await deps.discard(database);
          throw new AppError(
            'PRECONDITION_FAILED',
            `The database of this preview in place of ${branch.sourceName} could not be filled: ` +
              sentenceOf(error),
          );
        }
        say(`${branch.sourceName}: the preview has ${database.name} (${branch.origin}).`);
      }
    },
  };
}

/** Those that stay; what failed while nobody waited is made anew. */
async function kept(deps: Looking, preview: PreviewOfDatabases): Promise<Own[]> {
  const staying: Own[] = [];
  for (const one of await ownOf(deps, preview)) {
    const { database, branch } = one;
    const isWanted = preview.wanted.some(({ databaseId }) => databaseId === branch.sourceId);
    const run = branch.filledAt === null ? await deps.runs.find(branch.backupRunId) : undefined;
    const hasFailed = branch.filledAt === null && (run === undefined || run.status === 'error');
    if (isWanted && !hasFailed) staying.push(one);
    else await deps.discard(database);
  }
  return staying;
}

async function ownOf(
  { databases, branchOf }: Pick<Looking, 'databases' | 'branchOf'>,
  { previewDeploymentId, organizationId }: PreviewOfDatabases,
): Promise<Own[]> {
  const own: Own[] = [];
  for (const database of await databases.list({ previewDeploymentId, organizationId })) {
    const branch = await branchOf(database.databaseId);
    if (branch) own.push({ database, branch });
  }
  return own;
}

/** A run that ended longer ago may have been forgotten. */
async function settled(
  { runs }: Pick<Looking, 'runs'>,
  { filledAt, backupRunId }: BranchRecord,
  signal: AbortSignal,
): Promise<void> {
  const run = await runs.find(backupRunId);
  if (run || filledAt === null) await runs.settled(backupRunId, signal);
}

async function make<P extends PlannedBranch>(
  deps: PreviewDatabaseDeps<P>,
  preview: PreviewOfDatabases,
  wanted: PreviewDatabase,
  say: (line: string) => void,
): Promise<void> {
  const { organizationId } = preview;
  const given = grantedOrigin(wanted, preview);
  const plan = await planOf(deps, preview, given);
  const { name, environmentId } = plan.source;
  if (environmentId !== preview.environmentId)
    throw new AppError(
      'PRECONDITION_FAILED',
      `previewDatabases names ${name}, which is in another environment now. Take it out of the setting.`,
    );
  if (given.from !== wanted.from)
    say(
      preview.isTrusted
        ? `${name}: its commits come from a fork, and previewDatabases has no masking command for it, so ` +
            'the database of this preview is empty.'
        : `${name}: this preview gets no variables or secrets, so its database is empty.`,
    );
  await deps.transaction(() =>
    deps.withinQuota(organizationId, async () => {
      const { databaseId } = await deps.branches.create(plan, '');
      if (!preview.isTrusted) await deps.removeMounts(databaseId);
    }),
  );
}

async function planOf<P extends PlannedBranch>(
  { branches }: Pick<PreviewDatabaseDeps<P>, 'branches'>,
  preview: PreviewOfDatabases,
  { databaseId, from, mask }: PreviewDatabase,
): Promise<P> {
  const { organizationId, serverId, previewDeploymentId } = preview;
  const plan = await branches
    .plan(organizationId, {
      databaseId,
      name: '',
      origin: from,
      mask,
      preview: {
        serverId,
        previewDeploymentId,
        description: `Goes with the ${calledPreview(preview)}`,
        ...(preview.isTrusted ? {} : { env: '' }),
      },
    })
    .catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
      throw new AppError(
        'PRECONDITION_FAILED',
        `previewDatabases names the database ${databaseId}, which no longer exists. Take it out of the ` +
          'setting.',
      );
    });
  return { ...plan, input: { ...plan.input, name: previewTitle(plan.source, preview) } };
}
