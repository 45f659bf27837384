/** Fields that backups of databases and of volumes share. */
import { z } from 'zod';
import { parseObjectPath } from '../../domain/names/object-path.ts';
import { parseCron, parseTimeZone } from '../../domain/time/cron.ts';
import { ruled } from '../../procedure/input/ruled.ts';

export const backupSettings = {
  schedule: ruled(z.string().max(200), parseCron).describe(
    'Cron expression of five fields, or a nickname such as @daily; in timeZone',
  ),
  timeZone: ruled(z.string().min(1).max(100), parseTimeZone)
    .optional()
    .describe('Time zone of the schedules, by its IANA name, such as Europe/Berlin; UTC unless set'),
  prefix: ruled(z.string().max(1000), parseObjectPath).describe(
    'Path below the destination where the objects are stored; may be empty',
  ),
  keepLatestCount: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .nullish()
    .describe(
      'Number of newest backups to keep; null keeps all. Older ones are removed once a newer one is ' +
        'verified',
    ),
  alarmAfterHours: z
    .number()
    .int()
    .min(1)
    .max(8760)
    .nullish()
    .describe('Hours without a good backup after which alarmSince is set; null: never'),
};

/** Of what reads a stored object. */
export const keyOfObject = {
  identity: z
    .string()
    .max(1000)
    .optional()
    .describe(
      'The private key of age (AGE-SECRET-KEY-1…) that opens an encrypted object, where the destination ' +
        'has none; kept encrypted until the run ends, and never shown',
    ),
};
