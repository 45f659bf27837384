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
    .describe('Of the schedules, by its name in the IANA list, such as Europe/Berlin; absent at first: UTC'),
  prefix: ruled(z.string().max(1000), parseObjectPath).describe(
    'Path below the destination under which the objects stand; may be empty',
  ),
  keepLatestCount: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .nullish()
    .describe(
      'So many of its newest objects are kept; null: all. Older ones are removed once a newer one is ' +
        'verified',
    ),
  alarmAfterHours: z
    .number()
    .int()
    .min(1)
    .max(8760)
    .nullish()
    .describe('After so many hours without a good backup, alarmSince says so; null: never'),
};
