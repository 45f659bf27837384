/** The end of the databases that previews have of their own: what runs of them, their data, their records. */
import type { DatabaseRecord } from '../../../db/tables.ts';
import { AppError } from '../../../domain/errors.ts';
import { databaseRef } from '../../../domain/names/service-ref.ts';
import type { DeploymentLogs } from '../../../ports/deployment-log.ts';
import type { Databases } from '../../database/database.ts';
import type { Deployments } from '../../deployment/deployment.ts';
import type { Interruption } from '../../interruption/interruption.ts';
import type { Turns } from '../../service/turns.ts';

export interface DiscardDeps {
  databases: Pick<Databases, 'remove'>;
  deployments: Pick<Deployments, 'all'>;
  /** Removes its services and volumes from the engine. */
  runtime: { remove(database: DatabaseRecord): Promise<void> };
  turns: Pick<Turns, 'take'>;
  logs: Pick<DeploymentLogs, 'remove'>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

/** Fit to run again after a crash: the record goes last. */
export type DiscardDatabase = (database: DatabaseRecord) => Promise<void>;

export function createDiscardDatabase(deps: DiscardDeps): DiscardDatabase {
  const { databases, deployments, runtime, turns, logs, transaction } = deps;
  return async (database) => {
    const { databaseId, organizationId } = database;
    // In its turn: the reconciler would make a service again whose record still stands.
    const past = await turns.take(databaseId, async () => {
      const all = await deployments.all(databaseRef(databaseId));
      // Without a deployment too: what filled it may have left a volume.
      await runtime.remove(database);
      await transaction(() => databases.remove(databaseId, organizationId));
      return all;
    });
    for (const { deploymentId } of past) await logs.remove(deploymentId);
  };
}

export interface RemovalDeps {
  store: { list(where: Partial<DatabaseRecord>): Promise<DatabaseRecord[]> };
  /** Of what fills them. */
  runs: {
    ofDatabase(
      databaseId: string,
      organizationId: string,
    ): Promise<{ backupRunId: string; status: string }[]>;
    settled(backupRunId: string, signal: AbortSignal): Promise<unknown>;
  };
  interruption: Pick<Interruption, 'endThen'>;
  discard: DiscardDatabase;
}

/** Every database of a preview that is removed, with what fills it. */
export type RemovePreviewDatabases = (previewDeploymentId: string, userId?: string) => Promise<void>;

const changeLimitMs = 120_000;

export function createRemovePreviewDatabases(deps: RemovalDeps): RemovePreviewDatabases {
  return async (previewDeploymentId, userId) => {
    for (const database of await deps.store.list({ previewDeploymentId }))
      await remove(deps, database, userId);
  };
}

/** One that just changes over to its data cannot be ended, and takes a moment. */
async function remove(
  deps: RemovalDeps,
  database: DatabaseRecord,
  userId: string | undefined,
): Promise<void> {
  const { databaseId, organizationId } = database;
  const end = (): Promise<void> =>
    deps.interruption.endThen(databaseRef(databaseId), { operation: 'remove', userId }, () =>
      deps.discard(database),
    );
  try {
    await end();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
    const signal = AbortSignal.timeout(changeLimitMs);
    for (const { backupRunId, status } of await deps.runs.ofDatabase(databaseId, organizationId))
      if (status === 'running') await deps.runs.settled(backupRunId, signal).catch(() => undefined);
    await end();
  }
}
