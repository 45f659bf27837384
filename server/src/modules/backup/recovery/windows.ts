/** Which moments can be restored, from the spans of the stored log and the base backups within them. */
import { badField } from '../../../domain/errors.ts';
import type { RecoveryStore, StoredBase, WalSpan } from '../store.ts';

/** From and to are ISO 8601 times by the clock of the database, both included. */
export interface RecoveryWindow {
  from: string;
  to: string;
}

interface Known {
  spans: readonly WalSpan[];
  bases: readonly StoredBase[];
}

export async function knownOf(store: RecoveryStore, backupId: string): Promise<Known> {
  const [spans, bases] = await Promise.all([
    store.spans.list({ backupId }, { by: ['createdAt'], direction: 'asc' }),
    store.storedBases(backupId),
  ]);
  return { spans, bases };
}

/** Oldest first; what lies between two of them is a hole. */
export function windowsOf({ spans, bases }: Known): RecoveryWindow[] {
  return spans.flatMap(({ walSpanId, restorableTo }) => {
    const from = bases.find((base) => base.walSpanId === walSpanId)?.restorableFrom;
    return from !== undefined && restorableTo !== null && from <= restorableTo
      ? [{ from, to: restorableTo }]
      : [];
  });
}

/** The base backup, and its span, from which a moment is restored; BAD_REQUEST with what can be. */
export function baseFor(known: Known, at: string): { span: WalSpan; base: StoredBase } {
  for (const span of known.spans.toReversed()) {
    if (span.restorableTo === null || at > span.restorableTo) continue;
    const base = known.bases.findLast(
      ({ walSpanId, restorableFrom }) => walSpanId === span.walSpanId && restorableFrom <= at,
    );
    if (base) return { span, base };
  }
  const windows = windowsOf(known).map(({ from, to }) => `from ${from} to ${to}`);
  throw badField(
    'at',
    windows.length === 0
      ? 'cannot be restored: there is no base backup with its log yet'
      : `cannot be restored: ${at} is not within what is stored, ${windows.join(', and ')}`,
  );
}

/** How much of the log a moment needs: the next mark after it, or all there is. */
export async function logFor(
  store: RecoveryStore,
  { walSpanId, position, nextSegment }: WalSpan,
  at: string,
): Promise<{ position: number; nextSegment: number }> {
  const marks = await store.marks.list({ walSpanId }, { by: ['at'], direction: 'asc' });
  return marks.find((mark) => mark.at >= at) ?? { position: position ?? 0, nextSegment };
}
