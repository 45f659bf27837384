/** Backups of Berth itself: its database, and its key file under a passphrase. */
import { z } from 'zod';
import { parseCron, parseTimeZone } from '../../domain/time/cron.ts';
import { parseObjectPath } from '../../domain/names/object-path.ts';
import { shortestPassphrase } from '../../domain/secrets/sealed-key.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { backupRunRecord } from './record.ts';

const optional = z.string().nullable();

const record = z
  .object({
    backupId: z.string(),
    destinationId: z.string(),
    schedule: z.string(),
    timeZone: z.string(),
    prefix: z.string(),
    enabled: z.boolean(),
    keepLatestCount: z.number().nullable(),
    alarmAfterHours: z.number().nullable(),
    alarmSince: optional.describe('Since when there has been no good backup for too long; null: all is well'),
    lastGoodAt: optional,
    createdAt: z.string(),
  })
  .meta({ id: 'InstallationBackup' });

const access = { class: 'installation', resources: [] } as const;
const destinationId = z.string().min(1).max(100);

export const installationBackupContract = {
  get: query({
    summary: 'How Berth itself is backed up; null before it was set up',
    access,
    input: z.object({}),
    output: z.object({ backup: record.nullable() }),
  }),
  set: mutation({
    summary: 'Sets how Berth itself is backed up: its database and its key file',
    description:
      'The key file is included only sealed with a passphrase (scrypt, AES-256-GCM), which Berth does ' +
      `not keep: write it down, because without it nobody can read the secrets in the backup. It is ` +
      `required the first time, and sealing takes a moment. Absent fields stay. \`bin/up --restore ` +
      `<file>\` restores a bare machine from a stored object.`,
    access: {
      class: 'installationOwner',
      resources: [{ kind: 'destination', field: 'destinationId' }],
    },
    input: z.object({
      destinationId: destinationId.optional().describe('Required at first'),
      schedule: ruled(z.string().max(200), parseCron)
        .optional()
        .describe('Cron expression; at first: "0 2 * * *"'),
      timeZone: ruled(z.string().min(1).max(100), parseTimeZone).optional(),
      prefix: ruled(z.string().max(1000), parseObjectPath).optional(),
      enabled: z.boolean().optional(),
      keepLatestCount: z.number().int().min(1).max(10_000).nullish(),
      alarmAfterHours: z.number().int().min(1).max(8760).nullish(),
      passphrase: z
        .string()
        .min(shortestPassphrase)
        .max(1000)
        .optional()
        .describe('Seals the key file; never shown and not kept'),
    }),
    example: {
      destinationId: 'V1StGXR8Z5jdHi6BmyT3k',
      schedule: '0 2 * * *',
      prefix: 'berth',
      keepLatestCount: 14,
      passphrase: 'six words that only you know',
    },
    output: record,
    refusals: ['BAD_REQUEST'],
  }),
  run: mutation({
    summary: 'Backs Berth up now',
    description: 'Answers true when the object is stored and verified.',
    access: { ...access, action: 'run' },
    input: z.object({}),
    output: z.literal(true),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  runs: query({
    summary: 'Its runs, newest first, each with the result of every step',
    access,
    input: z.object(pageInput),
    output: listOf(backupRunRecord),
  }),
};
