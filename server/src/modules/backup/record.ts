/** The backup record (decisions 7). */
import { z } from 'zod';
import { databaseKindNames, perDatabaseId } from '../../domain/database-kind.ts';

const optional = z.string().nullable();

export const backupRecord = z
  .object({
    backupId: z.string(),
    databaseId: z.string(),
    databaseType: z.enum(databaseKindNames),
    ...perDatabaseId(() => optional),
    database: z.string(),
    destinationId: z.string(),
    schedule: z.string(),
    prefix: z.string(),
    timeZone: z.string(),
    enabled: z.boolean(),
    keepLatestCount: z.number().nullable().describe('Number of newest backups to keep; null keeps all'),
    createdAt: z.string(),
    verifySchedule: optional.describe('When its newest object is restored for trial; null: never'),
    alarmAfterHours: z
      .number()
      .nullable()
      .describe('Hours without a good backup after which it is in alarm; null: never'),
    alarmSince: optional.describe('Since when it has been in alarm; null: it is not'),
    lastGoodAt: optional.describe('When its newest good backup was stored and verified'),
  })
  .meta({ id: 'Backup' });

const count = z.number().nullable();

export const backupRunRecord = z
  .object({
    backupRunId: z.string(),
    operation: z
      .enum(['backup', 'restore', 'verification', 'return', 'branch'])
      .describe(
        'return: what a restore, upgrade or move replaced was put back; branch: a new database was filled',
      ),
    backupId: optional,
    databaseId: optional,
    applicationId: optional,
    composeId: optional,
    volumeName: optional.describe('Of a backup or restore of a volume: its name within the service'),
    startedBy: z.enum(['schedule', 'person']),
    destinationId: z.string(),
    path: z
      .string()
      .describe('The object that it made or read; of a return the volume or database that was put back'),
    database: z.string().describe('Empty for a volume'),
    status: z.enum(['queued', 'running', 'done', 'error']),
    steps: z.array(
      z.object({
        name: z.string(),
        status: z.enum(['running', 'done', 'error', 'stopped']),
        startedAt: z.string(),
        finishedAt: optional,
        detail: optional,
      }),
    ),
    bytes: count.describe('Of the dump'),
    storedBytes: count.describe('Of the object, compressed'),
    checksum: optional.describe('SHA-256 of the object'),
    isStored: z.boolean().describe('Of a backup: its object was verified and is kept'),
    previousVolume: optional.describe(
      'Of a restore: the volume with the state before it, kept until removeFormerVolume of the ' +
        "database's kind, or volumeBackup.removeFormerVolume",
    ),
    previousDatabase: optional.describe(
      'Of a restore inside the running server: the database there with the state before it, until ' +
        'somebody drops it',
    ),
    restoredAt: optional.describe('Of a backup: when its object was last restored on trial; null: never'),
    leftOut: z
      .array(z.string())
      .nullable()
      .describe('Of a restore with leaveOut: what could not be restored, in the words of the database'),
    recipients: z
      .array(z.string())
      .describe('Of a backup: the public keys of age that its object is encrypted for; none: it is not'),
    moment: optional.describe('Of a restore to a moment, or a branch of one: which; null for any other run'),
    errorMessage: optional,
    createdAt: z.string(),
    startedAt: optional,
    finishedAt: optional,
  })
  .meta({ id: 'BackupRun' });
