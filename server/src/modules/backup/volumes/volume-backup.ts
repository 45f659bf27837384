/** Backups of volumes as records: which volume of which service, when and where to. */
import { AppError, badField } from '../../../domain/errors.ts';
import type { BackupOwner } from '../../../domain/names/backup-subject.ts';
import type { Scope } from '../../../domain/access/permissions.ts';
import type { ServiceDuring } from '../../../db/tables.ts';
import { parseTimeZone } from '../../../domain/time/cron.ts';
import { isoTime, randomId, type Clock } from '../../../ports/clock.ts';
import { databaseKind } from '../../database/kinds.ts';
import type { BackupRunReads } from '../runs/runs.ts';
import type { BackupRecord, BackupStore } from '../store.ts';
import { foundService, presentService, refOf, volumesIn, type VolumeServices } from './volume-service.ts';

/** The record of a backup whose source is a volume. */
export type VolumeBackupRecord = BackupRecord & { volumeName: string; serviceDuring: ServiceDuring };

export type VolumeBackup = VolumeBackupRecord & { volumeBackupId: string; redisId: string | null };

/** One of them is named. */
export interface VolumeOwner {
  applicationId?: string | null | undefined;
  composeId?: string | null | undefined;
  redisId?: string | null | undefined;
}

/** As the columns of a record name it. */
export const ownerColumns = ({ applicationId, composeId, redisId }: VolumeOwner): BackupOwner => ({
  databaseId: redisId ?? null,
  applicationId: applicationId ?? null,
  composeId: composeId ?? null,
});

/** What is backed up of a Redis database, by its own dump. */
const redisVolume: ServiceVolume = {
  volumeName: 'data',
  mountPaths: [databaseKind('redis').server.dataPath(undefined)],
};

export interface NewVolumeBackup
  extends Pick<
    VolumeBackupRecord,
    'schedule' | 'destinationId' | 'enabled' | 'volumeName' | 'serviceDuring'
  > {
  /** Absent: the appName of the service. */
  prefix?: string | undefined;
  timeZone?: string | undefined;
  keepLatestCount?: number | null | undefined;
  alarmAfterHours?: number | null | undefined;
}

export type VolumeBackupPatch = {
  [K in Exclude<keyof NewVolumeBackup, 'volumeName'>]?: NewVolumeBackup[K] | undefined;
};

export interface ServiceVolume {
  volumeName: string;
  mountPaths: string[];
}

export interface VolumeBackups {
  /** BAD_REQUEST when the service has no such volume. */
  create(organizationId: string, owner: VolumeOwner, input: NewVolumeBackup): Promise<VolumeBackup>;
  one(volumeBackupId: string, organizationId: string): Promise<VolumeBackup>;
  /** Of an organization, newest first, with where their services stand. */
  everywhere(organizationId: string): Promise<{ backup: VolumeBackup; scope: Scope }[]>;
  /** Newest first. */
  byService(owner: VolumeOwner, organizationId: string): Promise<VolumeBackup[]>;
  update(volumeBackupId: string, organizationId: string, patch: VolumeBackupPatch): Promise<VolumeBackup>;
  remove(volumeBackupId: string, organizationId: string): Promise<VolumeBackup>;
  /** By name. */
  volumes(owner: VolumeOwner): Promise<ServiceVolume[]>;
  /** BAD_REQUEST when the service has no such volume. */
  requireVolume(owner: VolumeOwner, volumeName: string): Promise<void>;
  /**
   * BAD_REQUEST for a volume that is none of the former ones of the service, CONFLICT for one that something
   * still uses.
   */
  removeFormer(owner: VolumeOwner, organizationId: string, volumeName: string): Promise<void>;
}

export interface VolumeBackupPorts {
  store: BackupStore;
  runs: Pick<BackupRunReads, 'ofService'>;
  services: VolumeServices;
  clock: Clock;
  /** Takes the volume out of the runs of the service that remember it. */
  forgetVolume(owner: VolumeOwner, volumeName: string): Promise<unknown>;
}

