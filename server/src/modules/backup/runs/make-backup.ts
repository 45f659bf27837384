/**
 * One backup: dump → compress → upload → verify → record → retention. The first three, and the encryption
 * between them, are one stream, so that a backup of any size takes little memory.
 */
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import { requireFreeDisk } from '../../../domain/resources/free-disk.ts';
import { encrypted } from '../../../domain/secrets/age.ts';
import { isoTime, type Clock } from '../../../ports/clock.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import { withNotes } from '../in-place/object-notes.ts';
import { canOpen, cannotBeTried } from '../keys/keys.ts';
import { removeOld, sweepFailed } from './retention.ts';
import type { RunContext } from './run-context.ts';
import type { BackupRuns } from './runs.ts';
import { unfinishedEnding } from './unfinished.ts';
import type { BackupSource, BackupSources } from '../source.ts';
import type { BackupRecord, BackupRunRecord, BackupStore } from '../store.ts';
import { endedBy, compressed, measure, measured, watched, type Measure } from './streams.ts';

export interface BackupMaking {
  runs: BackupRuns;
  sources: BackupSources;
  backup(backupId: string): Promise<BackupRecord | undefined>;
  openStore(destinationId: string, organizationId: string): Promise<ObjectStore>;
  /** Number of bytes that must stay free on Berth's own disk. */
  keptFree(): Promise<number>;
  /** Throws CONFLICT when the organization's quota has no room for this many more bytes. */
  requireQuota(organizationId: string, bytes: number): Promise<void>;
  /** Accepts a restore on trial of the newest object. */
  tryOut(backup: BackupRecord): Promise<void>;
  /** Called when the backup has a new verified copy. */
  good(backup: BackupRecord): Promise<void>;
}

export async function makeBackup(making: BackupMaking, context: RunContext): Promise<void> {
  const { run, signal } = context;
  const backup = run.backupId === null ? undefined : await making.backup(run.backupId);
  if (!backup)
    throw new AppError('PRECONDITION_FAILED', 'The backup was removed before this run of it began.');
  const store = await making.openStore(run.destinationId, run.organizationId);
  if (context.attempt > 1 && (await wasStored(store, context))) {
    context.say('The object was stored and verified before Berth was restarted.');
  } else {
    await requireRoom(making, store, backup);
    await making.requireQuota(run.organizationId, 0);
    const source = await making.sources[backup.sourceType].open(backup, context);
    context.hide(source.secrets);
    // Before the dump, so that a change between the two counts as one of the next object.
    const shape = await source.shape?.();
    if (source.shape) await context.record({ shape: shape ?? null });
    const sent = await send(source, store, context);
    await keepWithinQuota(making, store, context, sent);
    await context.step('verify', () => verify(store, run.path, sent, signal));
    await context.step('record', async () => {
      // Recorded before the object gets its final name, so that a crash between the two loses nothing.
      await context.record({ storedBytes: sent.bytes, checksum: sent.checksum });
      await store.rename(`${run.path}${unfinishedEnding}`, run.path, signal);
      return { value: undefined, detail: run.path };
    });
  }
  await context.record({ isStored: true });
  await making.good(backup);
  await retain(making, backup, store, context);
  await sweep(making, backup, store, context);
  if (backup.sourceType !== 'database' || (await wasTried(making, context))) return;
  if (await canOpen(making.runs, run)) await making.tryOut(backup);
  else context.say(cannotBeTried(run));
}

/** Whether an object of the same schema and settings was restored on trial before. */
async function wasTried({ runs }: BackupMaking, { run }: RunContext): Promise<boolean> {
  const made = await runs.find(run.backupRunId);
  if (made?.shape == null || run.backupId === null) return false;
  return (await runs.ofBackup(run.backupId, run.organizationId)).some(
    ({ shape, restoredAt }) => shape === made.shape && restoredAt !== null,
  );
}

/** Removes what failed runs left; a failure of it harms nothing, and the next run tries again. */
async function sweep(
  { runs }: BackupMaking,
  backup: BackupRecord,
  store: ObjectStore,
  { signal, say }: RunContext,
): Promise<void> {
  try {
    const removed = await sweepFailed(runs, backup, store, signal);
    if (removed.length > 0) say(`Removed what failed runs had left: ${removed.join(', ')}.`);
  } catch (error) {
    if (signal.aborted) throw error;
    say(`What failed runs left could not be looked for: ${sentenceOf(error)}`);
  }
}

/** Refuses the backup after its upload, since its size is not known earlier. */
async function keepWithinQuota(
  { requireQuota }: BackupMaking,
  store: ObjectStore,
  { run, signal }: RunContext,
  { bytes }: Measure,
): Promise<void> {
  try {
    await requireQuota(run.organizationId, bytes);
  } catch (error) {
    await store.remove(`${run.path}${unfinishedEnding}`, signal);
    throw error;
  }
}

