/**
 * Follows the write-ahead log of each database that has recovery to a moment: its service runs, complete
 * segments are stored, holes are told, and what is older than asked for is removed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseRecord } from '../../../db/tables.ts';
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import { serverKeyOf } from '../../../domain/names/server-key.ts';
import { encrypted } from '../../../domain/secrets/age.ts';
import type { TellFact } from '../../../domain/states/fact.ts';
import { isoTime, randomId, type Clock } from '../../../ports/clock.ts';
import type { Engine, ServiceSpec } from '../../../ports/engine/engine.ts';
import type { Hosts } from '../../../ports/host/host.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import type { BackupRuns } from '../runs/runs.ts';
import { compressed, measured } from '../runs/streams.ts';
import type { BackupRecord, BackupStore, RecoveryStore, WalSpan } from '../store.ts';
import { neededOf, removeUnneeded } from './leftovers.ts';
import { removeOldRecovery } from './retention.ts';
import { lookAt, readSegment, removeSegments, sharesSocket, streamSpec } from './stream-service.ts';
import { segmentFile, segmentPath, type WalLook } from './wal.ts';

export interface FollowPorts {
  backups: Pick<BackupStore, 'list' | 'update'>;
  store: RecoveryStore;
  runs: BackupRuns;
  hosts: Hosts;
  clock: Clock;
  findDatabase(databaseId: string): Promise<DatabaseRecord | undefined>;
  liveSpec(database: DatabaseRecord): Promise<ServiceSpec | undefined>;
  /** Releases the database again, with the folder of its socket shared. */
  reload(database: DatabaseRecord): Promise<unknown>;
  openStore(destinationId: string, organizationId: string): Promise<ObjectStore>;
  requireQuota(organizationId: string, bytes: number): Promise<void>;
  tell: TellFact;
  onFault(error: unknown, backupId: string): void;
}

export interface RecoveryFollower {
  tick(): Promise<void>;
  /** Why nothing is stored at this moment; null: all is well. */
  problemOf(backupId: string): string | null;
}

/** What is known of one stream while this process runs. */
interface Following {
  snapshot: string;
  problem: string | null;
  isBusy: boolean;
  reloadedFor: string | null;
  /** The base backup that was last asked for, and the span that it is for. */
  triedBase: { walSpanId: string; at: number } | null;
}

const turnLimitMs = 10 * 60_000;
const standsStillMs = 5 * 60_000;
const markEveryMs = 10 * 60_000;
const baseAgainMs = 10 * 60_000;
const mostPerTurn = 200;
/** A log that has only begun is looked at again so soon, within one turn: until then nothing is protected. */
const young = { looks: 8, everyMs: 2000 } as const;
/** What has to go changes seldom, and each look asks every engine. */
const clearAgainMs = 10 * 60_000;

export function createRecoveryFollower(ports: FollowPorts): RecoveryFollower {
  const known = new Map<string, Following>();
  let cleared = { needed: '', at: -Infinity };
  const of = (backupId: string): Following => {
    const present = known.get(backupId) ?? {
      snapshot: '',
      problem: null,
      isBusy: false,
      reloadedFor: null,
      triedBase: null,
    };
    known.set(backupId, present);
    return present;
  };
  return {
    problemOf: (backupId) => known.get(backupId)?.problem ?? null,
    async tick() {
      const streams = await ports.backups.list({ sourceType: 'stream' });
      for (const backup of streams) {
        const following = of(backup.backupId);
        if (following.isBusy) continue;
        following.isBusy = true;
        // One that hangs holds up no other.
        void turn(ports, backup, following)
          .catch((error: unknown) => ports.onFault(error, backup.backupId))
          .finally(() => {
            following.isBusy = false;
          });
      }
      const needed = await neededOf(ports, streams);
      const names = [...needed].toSorted().join(' ');
      const { clock } = ports;
      if (names === cleared.needed && clock.now() - cleared.at < clearAgainMs) return;
      if (await removeUnneeded(ports, needed)) cleared = { needed: names, at: clock.now() };
    },
  };
}

async function turn(ports: FollowPorts, backup: BackupRecord, following: Following): Promise<void> {
  const signal = AbortSignal.timeout(turnLimitMs);
  const database = await ports.findDatabase(backup.databaseId ?? '');
  if (!database) return;
  try {
    following.problem = backup.enabled
      ? await followUntilBase(ports, { backup, database, following, signal })
      : null;
  } catch (error) {
    if (!(error instanceof AppError)) ports.onFault(error, backup.backupId);
    following.problem = sentenceOf(error);
  }
  await watch(ports, backup, database, following.problem);
  await removeOldRecovery(ports, backup, signal);
}

interface Turn {
  backup: BackupRecord;
  database: DatabaseRecord;
  following: Following;
  signal: AbortSignal;
}

