/** Recovery of PostgreSQL databases to a moment. */
import { z } from 'zod';
import { parseObjectPath } from '../../domain/names/object-path.ts';
import { parseCron, parseTimeZone } from '../../domain/time/cron.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { id as serviceId } from '../service/contract-fields.ts';
import { keyOfObject } from './contract-settings.ts';
import { backupRunRecord } from './record.ts';

const optional = z.string().nullable();
const postgres = { kind: 'postgres', field: 'postgresId' } as const;
const destination = { kind: 'destination', field: 'destinationId' } as const;
const input = z.object({ postgresId: serviceId });

export const recoveryRecord = z
  .object({
    backupId: z.string().describe('backup.runs gives the runs of its base backups'),
    postgresId: z.string(),
    destinationId: z.string(),
    schedule: z.string(),
    timeZone: z.string(),
    prefix: z.string(),
    keepDays: z.number().describe('Number of days of which every moment can be restored'),
    enabled: z.boolean(),
    createdAt: z.string(),
    windows: z
      .array(z.object({ from: z.string(), to: z.string() }))
      .describe('Moments that can be restored, oldest first; what lies between two of them is a hole'),
    holes: z
      .array(z.object({ at: z.string(), reason: z.string() }))
      .describe('When the log stopped to continue what is stored, and why'),
    storedBytes: z.number().describe('Of its base backups and its log, as they lie at the destination'),
    problem: optional.describe('Why nothing of the log is stored at this moment; null: it is'),
    alarmSince: optional.describe(
      'Since when the end of the newest window has stood still; null: it has not',
    ),
  })
  .meta({ id: 'Recovery' });

export const recoveryContract = {
  setRecovery: mutation({
    summary: 'Switches the recovery of a PostgreSQL database to any moment on or off; absent fields stay',
    description:
      'All files of the server are backed up by schedule, and its write-ahead log is stored at least each ' +
      'minute. The first time, the database is restarted once, within a minute, so that its log can be ' +
      'read. Switched off, what is stored stays until it is older than keepDays. PostgreSQL 13 and newer.',
    access: { class: 'protected', resources: [postgres, destination] },
    input: input.extend({
      destinationId: z.string().min(1).max(100).optional().describe('Required at first'),
      schedule: ruled(z.string().max(200), parseCron)
        .optional()
        .describe('When all files of the server are backed up, as a cron expression; at first: "0 3 * * *"'),
      timeZone: ruled(z.string().min(1).max(100), parseTimeZone)
        .optional()
        .describe('Time zone of the schedule, by its IANA name; UTC unless set'),
      prefix: ruled(z.string().max(1000), parseObjectPath)
        .optional()
        .describe('Path below the destination; at first: the appName of the database'),
      keepDays: z
        .number()
        .int()
        .min(1)
        .max(365)
        .optional()
        .describe('Number of days of which every moment can be restored; at first: 7'),
      enabled: z.boolean().optional().describe('false: nothing more is stored'),
    }),
    example: { postgresId: 'V1StGXR8Z5jdHi6BmyT3k', destinationId: 'V1StGXR8Z5jdHi6BmyT3k', keepDays: 7 },
    output: recoveryRecord,
    refusals: ['BAD_REQUEST'],
  }),
  getRecovery: query({
    summary: 'The recovery of a PostgreSQL database, with the moments that can be restored; null: never set',
    access: { class: 'protected', resources: [postgres] },
    input,
    output: z.object({ recovery: recoveryRecord.nullable().describe('null: it was never set') }),
  }),
  restoreToMoment: mutation({
    summary: 'Starts to restore a PostgreSQL server as it was at a moment and returns the run at once',
    description:
      'A base backup and the log behind it are replayed in a new volume next to the running database, ' +
      'with all databases of the server; only then does the database switch to it. The volume with the ' +
      'previous state is kept, and backup.undoRestore puts it back. A moment that is not within ' +
      '`windows` is refused with what is.',
    access: { class: 'admin', resources: [postgres], action: 'run' },
    input: input.extend({
      at: z.iso
        .datetime({ offset: true })
        .describe('The moment, by the clock of the database: ISO 8601 with a time zone'),
      ...keyOfObject,
    }),
    example: { postgresId: 'V1StGXR8Z5jdHi6BmyT3k', at: '2026-11-20T14:03:07Z' },
    output: backupRunRecord,
    refusals: ['BAD_REQUEST', 'CONFLICT', 'PRECONDITION_FAILED'],
  }),
};
