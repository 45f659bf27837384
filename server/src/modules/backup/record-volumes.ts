/** The record of a backup of a volume. */
import { z } from 'zod';

const optional = z.string().nullable();

export const duringNames = ['running', 'paused', 'stopped'] as const;

export const volumeBackupRecord = z
  .object({
    volumeBackupId: z.string(),
    applicationId: optional,
    composeId: optional,
    redisId: optional,
    volumeName: z.string(),
    serviceDuring: z.enum(duringNames),
    destinationId: z.string(),
    schedule: z.string(),
    timeZone: z.string(),
    prefix: z.string(),
    enabled: z.boolean(),
    keepLatestCount: z.number().nullable().describe('Number of newest backups to keep; null keeps all'),
    alarmAfterHours: z
      .number()
      .nullable()
      .describe('Hours without a good backup after which it is in alarm; null: never'),
    alarmSince: optional.describe('Since when it has been in alarm; null: it is not'),
    lastGoodAt: optional.describe('When its newest good backup was stored and verified'),
    createdAt: z.string(),
  })
  .meta({ id: 'VolumeBackup' });

export const serviceVolume = z
  .object({
    volumeName: z.string().describe('Its name within the service'),
    mountPaths: z.array(z.string()).describe('Where its services have it; none before the next deploy'),
  })
  .meta({ id: 'ServiceVolume' });