/** Resolves with why nothing can be stored now; null when all is well. */
async function followUntilBase(ports: FollowPorts, one: Turn): Promise<string | null> {
  for (let look = 1; ; look += 1) {
    const { problem, isYoung } = await follow(ports, one);
    if (!isYoung || look === young.looks) return problem;
    await delay(young.everyMs, undefined, { signal: one.signal });
  }
}

/** How a stream was found. `isYoung`: nothing of its log can be restored yet, and soon it can. */
interface Found {
  problem: string | null;
  isYoung: boolean;
}

const waiting = (problem: string): Found => ({ problem, isYoung: false });

async function follow(ports: FollowPorts, one: Turn): Promise<Found> {
  const { database, following, signal } = one;
  const live = await ports.liveSpec(database);
  if (!live) return waiting('The database has not been deployed yet.');
  if (database.isStopped) return waiting('The database is stopped.');
  const { engine } = await ports.hosts.of(serverKeyOf(database));
  if (!sharesSocket(live)) {
    if (following.reloadedFor !== database.liveDeploymentId) await ports.reload(database);
    following.reloadedFor = database.liveDeploymentId;
    return waiting('The database is being restarted, so that its log can be read.');
  }
  const spec = streamSpec(database, live);
  const present = await engine.service(spec.name);
  if (present?.specDigest !== engine.specDigest(spec)) await engine.applyService(spec);
  const look = await lookAt(engine, database, following.snapshot, signal);
  const span = await spanOf(ports, one, look);
  if (!span) return { problem: 'The stream of the log begins.', isYoung: true };
  const stored = await storeSegments(ports, one, { engine, span, look });
  const restorableTo = await advance(ports, one, stored, look);
  if (restorableTo === null) return { problem: null, isYoung: true };
  await requireBase(ports, one, stored);
  return { problem: null, isYoung: false };
}

/** The span that the log goes on in; a new one where it does not continue what is stored. */
async function spanOf(
  { store, clock, tell, runs }: FollowPorts,
  { backup, database, following }: Turn,
  look: WalLook,
): Promise<WalSpan | undefined> {
  const [first] = look.segments;
  const { recipients } = await runs.keysOf(backup.destinationId);
  const present = (await store.spans.list({ backupId: backup.backupId, endedAt: null })).at(-1);
  const reason = present && reasonOfEnd(present, { backup, database, look, recipients });
  if (present && reason === undefined) return present;
  following.snapshot = '';
  if (present && reason !== undefined) {
    await store.spans.update(
      { walSpanId: present.walSpanId, endedAt: null },
      { endedAt: isoTime(clock), endReason: reason },
    );
    await tell({
      event: 'backupFailed',
      organizationId: backup.organizationId,
      subject: { type: 'backup', id: backup.backupId, name: `recovery of ${database.name}` },
      sentence:
        `The stored log of ${database.name} has a hole: ${reason} Moments until ` +
        `${present.restorableTo ?? 'its begin'} can be restored; later ones from the next base backup ` +
        'on, which is made now.',
    });
  }
  if (first === undefined) return undefined;
  const walSpanId = randomId();
  const span: WalSpan = {
    walSpanId,
    backupId: backup.backupId,
    organizationId: backup.organizationId,
    destinationId: backup.destinationId,
    folder: [backup.prefix, 'wal', walSpanId].filter((part) => part !== '').join('/'),
    dataVolume: database.dataVolume,
    serverKey: serverKeyOf(database),
    systemId: look.systemId,
    timeline: look.timeline,
    segmentBytes: look.segmentBytes,
    firstSegment: first,
    nextSegment: first,
    position: null,
    restorableTo: null,
    storedBytes: 0,
    createdAt: isoTime(clock),
    endedAt: null,
    endReason: null,
    recipients,
  };
  await store.spans.insert(span);
  return span;
}

interface Present {
  look: WalLook;
  recipients: readonly string[];
}

function reasonOfEnd(
  span: WalSpan,
  { backup, database, look, recipients }: Pick<Turn, 'backup' | 'database'> & Present,
): string | undefined {
  const [first] = look.segments;
  if (span.destinationId !== backup.destinationId) return 'it goes to another destination now.';
  if (span.recipients.toSorted().join() !== recipients.toSorted().join())
    return recipients.length === 0 ? 'it is no longer encrypted.' : 'it is encrypted for other keys now.';
  if (span.dataVolume !== database.dataVolume)
    return 'the database runs on another volume, after a restore or an upgrade.';
  if (span.serverKey !== serverKeyOf(database)) return 'the database was moved to another server.';
  if (span.systemId !== look.systemId || span.timeline !== look.timeline)
    return 'the data of the database were exchanged.';
  if (first !== undefined && first > span.nextSegment)
    return (
      'parts of the log were removed before they were stored, because more than the limit of 4 GB ' +
      'waited or the volume of the stream was lost.'
    );
  return undefined;
}

