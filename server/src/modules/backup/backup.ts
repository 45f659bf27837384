/**
 * The records of database backups: what is backed up, when and where to. make-backup.ts makes one, and each
 * attempt has a run.
 */
import type { ProgramSpec } from '../../ports/engine/engine-program.ts';
import {
  digestFiles,
  readArchive,
  volumeProgram,
  writeArchive,
  type VolumeProgram,
} from './volumes/volume-program.ts';
import { databaseIds, type DatabaseIds } from '../../domain/database-kind.ts';
import { parseTimeZone } from '../../domain/time/cron.ts';
import { AppError, badField } from '../../domain/errors.ts';
import type { Scope } from '../../domain/access/permissions.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { databaseKind, type BackupKindName } from '../database/kinds.ts';
import { hasBackups, noBackups } from './contract-kinds.ts';
import type { BackupRecord, BackupStore } from './store.ts';

/** A backup with its database named by the field of its kind. */
export type Backup = DatabaseBackup & DatabaseIds<string | null>;

/** The record of a backup whose source is a database. */
export type DatabaseBackup = BackupRecord & { databaseId: string; databaseType: BackupKindName };

export interface NewBackup extends Pick<BackupRecord, 'schedule' | 'database' | 'destinationId' | 'enabled'> {
  /** By default the name of the database's service. */
  prefix?: string | undefined;
  timeZone?: string | undefined;
  keepLatestCount?: number | null | undefined;
  verifySchedule?: string | null | undefined;
  alarmAfterHours?: number | null | undefined;
}

export type BackupPatch = { [K in keyof NewBackup]?: NewBackup[K] | undefined } & {
  /** Only the kind that the database has is accepted. */
  databaseType?: BackupKindName | undefined;
};

/** A database, and the kind that it is said to be. */
export interface NamedDatabase {
  databaseId: string;
  databaseType: BackupKindName | undefined;
}

export interface Backups {
  create(organizationId: string, named: NamedDatabase, input: NewBackup): Promise<Backup>;
  one(backupId: string, organizationId: string): Promise<Backup>;
  update(backupId: string, organizationId: string, patch: BackupPatch): Promise<Backup>;
  remove(backupId: string, organizationId: string): Promise<Backup>;
  /** All of an organization, newest first, each with the place of its database. */
  everywhere(organizationId: string): Promise<{ backup: Backup; scope: Scope }[]>;
  /** Newest first. */
  byDatabase(databaseId: string, organizationId: string): Promise<Backup[]>;
  /** Throws BAD_REQUEST unless the backup is of a database of this kind. */
  requireKind(backupId: string, organizationId: string, kind: BackupKindName): Promise<Backup>;
  /** The kind of a database; throws BAD_REQUEST when it is not the named one, or when it has no backups. */
  checkDatabase(named: NamedDatabase, organizationId: string): Promise<BackupKindName>;
}

export function createBackups(store: BackupStore, clock: Clock): Backups {
  return {
    checkDatabase: async (named, organizationId) => (await checkDatabase(store, named, organizationId)).kind,
    one: async (backupId, organizationId) => shown(await found(store, backupId, organizationId)),
    async create(organizationId, named, input) {
      const { kind: databaseType, appName } = await checkDatabase(store, named, organizationId);
      const { databaseId } = named;
      const record = newBackup(
        { organizationId, databaseId, databaseType },
        { ...input, prefix: input.prefix ?? appName },
        isoTime(clock),
      );
      await store.insert(record);
      return shown(record);
    },
    async update(backupId, organizationId, { databaseType, ...patch }) {
      const present = await found(store, backupId, organizationId);
      if (databaseType !== undefined && databaseType !== present.databaseType)
        throw badField('databaseType', 'cannot be changed; create a backup of the other database instead');
      // The next times are computed again from the new schedules.
      await store.update({ backupId, organizationId }, { ...patch, nextRunAt: null, nextVerifyAt: null });
      return shown(await found(store, backupId, organizationId));
    },
    async remove(backupId, organizationId) {
      const present = await found(store, backupId, organizationId);
      await store.remove({ backupId, organizationId });
      return shown(present);
    },
    everywhere: async (organizationId) =>
      (await store.everywhere(organizationId)).flatMap(({ record, scope }) => {
        const backup = asDatabaseBackup(record);
        return backup ? [{ backup: shown(backup), scope }] : [];
      }),
    byDatabase: async (databaseId, organizationId) =>
      (await store.list({ databaseId, organizationId }, { by: ['createdAt', 'backupId'], direction: 'desc' }))
        .flatMap((record) => asDatabaseBackup(record) ?? [])
        .map(shown),
    async requireKind(backupId, organizationId, kind) {
      const backup = shown(await found(store, backupId, organizationId));
      if (backup.databaseType !== kind)
        throw badField(
          'backupId',
          `is a backup of a ${backup.databaseType} database; use ` +
            `backup.${databaseKind(backup.databaseType).manualBackup ?? ''}`,
        );
      return backup;
    },
  };
}

