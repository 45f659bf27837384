/** The backup of Berth itself, of which there is only one. */
import { AppError, badField } from '../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { BackupRecord, BackupStore } from './store.ts';

export interface InstallationBackups {
  get(organizationId: string): Promise<BackupRecord | undefined>;
  /** Absent fields keep their value; throws BAD_REQUEST when the first call lacks one. */
  set(organizationId: string, input: InstallationBackupInput): Promise<BackupRecord>;
  /** Throws PRECONDITION_FAILED before it was set up. */
  require(organizationId: string): Promise<BackupRecord>;
}

export interface InstallationBackupInput
  extends Partial<
    Pick<
      BackupRecord,
      'destinationId' | 'schedule' | 'timeZone' | 'prefix' | 'enabled' | 'keepLatestCount' | 'alarmAfterHours'
    >
  > {
  sealedKey?: string | undefined;
}

type Store = Pick<BackupStore, 'find' | 'insert' | 'update'>;

const first = {
  schedule: '0 2 * * *',
  timeZone: 'UTC',
  prefix: '',
  enabled: true,
  keepLatestCount: null,
  alarmAfterHours: null,
} as const;

export function createInstallationBackups(store: Store, clock: Clock): InstallationBackups {
  const get = (organizationId: string): Promise<BackupRecord | undefined> =>
    store.find({ organizationId, sourceType: 'installation' });
  return {
    get,
    async set(organizationId, input) {
      const present = await get(organizationId);
      const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
      if (present) {
        await store.update({ backupId: present.backupId }, { ...given, nextRunAt: null });
        return { ...present, ...given };
      }
      const { destinationId, sealedKey } = input;
      if (destinationId === undefined) throw badField('destinationId', 'is required the first time');
      if (sealedKey === undefined)
        throw badField(
          'passphrase',
          'is required the first time: the key file is stored only sealed with it',
        );
      const record: BackupRecord = {
        backupId: randomId(),
        organizationId,
        sourceType: 'installation',
        databaseId: null,
        databaseType: null,
        database: 'berth',
        ...first,
        ...given,
        destinationId,
        sealedKey,
        nextRunAt: null,
        verifySchedule: null,
        nextVerifyAt: null,
        alarmSince: null,
        lastGoodAt: null,
        createdAt: isoTime(clock),
        applicationId: null,
        composeId: null,
        volumeName: null,
        serviceDuring: null,
        keepDays: null,
      };
      await store.insert(record);
      return record;
    },
    async require(organizationId) {
      const present = await get(organizationId);
      if (!present)
        throw new AppError(
          'PRECONDITION_FAILED',
          'No backup of Berth is set up. Call installationBackup.set first, with a destination and a ' +
            'passphrase.',
        );
      return present;
    },
  };
}