/** Resolves with the span as far as it is stored. */
async function storeSegments(
  ports: FollowPorts,
  { backup, database, signal }: Turn,
  { engine, span, look }: { engine: Engine; span: WalSpan; look: WalLook },
): Promise<WalSpan> {
  const { store, openStore, requireQuota } = ports;
  const { timeline, segmentBytes, walSpanId } = span;
  const nameOf = (segment: number): string => segmentFile(timeline, segment, segmentBytes);
  const complete = new Set(look.segments);
  let { nextSegment, storedBytes } = span;
  if (complete.has(nextSegment)) {
    const objects = await openStore(span.destinationId, backup.organizationId);
    for (let count = 0; complete.has(nextSegment) && count < mostPerTurn; count += 1) {
      // With each, so that a quota is exceeded by one segment at most.
      await requireQuota(backup.organizationId, 0);
      const file = nameOf(nextSegment);
      const path = segmentPath(span, nextSegment);
      const sent = { bytes: 0, checksum: '' };
      const bytes = readSegment(engine, database, { file, bytes: segmentBytes }, signal);
      await objects.write(path, measured(encrypted(span.recipients, compressed(bytes)), sent), signal);
      const kept = await objects.find(path, signal);
      if (kept?.bytes !== sent.bytes)
        throw new AppError(
          'PRECONDITION_FAILED',
          `The destination has ${kept?.bytes ?? 0} bytes of ${sent.bytes} of the segment ${file}; it is ` +
            'stored again.',
        );
      storedBytes += sent.bytes;
      const changed = await store.spans.update(
        { walSpanId, nextSegment },
        { nextSegment: nextSegment + 1, storedBytes },
      );
      if (changed !== 1) break;
      nextSegment += 1;
    }
  }
  const newest = nextSegment - 1;
  const done = look.segments.filter((segment) => segment < newest).map(nameOf);
  await removeSegments(engine, database, done, signal);
  return { ...span, nextSegment, storedBytes };
}

/** How far the log can be restored, when all is stored that was written until the look; null: not at all. */
async function advance(
  { store }: FollowPorts,
  { following }: Turn,
  span: WalSpan,
  look: WalLook,
): Promise<string | null> {
  const position = look.position ?? span.position;
  if (position === null || span.nextSegment * span.segmentBytes < position) return span.restorableTo;
  // A commit bears a time somewhat before it is written.
  const restorableTo = new Date(look.at - 1000).toISOString();
  if (span.restorableTo !== null && restorableTo <= span.restorableTo) return span.restorableTo;
  const { walSpanId, nextSegment } = span;
  await store.spans.update({ walSpanId }, { restorableTo, position });
  following.snapshot = look.snapshot;
  if (look.position === undefined) return restorableTo;
  const [newest] = await store.marks.list({ walSpanId }, { by: ['at'], direction: 'desc' });
  if (newest && look.at - Date.parse(newest.at) < markEveryMs) return restorableTo;
  await store.marks.insert({ walSpanId, at: restorableTo, position, nextSegment });
  return restorableTo;
}

/** A span without a base backup restores nothing. */
async function requireBase(
  { store, runs, clock }: FollowPorts,
  { backup, following }: Turn,
  { walSpanId }: WalSpan,
): Promise<void> {
  const { triedBase } = following;
  if (triedBase?.walSpanId === walSpanId && clock.now() - triedBase.at < baseAgainMs) return;
  if ((await store.storedBases(backup.backupId)).some((base) => base.walSpanId === walSpanId)) return;
  const unfinished = await runs.unfinished();
  if (unfinished.some(({ backupId }) => backupId === backup.backupId)) return;
  following.triedBase = { walSpanId, at: clock.now() };
  await runs.acceptBackup(backup, { startedBy: 'schedule', ending: baseEnding });
  runs.wake();
}

export const baseEnding = 'base.tar.gz';

/** An alarm while a database runs and what can be restored stands still. */
async function watch(
  { backups, store, clock, tell }: FollowPorts,
  backup: BackupRecord,
  database: DatabaseRecord,
  problem: string | null,
): Promise<void> {
  const span = (await store.spans.list({ backupId: backup.backupId, endedAt: null })).at(-1);
  const last = span?.restorableTo ?? null;
  const since = Date.parse(last ?? backup.createdAt);
  const isExpected = backup.enabled && !database.isStopped && database.liveDeploymentId !== null;
  const isStill = isExpected && clock.now() - since > standsStillMs;
  if (isStill === (backup.alarmSince !== null)) return;
  await backups.update(
    { backupId: backup.backupId },
    { alarmSince: isStill ? isoTime(clock) : null, ...(isStill && { lastGoodAt: last }) },
  );
  if (!isStill) return;
  await tell({
    event: 'backupSilent',
    organizationId: backup.organizationId,
    subject: { type: 'backup', id: backup.backupId, name: `recovery of ${database.name}` },
    sentence:
      `Nothing of the log of ${database.name} has been stored for more than ${standsStillMs / 60_000} ` +
      'minutes: ' +
      (last === null ? 'no moment can be restored yet.' : `moments after ${last} cannot be restored.`) +
      (problem === null ? '' : ` ${problem}`),
  });
}