export function createVolumeBackups(ports: VolumeBackupPorts): VolumeBackups {
  const { store, services, clock } = ports;
  const volumes = (owner: VolumeOwner): Promise<ServiceVolume[]> => volumesOf(services, owner);
  async function requireVolume(owner: VolumeOwner, volumeName: string): Promise<void> {
    const names = (await volumes(owner)).map((volume) => volume.volumeName);
    if (names.includes(volumeName)) return;
    throw badField(
      'volumeName',
      names.length === 0
        ? 'is not a volume of the service: it has none, or was not deployed with one yet'
        : `is not a volume of the service; it has ${names.join(', ')}`,
    );
  }
  return {
    volumes,
    requireVolume,
    async create(organizationId, owner, input) {
      await requireVolume(owner, input.volumeName);
      checkDuring(owner.redisId, input.serviceDuring);
      const prefix = input.prefix ?? (await appNameOf(ports, owner, organizationId));
      const record = newRecord(organizationId, owner, { ...input, prefix }, isoTime(clock));
      await store.insert(record);
      return shown(record);
    },
    one: async (volumeBackupId, organizationId) => shown(await found(store, volumeBackupId, organizationId)),
    everywhere: async (organizationId) =>
      (await store.volumesEverywhere(organizationId)).flatMap(({ record, scope }) => {
        const backup = asVolumeBackup(record);
        return backup ? [{ backup: shown(backup), scope }] : [];
      }),
    byService: async (owner, organizationId) =>
      (
        await store.list(
          { ...ownerColumns(owner), organizationId },
          { by: ['createdAt', 'backupId'], direction: 'desc' },
        )
      )
        .flatMap((record) => asVolumeBackup(record) ?? [])
        .map(shown),
    async update(volumeBackupId, organizationId, patch) {
      const { databaseId } = await found(store, volumeBackupId, organizationId);
      checkDuring(databaseId, patch.serviceDuring);
      const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
      // The time to come is counted anew.
      await store.update({ backupId: volumeBackupId, organizationId }, { ...given, nextRunAt: null });
      return shown(await found(store, volumeBackupId, organizationId));
    },
    async remove(volumeBackupId, organizationId) {
      const present = await found(store, volumeBackupId, organizationId);
      await store.remove({ backupId: volumeBackupId, organizationId });
      return shown(present);
    },
    removeFormer: (owner, organizationId, volumeName) =>
      removeFormer(ports, owner, organizationId, volumeName),
  };
}

/** What Redis dumps is of one moment, while it goes on. */
function checkDuring(redisId: string | null | undefined, serviceDuring: ServiceDuring | undefined): void {
  if (redisId && serviceDuring !== undefined && serviceDuring !== 'running')
    throw badField(
      'serviceDuring',
      'must be running for a Redis database, which dumps its data while it runs',
    );
}

async function appNameOf(
  { store, services }: VolumeBackupPorts,
  owner: VolumeOwner,
  organizationId: string,
): Promise<string> {
  if (!owner.redisId) return (await foundService(services, refOf(owner))).appName;
  return presentService(await store.database(owner.redisId, organizationId)).appName;
}

async function volumesOf(services: VolumeServices, owner: VolumeOwner): Promise<ServiceVolume[]> {
  if (owner.redisId) return [redisVolume];
  const service = await foundService(services, refOf(owner));
  const live = volumesIn(service, await services.specs(service.ref));
  const names = new Set([...live.keys(), ...(await services.recorded(service.ref))]);
  return [...names].toSorted().map((volumeName) => ({ volumeName, mountPaths: live.get(volumeName) ?? [] }));
}

async function removeFormer(
  { runs, services, forgetVolume }: VolumeBackupPorts,
  owner: VolumeOwner,
  organizationId: string,
  volumeName: string,
): Promise<void> {
  const { applicationId = null, composeId = null } = owner;
  const former = await runs.ofService(ownerColumns(owner), organizationId);
  const isFormer = former.some((run) => run.status === 'done' && run.previousVolume === volumeName);
  if (!isFormer) throw badField('volumeName', 'is not one of the former volumes of this service');
  for (const engine of await services.engines(refOf(owner))) await engine.removeVolume(volumeName);
  await forgetVolume(applicationId === null ? { composeId } : { applicationId }, volumeName);
}

async function found(
  store: BackupStore,
  volumeBackupId: string,
  organizationId: string,
): Promise<VolumeBackupRecord> {
  const record = asVolumeBackup(
    await store.find({ backupId: volumeBackupId, organizationId, sourceType: 'volume' }),
  );
  if (!record)
    throw new AppError('NOT_FOUND', 'There is no such backup of a volume. It may have been removed.');
  return record;
}

function newRecord(
  organizationId: string,
  owner: VolumeOwner,
  { timeZone = 'UTC', ...input }: NewVolumeBackup & { prefix: string },
  createdAt: string,
): VolumeBackupRecord {
  return {
    backupId: randomId(),
    organizationId,
    sourceType: 'volume',
    databaseType: owner.redisId ? 'redis' : null,
    database: '',
    ...ownerColumns(owner),
    volumeName: input.volumeName,
    serviceDuring: input.serviceDuring,
    keepDays: null,
    destinationId: input.destinationId,
    schedule: input.schedule,
    timeZone: parseTimeZone(timeZone, 'timeZone'),
    prefix: input.prefix,
    enabled: input.enabled,
    keepLatestCount: input.keepLatestCount ?? null,
    nextRunAt: null,
    verifySchedule: null,
    nextVerifyAt: null,
    alarmAfterHours: input.alarmAfterHours ?? null,
    alarmSince: null,
    lastGoodAt: null,
    sealedKey: null,
    createdAt,
  };
}

function asVolumeBackup(record: BackupRecord | undefined): VolumeBackupRecord | undefined {
  if (!record || record.volumeName === null || record.serviceDuring === null) return undefined;
  return { ...record, volumeName: record.volumeName, serviceDuring: record.serviceDuring };
}

const shown = (record: VolumeBackupRecord): VolumeBackup => ({
  ...record,
  volumeBackupId: record.backupId,
  redisId: record.databaseId,
});
