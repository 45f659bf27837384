/** Backups and trials whose time has come, and backups that have had no good one for too long. */
import { nextTime } from '../../../domain/time/cron.ts';
import type { Fact, TellFact } from '../../../domain/states/fact.ts';
import { isoTime, type Clock } from '../../../ports/clock.ts';
import type { BackupRuns } from './runs.ts';
import { acceptTrial } from './restores.ts';
import type { BackupSources } from '../source.ts';
import type { BackupRecord, BackupStore } from '../store.ts';
import { subjectOf } from '../../../domain/names/backup-subject.ts';

export interface BackupSchedules {
  /**
   * Starts what is due; one that was missed while Berth did not run is made up once. Services that an ended
   * run could not let go on are tried again.
   */
  tick(): Promise<void>;
}

export interface SchedulePorts {
  store: BackupStore;
  runs: BackupRuns;
  sources: BackupSources;
  clock: Clock;
  /** A backup came into alarm. */
  onAlarm(backup: BackupRecord): void;
  tell?: TellFact;
}

const never = Number.MAX_SAFE_INTEGER;
const hourMs = 3_600_000;

export function createBackupSchedules(ports: SchedulePorts): BackupSchedules {
  const { store, runs, sources, clock } = ports;
  return {
    async tick() {
      for (const backup of await store.due(clock.now())) {
        await takeTurn(ports, backup, 'nextRunAt', backup.schedule, () =>
          runs.acceptBackup(backup, {
            startedBy: 'schedule',
            ending: sources[backup.sourceType].ending(backup),
          }),
        );
        if (backup.verifySchedule !== null)
          await takeTurn(ports, backup, 'nextVerifyAt', backup.verifySchedule, () =>
            acceptTrial(runs, backup, 'schedule'),
          );
      }
      for (const backup of await store.watched()) await watch(ports, backup);
      await giveBack(ports);
      runs.wake();
    },
  };
}

/** A server that did not answer at the end of a run does later; until then the next tick tries again. */
async function giveBack({ runs, sources }: SchedulePorts): Promise<void> {
  for (const run of await runs.stillHolding()) await sources.volume.tidy(run).catch(() => undefined);
}

/**
 * Of several control planes at once only one gets the turn: the time must still be the one that was seen.
 */
async function takeTurn(
  { store, clock }: SchedulePorts,
  backup: BackupRecord,
  field: 'nextRunAt' | 'nextVerifyAt',
  schedule: string,
  start: () => Promise<unknown>,
): Promise<void> {
  const due = backup[field];
  const now = clock.now();
  if (due !== null && due > now) return;
  const next = nextTime(schedule, backup.timeZone, now) ?? never;
  await store.transaction(async () => {
    const changed = await store.update(
      { backupId: backup.backupId, [field]: due, enabled: true },
      { [field]: next },
    );
    if (changed === 1 && due !== null) await start();
  });
}

async function watch(ports: SchedulePorts, backup: BackupRecord): Promise<void> {
  const { store, clock, onAlarm, tell } = ports;
  const since = Math.max(Date.parse(backup.lastGoodAt ?? backup.createdAt));
  const isLate = clock.now() - since > (backup.alarmAfterHours ?? never) * hourMs;
  if (isLate === (backup.alarmSince !== null)) return;
  const isNew = await store.transaction(async () => {
    const changed = await store.update(
      { backupId: backup.backupId, alarmSince: backup.alarmSince },
      { alarmSince: isLate ? isoTime(clock) : null },
    );
    if (isLate && changed === 1) await tell?.(silence(backup));
    return isLate && changed === 1;
  });
  if (isNew) onAlarm(backup);
}

function silence(backup: BackupRecord): Fact {
  const { backupId, organizationId, lastGoodAt, alarmAfterHours } = backup;
  const name = subjectOf(backup);
  return {
    event: 'backupSilent',
    organizationId,
    subject: { type: 'backup', id: backupId, name: `backup of ${name}` },
    sentence:
      `The backup of ${name} has had no good run for more than ${alarmAfterHours ?? 0} hours; ` +
      (lastGoodAt === null ? 'it never had one.' : `the last one was at ${lastGoodAt}.`),
  };
}