/** Requires room for at least as much as the last backup took. */
async function requireRoom(
  making: BackupMaking,
  store: ObjectStore,
  { backupId }: BackupRecord,
): Promise<void> {
  const room = await store.room();
  if (!room) return;
  const [last] = await making.runs.stored(backupId);
  requireFreeDisk(
    { free: room.free, kept: room.isOwnDisk ? await making.keptFree() : 0 },
    {
      what: 'the backup',
      needed: last?.storedBytes ?? 0,
      cure: "Free some space on the destination's disk, or keep fewer backups (keepLatestCount).",
    },
  );
}

/** Whether an earlier attempt was killed after it renamed the object and before it recorded that. */
async function wasStored(store: ObjectStore, { run, signal }: RunContext): Promise<boolean> {
  const object = run.checksum === null ? undefined : await store.find(run.path, signal);
  if (object !== undefined && object.bytes === run.storedBytes) return true;
  await store.remove(`${run.path}${unfinishedEnding}`, signal);
  return false;
}

async function send(source: BackupSource, store: ObjectStore, context: RunContext): Promise<Measure> {
  const { run, signal } = context;
  context.say(`Dumping ${source.title}.`);
  const steps = {
    dump: await context.begin('dump'),
    compress: await context.begin('compress'),
    upload: await context.begin('upload'),
  };
  const faults: { step: keyof typeof steps; error: unknown }[] = [];
  const watch =
    (step: keyof typeof steps) =>
    (error: unknown): void =>
      void faults.push({ step, error });
  const [raw, stored] = [empty(), empty()];
  const dumped = watched(measured(endedBy(signal, source.read()), raw), watch('dump'));
  const packed = watched(compressed(dumped), watch('compress'));
  try {
    await store.write(
      `${run.path}${unfinishedEnding}`,
      measured(encrypted(run.recipients, withNotes(source.notes, packed)), stored),
      signal,
    );
    if (raw.bytes === 0)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The dump of ${source.title} is empty, so there is nothing to keep.`,
      );
  } catch (error) {
    // The first failure is the cause; the others follow from it.
    const [first = { step: 'upload' as const, error }] = faults;
    // A run that Berth's own end interrupts continues at the next start, so its steps stay as they are.
    for (const [name, step] of signal.aborted ? [] : Object.entries(steps))
      await (name === first.step ? step.failed(first.error) : step.stopped());
    await store
      .remove(`${run.path}${unfinishedEnding}`, AbortSignal.timeout(cleaningLimitMs))
      .catch((fault: unknown) => context.say(`What had been stored could not be removed: ${String(fault)}`));
    throw first.error;
  }
  await steps.dump.done(`${raw.bytes} bytes`);
  await steps.compress.done(`${stored.bytes} bytes`);
  await steps.upload.done(`${stored.bytes} bytes`);
  await context.record({ bytes: raw.bytes });
  return stored;
}

const cleaningLimitMs = 30_000;

/** Reads the backup as a restore would. */
async function verify(
  store: ObjectStore,
  path: string,
  sent: Measure,
  signal: AbortSignal,
): Promise<{ value: void; detail: string }> {
  const kept = await measure(store.read(`${path}${unfinishedEnding}`, signal));
  if (kept.bytes === sent.bytes && kept.checksum === sent.checksum)
    return { value: undefined, detail: `${kept.bytes} bytes read again, SHA-256 ${kept.checksum}` };
  await store.remove(`${path}${unfinishedEnding}`, signal);
  throw new AppError(
    'PRECONDITION_FAILED',
    `The destination returned other bytes than were stored (${kept.bytes} of ${sent.bytes}, different ` +
      'checksum). The object was removed; check the destination before the next backup.',
  );
}

/** Removes old backups. A failure does not fail the run; the next run tries to remove them again. */
async function retain(
  making: BackupMaking,
  backup: BackupRecord,
  store: ObjectStore,
  context: RunContext,
): Promise<void> {
  if (backup.keepLatestCount === null) return;
  const step = await context.begin('retention');
  try {
    const removed = await removeOld(making.runs, backup, store, context.signal);
    await step.done(removed.length === 0 ? 'nothing to remove' : `removed ${removed.join(', ')}`);
  } catch (error) {
    if (context.signal.aborted) throw error;
    await step.failed(error);
  }
}

const empty = (): Measure => ({ bytes: 0, checksum: '' });

/** Removes what a failed or killed run may have left behind. */
export async function tidyBackup(making: BackupMaking, run: BackupRunRecord): Promise<void> {
  const backup = run.backupId === null ? undefined : await making.backup(run.backupId);
  if (backup) await making.sources[backup.sourceType].tidy(run);
}

/** Records that a backup has a new verified copy, which ends its alarm. */
export function noteGood(store: Pick<BackupStore, 'update'>, clock: Clock): BackupMaking['good'] {
  return async ({ backupId }) => {
    await store.update({ backupId }, { lastGoodAt: isoTime(clock), alarmSince: null });
  };
}
