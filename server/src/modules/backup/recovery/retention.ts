/** Removes base backups, and segments before the oldest one kept, that no moment of `keepDays` needs. */
import type { Clock } from '../../../ports/clock.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import type { BackupRuns } from '../runs/runs.ts';
import type { BackupRecord, BackupStore, RecoveryStore, StoredBase, WalSpan } from '../store.ts';
import { segmentPath } from './wal.ts';

export interface RecoveryRemoval {
  store: RecoveryStore;
  runs: Pick<BackupRuns, 'record'>;
  clock: Clock;
  openStore(destinationId: string, organizationId: string): Promise<ObjectStore>;
}

const dayMs = 24 * 3_600_000;
/** Objects of one turn: each is a call of the store. */
const mostPerTurn = 50;
export const keepDaysAtFirst = 7;

export async function removeOldRecovery(
  ports: RecoveryRemoval,
  backup: BackupRecord,
  signal: AbortSignal,
): Promise<void> {
  const bases = await ports.store.storedBases(backup.backupId);
  const before = new Date(ports.clock.now() - (backup.keepDays ?? keepDaysAtFirst) * dayMs).toISOString();
  // The newest one before the first moment that is kept is where that moment is restored from.
  const first = bases.findLastIndex(({ restorableFrom }) => restorableFrom <= before);
  for (const base of bases.slice(0, Math.max(first, 0))) await removeBase(ports, backup, base, signal);
  const kept = bases.slice(Math.max(first, 0));
  for (const span of await ports.store.spans.list({ backupId: backup.backupId }))
    await shorten(ports, span, kept, signal);
}

/** Removes every segment that is stored for a database. */
export async function removeSpans(
  {
    backups,
    openStore,
    store,
  }: Pick<RecoveryRemoval, 'openStore' | 'store'> & { backups: Pick<BackupStore, 'find'> },
  databaseId: string,
  organizationId: string,
  signal: AbortSignal,
): Promise<void> {
  const stream = await backups.find({ databaseId, organizationId, sourceType: 'stream' });
  if (!stream) return;
  const { backupId } = stream;
  for (const span of await store.spans.list({ backupId })) {
    await removeSegments({ openStore, store }, span, span.nextSegment, signal);
    await store.spans.remove({ walSpanId: span.walSpanId });
  }
}

/** What is removed no longer counts, segment by segment. */
async function removeSegments(
  { openStore, store }: Pick<RecoveryRemoval, 'openStore' | 'store'>,
  span: WalSpan,
  end: number,
  signal: AbortSignal,
): Promise<void> {
  const { walSpanId } = span;
  const objects = await openStore(span.destinationId, span.organizationId);
  let { storedBytes } = span;
  for (let segment = span.firstSegment; segment < end; segment += 1) {
    const path = segmentPath(span, segment);
    const kept = await objects.find(path, signal);
    if (kept) await objects.remove(path, signal);
    storedBytes = Math.max(0, storedBytes - (kept?.bytes ?? 0));
    await store.spans.update({ walSpanId }, { firstSegment: segment + 1, storedBytes });
  }
}

async function removeBase(
  { openStore, runs, store }: RecoveryRemoval,
  { organizationId }: BackupRecord,
  { backupRunId, destinationId, path }: StoredBase,
  signal: AbortSignal,
): Promise<void> {
  await (await openStore(destinationId, organizationId)).remove(path, signal);
  await runs.record(backupRunId, { isStored: false });
  await store.bases.remove({ backupRunId });
}

async function shorten(
  { openStore, store }: RecoveryRemoval,
  span: WalSpan,
  bases: readonly StoredBase[],
  signal: AbortSignal,
): Promise<void> {
  const { walSpanId, nextSegment, endedAt } = span;
  const own = bases.filter((base) => base.walSpanId === walSpanId).map(({ firstSegment }) => firstSegment);
  if (own.length === 0 && endedAt === null) return;
  const first = own.length === 0 ? nextSegment : Math.min(...own);
  const end = Math.min(first, span.firstSegment + mostPerTurn);
  if (end > span.firstSegment) {
    await removeSegments({ openStore, store }, span, end, signal);
    await store.forgetMarks(walSpanId, end);
  }
  if (own.length === 0 && end >= nextSegment) await store.spans.remove({ walSpanId });
}
