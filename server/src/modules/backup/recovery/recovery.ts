/** The recovery of a database to a moment as a record: set, and what can be restored. */
import type { DatabaseRecord } from '../../../db/tables.ts';
import { AppError, badField } from '../../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../../ports/clock.ts';
import type { Restores } from '../runs/restores.ts';
import type { BackupRecord, BackupRunRecord, BackupStore, RecoveryStore, StoredBase } from '../store.ts';
import { keepDaysAtFirst } from './retention.ts';
import { baseFor, knownOf, windowsOf, type RecoveryWindow } from './windows.ts';

export interface RecoveryInput {
  destinationId?: string | undefined;
  schedule?: string | undefined;
  timeZone?: string | undefined;
  prefix?: string | undefined;
  keepDays?: number | undefined;
  enabled?: boolean | undefined;
}

export interface Recovery
  extends Pick<
    BackupRecord,
    'backupId' | 'destinationId' | 'schedule' | 'timeZone' | 'prefix' | 'enabled' | 'createdAt' | 'alarmSince'
  > {
  postgresId: string;
  keepDays: number;
  windows: RecoveryWindow[];
  holes: { at: string; reason: string }[];
  storedBytes: number;
  problem: string | null;
}

export interface Recoveries {
  get(databaseId: string, organizationId: string): Promise<Recovery | undefined>;
  /** Absent fields keep their value; BAD_REQUEST when the first call lacks one. */
  set(databaseId: string, organizationId: string, input: RecoveryInput): Promise<Recovery>;
  /** The base backup of a moment; BAD_REQUEST with what can be restored when the moment cannot. */
  plan(databaseId: string, organizationId: string, at: string): Promise<{ base: StoredBase; moment: string }>;
  /** The same as a run. */
  restore(
    databaseId: string,
    organizationId: string,
    wanted: { at: string; identity?: string | undefined },
  ): Promise<BackupRunRecord>;
}

export interface RecoveryPorts {
  backups: Pick<BackupStore, 'find' | 'insert' | 'update'>;
  store: RecoveryStore;
  restores: Restores;
  clock: Clock;
  /** Throws NOT_FOUND when the organization has no such database. */
  findDatabase(databaseId: string, organizationId: string): Promise<DatabaseRecord>;
  problemOf(backupId: string): string | null;
}

export function createRecoveries(ports: RecoveryPorts): Recoveries {
  const { backups, clock, findDatabase, restores, store } = ports;
  const find = (databaseId: string, organizationId: string): Promise<BackupRecord | undefined> =>
    backups.find({ databaseId, organizationId, sourceType: 'stream' });
  const plan: Recoveries['plan'] = async (databaseId, organizationId, at) => {
    await postgres(findDatabase, databaseId, organizationId);
    const moment = new Date(at).toISOString();
    const backup = await find(databaseId, organizationId);
    if (!backup)
      throw new AppError(
        'PRECONDITION_FAILED',
        'Recovery to a moment was never switched on for this database (backup.setRecovery). Restore ' +
          'one of its backups instead.',
      );
    return { base: baseFor(await knownOf(store, backup.backupId), moment).base, moment };
  };
  return {
    async get(databaseId, organizationId) {
      await postgres(findDatabase, databaseId, organizationId);
      const backup = await find(databaseId, organizationId);
      return backup && shown(ports, backup);
    },
    async set(databaseId, organizationId, input) {
      const database = await postgres(findDatabase, databaseId, organizationId);
      const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
      const present = await find(databaseId, organizationId);
      if (present) {
        const { backupId } = present;
        await backups.update({ backupId }, { ...given, nextRunAt: null });
        return shown(ports, { ...present, ...given });
      }
      const { destinationId } = input;
      if (destinationId === undefined) throw badField('destinationId', 'is required the first time');
      const record = { ...newRecovery(database, destinationId, isoTime(clock)), ...given };
      await backups.insert(record);
      return shown(ports, record);
    },
    plan,
    async restore(databaseId, organizationId, { at, identity }) {
      const { base, moment } = await plan(databaseId, organizationId, at);
      const { path, destinationId } = base;
      const object = { database: '', path, destinationId, moment, identity };
      return restores.accept({ organizationId, databaseId, ...object });
    },
  };
}

export async function isRecoveryOn(backups: Pick<BackupStore, 'find'>, databaseId: string): Promise<boolean> {
  return (await backups.find({ databaseId, sourceType: 'stream', enabled: true })) !== undefined;
}

async function postgres(
  findDatabase: RecoveryPorts['findDatabase'],
  databaseId: string,
  organizationId: string,
): Promise<DatabaseRecord> {
  const database = await findDatabase(databaseId, organizationId);
  if (database.kind !== 'postgres') throw badField('postgresId', `is a ${database.kind} database`);
  return database;
}

async function shown({ store, problemOf }: RecoveryPorts, backup: BackupRecord): Promise<Recovery> {
  const { backupId, databaseId, destinationId, schedule, timeZone, prefix, enabled, createdAt } = backup;
  const known = await knownOf(store, backupId);
  return {
    backupId,
    postgresId: databaseId ?? '',
    destinationId,
    schedule,
    timeZone,
    prefix,
    keepDays: backup.keepDays ?? keepDaysAtFirst,
    enabled,
    createdAt,
    windows: windowsOf(known),
    holes: known.spans.flatMap(({ endedAt, endReason }) =>
      endedAt === null ? [] : [{ at: endedAt, reason: endReason ?? '' }],
    ),
    storedBytes: [...known.spans, ...known.bases].reduce((sum, one) => sum + (one.storedBytes ?? 0), 0),
    problem: enabled ? problemOf(backupId) : 'It is switched off.',
    alarmSince: backup.alarmSince,
  };
}

function newRecovery(database: DatabaseRecord, destinationId: string, createdAt: string): BackupRecord {
  return {
    backupId: randomId(),
    organizationId: database.organizationId,
    sourceType: 'stream',
    databaseId: database.databaseId,
    databaseType: null,
    database: database.name,
    destinationId,
    schedule: '0 3 * * *',
    timeZone: 'UTC',
    prefix: database.appName,
    enabled: true,
    keepLatestCount: null,
    nextRunAt: null,
    verifySchedule: null,
    nextVerifyAt: null,
    alarmAfterHours: null,
    alarmSince: null,
    lastGoodAt: null,
    sealedKey: null,
    createdAt,
    applicationId: null,
    composeId: null,
    volumeName: null,
    serviceDuring: null,
    keepDays: keepDaysAtFirst,
  };
}