async function found(store: BackupStore, backupId: string, organizationId: string): Promise<DatabaseBackup> {
  const record = asDatabaseBackup(await store.find({ backupId, organizationId, sourceType: 'database' }));
  if (!record) throw new AppError('NOT_FOUND', 'There is no such backup. It may have been removed.');
  return record;
}

async function checkDatabase(
  store: BackupStore,
  { databaseId, databaseType }: NamedDatabase,
  organizationId: string,
): Promise<{ kind: BackupKindName; appName: string }> {
  const { kind, appName = '' } = (await store.database(databaseId, organizationId)) ?? {};
  if (kind === undefined)
    throw new AppError('NOT_FOUND', 'There is no such database. It may have been removed.');
  if (!hasBackups(kind)) throw badField('databaseId', noBackups(kind));
  if (databaseType !== undefined && kind !== databaseType)
    throw badField('databaseType', `is ${databaseType}, but the database is of the kind ${kind}`);
  return { kind, appName };
}

function newBackup(
  of: Pick<DatabaseBackup, 'organizationId' | 'databaseId' | 'databaseType'>,
  { timeZone = 'UTC', ...input }: NewBackup & { prefix: string },
  createdAt: string,
): DatabaseBackup {
  return {
    backupId: randomId(),
    ...of,
    sourceType: 'database',
    database: input.database,
    destinationId: input.destinationId,
    schedule: input.schedule,
    timeZone: parseTimeZone(timeZone, 'timeZone'),
    prefix: input.prefix,
    enabled: input.enabled,
    keepLatestCount: input.keepLatestCount ?? null,
    nextRunAt: null,
    verifySchedule: input.verifySchedule ?? null,
    nextVerifyAt: null,
    alarmAfterHours: input.alarmAfterHours ?? null,
    alarmSince: null,
    lastGoodAt: null,
    sealedKey: null,
    createdAt,
    applicationId: null,
    composeId: null,
    volumeName: null,
    serviceDuring: null,
    keepDays: null,
  };
}

/** Undefined for a backup of anything but a database. */
export function asDatabaseBackup(record: BackupRecord | undefined): DatabaseBackup | undefined {
  if (
    !record ||
    record.databaseId === null ||
    record.databaseType === null ||
    !hasBackups(record.databaseType)
  )
    return undefined;
  return { ...record, databaseId: record.databaseId, databaseType: record.databaseType };
}

function shown(record: DatabaseBackup): Backup {
  return { ...record, ...databaseIds(record.databaseType, record.databaseId) };
}

/** Programs on one volume: they print its archive, unpack one into it, or print a digest of all its files. */
export function volumePrograms(
  service: Parameters<typeof volumeProgram>[0],
  host: Parameters<typeof volumeProgram>[1],
  wanted: Pick<VolumeProgram, 'volume' | 'image'> & { runId: string },
): Record<'read' | 'write' | 'digest', ProgramSpec> {
  const { runId: backupRunId, ...shared } = wanted;
  const program = (argv: VolumeProgram['argv'], writes: boolean): ProgramSpec =>
    volumeProgram(service, host, { ...shared, backupRunId, argv, writes });
  return {
    read: program(readArchive, false),
    write: program(writeArchive, true),
    digest: program(digestFiles, false),
  };
}
