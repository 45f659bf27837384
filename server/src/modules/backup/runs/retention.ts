/**
 * Removes the oldest objects of a backup, after a newer one was verified. It first checks that the objects to
 * keep really exist.
 */
import type { ObjectStore } from '../../../ports/object-store.ts';
import type { BackupRuns } from './runs.ts';
import type { BackupRecord } from '../store.ts';
import { unfinishedEnding } from './unfinished.ts';

/** Resolves with the removed paths. Only objects that this backup's runs stored here are removed. */
export async function removeOld(
  runs: BackupRuns,
  backup: BackupRecord,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<string[]> {
  const keep = backup.keepLatestCount ?? Number.MAX_SAFE_INTEGER;
  const removed: string[] = [];
  let kept = 0;
  for (const run of await runs.stored(backup.backupId)) {
    if (run.destinationId !== backup.destinationId) continue;
    if (kept < keep) {
      const object = await store.find(run.path, signal);
      // An object that somebody removed or truncated does not count as kept, so that the last good one is
      // never removed because of it.
      if (object?.bytes === run.storedBytes) kept += 1;
      continue;
    }
    await store.remove(run.path, signal);
    await runs.record(run.backupRunId, { isStored: false });
    removed.push(run.path);
  }
  return removed;
}

/**
 * Removes what failed runs of this backup left at the destination: an object that was never verified, and
 * one whose name changed although the store answered with a failure. Only paths of its runs are touched.
 */
export async function sweepFailed(
  runs: Pick<BackupRuns, 'ofBackup'>,
  { backupId, organizationId, destinationId }: BackupRecord,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<string[]> {
  const left = new Set(
    (await runs.ofBackup(backupId, organizationId))
      .filter(
        (run) =>
          run.operation === 'backup' &&
          run.status === 'error' &&
          !run.isStored &&
          run.destinationId === destinationId,
      )
      .map(({ path }) => path),
  );
  const removed: string[] = [];
  for (const folder of new Set([...left].map((path) => path.split('/').slice(0, -1).join('/'))))
    for (const { path } of await store.list(folder, signal)) {
      const name = path.endsWith(unfinishedEnding) ? path.slice(0, -unfinishedEnding.length) : path;
      if (!left.has(name)) continue;
      await store.remove(path, signal);
      removed.push(path);
    }
  return removed;
}

export interface StoredRemoval {
  runs: Pick<BackupRuns, 'ofDatabase' | 'record'>;
  openStore(destinationId: string, organizationId: string): Promise<ObjectStore>;
}

/**
 * Removes every object that backups of the database have stored. A failure at a destination stops it, and the
 * objects that are left stay recorded.
 */
export async function removeStored(
  { runs, openStore }: StoredRemoval,
  databaseId: string,
  organizationId: string,
  signal: AbortSignal,
): Promise<void> {
  for (const run of await runs.ofDatabase(databaseId, organizationId)) {
    if (!run.isStored) continue;
    const store = await openStore(run.destinationId, organizationId);
    await store.remove(run.path, signal);
    await runs.record(run.backupRunId, { isStored: false });
  }
}
