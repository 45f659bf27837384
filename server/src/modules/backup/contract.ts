/** Backups of databases (decisions 7). */
import { z } from 'zod';
import { controlCharacters } from '../../domain/text/control-characters.ts';
import { parseCron } from '../../domain/time/cron.ts';
import {
  databaseKindNames,
  perDatabaseId,
  type DatabaseIds,
  type DatabaseKindName,
} from '../../domain/database-kind.ts';
import { parseObjectPath } from '../../domain/names/object-path.ts';
import { logEvent, wholeLog } from '../../procedure/log-event.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query, subscription, type ResourceReference } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { id as serviceId, line } from '../service/contract-fields.ts';
import { databaseKinds, type BackupKindName } from '../database/kinds.ts';
import { backupSettings, keyOfObject } from './contract-settings.ts';
import { branchContract } from './contract-branch.ts';
import { coverageContract } from './contract-coverage.ts';
import { recoveryContract } from './contract-recovery.ts';
import { backupKindNames, hasBackups, noBackups } from './contract-kinds.ts';
import { backupRecord, backupRunRecord } from './record.ts';

const id = z.object({ backupId: z.string().min(1).max(100) });
const own = { class: 'protected', resources: [{ kind: 'backup', field: 'backupId' }] } as const;
const destination = { kind: 'destination', field: 'destinationId' } as const;
const destinationId = z.string().min(1).max(100);
const databaseType = z.enum(backupKindNames, {
  error: ({ input }) =>
    databaseKindNames.some((kind) => kind === input) ? noBackups(String(input)) : undefined,
});

/** The database by the field of its kind, or by databaseId with databaseType. */
const databaseFields = {
  ...perDatabaseId((kind) =>
    hasBackups(kind)
      ? serviceId.nullish()
      : serviceId.nullish().describe(`Always refused: ${noBackups(kind)}`),
  ),
  databaseId: serviceId.nullish().describe('A database of any kind, together with databaseType'),
};
const databaseResources: ResourceReference[] = [
  ...backupKindNames.map((kind) => ({ kind, field: fieldOf(kind) })),
  { kind: 'database', field: 'databaseId' },
];

type DatabaseInput = Partial<DatabaseIds<string | null | undefined>> & {
  databaseId?: string | null | undefined;
  databaseType?: BackupKindName | undefined;
};

function fieldOf(kind: DatabaseKindName): keyof DatabaseIds<unknown> {
  return `${kind}Id`;
}

/** The database that an input names; fit for inputs that passed `checkDatabase` only. */
export function databaseOf(input: DatabaseInput): {
  databaseId: string;
  databaseType: BackupKindName | undefined;
} {
  const named = backupKindNames.find((kind) => input[fieldOf(kind)]);
  return {
    databaseId: (named && input[fieldOf(named)]) ?? input.databaseId ?? '',
    databaseType: named ?? input.databaseType,
  };
}

function checkDatabase(input: DatabaseInput, context: z.RefinementCtx): void {
  const fault = (field: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [field], message });
  const named = databaseKindNames.filter((kind) => input[fieldOf(kind)]);
  const expected = input.databaseType ?? named.find(hasBackups);
  for (const kind of named) {
    const other =
      input.databaseType === undefined ? fieldOf(expected ?? kind) : `the databaseType ${input.databaseType}`;
    if (!hasBackups(kind)) fault(fieldOf(kind), noBackups(kind));
    else if (kind !== expected) fault(fieldOf(kind), `names a ${kind} database beside ${other}`);
  }
  if (named.length === 0 && !input.databaseId)
    fault(expected ? fieldOf(expected) : 'databaseId', 'is required: the id of the database');
  if (named.length === 0 && input.databaseId && !expected)
    fault('databaseType', 'is required with databaseId');
  if (
    expected &&
    input.databaseId &&
    input[fieldOf(expected)] &&
    input[fieldOf(expected)] !== input.databaseId
  )
    fault('databaseId', `differs from ${fieldOf(expected)}; both name the database`);
}

const settings = {
  ...backupSettings,
  database: z
    .string()
    .max(100)
    .regex(
      new RegExp(`^[^-${controlCharacters}][^${controlCharacters}]*$`),
      'must have at least one character, and must not begin with "-" or contain line breaks or control ' +
        'characters',
    )
    .describe('Name of the database inside the server'),
  verifySchedule: ruled(z.string().max(200), parseCron)
    .nullish()
    .describe(
      'When its newest object is restored, as a trial, into a database of its own that is removed again; ' +
        'null: never',
    ),
};

const manual = <K extends BackupKindName>(kind: K) =>
  mutation({
    summary: `Makes a backup of a ${kind} database now; a backup of another kind is refused`,
    description:
      'Answers true when the object is stored and verified: read again, with the same length and ' +
      'checksum. It is a job of its own and continues when the caller leaves; backup.runs shows it.',
    access: { ...own, action: 'run' },
    input: id,
    output: z.literal(true),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  });

const runId = z.object({ backupRunId: z.string().min(1).max(100) });
const ownRun = { class: 'protected', resources: [{ kind: 'backupRun', field: 'backupRunId' }] } as const;

const restoreInput = z.object({
  databaseId: serviceId,
  databaseType,
  databaseName: settings.database,
  destinationId,
  backupFile: ruled(z.string().min(1).max(1000), parseObjectPath).describe(
    'Path of the object, as backup.listFiles gives it',
  ),
  leaveOut: z
    .boolean()
    .optional()
    .describe(
      'true: goes on after what cannot be restored, and lists it in `leftOut` of the run; otherwise ' +
        'the first such statement ends the restore',
    ),
  ...keyOfObject,
});
const restoreExample = {
  databaseId: 'V1StGXR8Z5jdHi6BmyT3k',
  databaseType: 'mysql' as const,
  databaseName: 'shop',
  destinationId: 'V1StGXR8Z5jdHi6BmyT3k',
  backupFile: 'shop/2026-11-20T03-00-00.dump',
};

export const backupContract = {
  ...recoveryContract,
  ...branchContract,
  ...coverageContract,
  create: mutation({
    summary: 'Backs a database up by schedule',
    description:
      'The database is named by the field of its kind, such as postgresId, or by databaseId with ' +
      `databaseType; it must be of that kind. Kinds with backups: ${backupKindNames.join(', ')}.`,
    access: { class: 'protected', resources: [...databaseResources, destination] },
    input: z
      .object({
        ...settings,
        prefix: settings.prefix.optional().meta({
          description:
            'Path below the destination where the objects are stored; may be empty. Absent: the appName ' +
            'of the database',
        }),
        destinationId,
        databaseType: databaseType.optional().describe('Required with databaseId'),
        ...databaseFields,
        enabled: z.boolean().default(true),
      })
      .superRefine(checkDatabase),
    example: {
      databaseType: 'postgres',
      postgresId: 'V1StGXR8Z5jdHi6BmyT3k',
      destinationId: 'V1StGXR8Z5jdHi6BmyT3k',
      schedule: '0 3 * * *',
      prefix: 'shop',
      database: 'shop',
      keepLatestCount: 7,
    },
    output: backupRecord,
  }),
  one: query({ summary: 'One backup', access: own, input: id, output: backupRecord }),
  update: mutation({
    summary: 'Changes a backup; absent fields stay',
    description:
      'The database stays: a databaseType other than its own is refused. Objects stored before stay ' +
      'where they are.',
    access: { class: 'protected', resources: [...own.resources, destination] },
    input: id.extend(z.object(settings).partial().shape).extend({
      destinationId: destinationId.optional(),
      databaseType: databaseType.optional(),
      enabled: z.boolean().optional(),
    }),
    output: backupRecord,
  }),
  remove: mutation({
    summary: 'Removes a backup and its schedule; the stored objects stay',
    access: own,
    input: id,
    output: backupRecord,
  }),
  byDatabase: query({
    summary: 'The backups of a database, newest first',
    description:
      'The database is named by the field of its kind, such as postgresId, or by databaseId together ' +
      'with databaseType.',
    access: { class: 'protected', resources: databaseResources },
    input: z
      .object({
        ...databaseFields,
        databaseType: databaseType.optional().describe('Required with databaseId'),
        ...pageInput,
      })
      .superRefine(checkDatabase),
    example: { databaseType: 'postgres', postgresId: 'V1StGXR8Z5jdHi6BmyT3k' },
    output: listOf(backupRecord),
  }),
  all: query({
    summary: 'Every backup of the databases that you reach, newest first',
    access: { class: 'protected', resources: [] },
    input: z.object(pageInput),
    output: listOf(backupRecord),
  }),
  run: mutation({
    summary: 'Starts a backup of a database of any kind now and returns the run at once',
    description: 'backup.runLogs follows it; backup.runs shows its result.',
    access: { ...own, action: 'run' },
    input: id,
    output: backupRunRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  restore: mutation({
    summary: 'Starts to restore a stored object into a database and returns the run at once',
    description: 'Like backup.restoreBackupWithLogs; backup.runLogs gives its log.',
    access: {
      class: 'admin',
      resources: [{ kind: 'database', field: 'databaseId' }, destination],
      action: 'run',
    },
    input: restoreInput,
    example: restoreExample,
    output: backupRunRecord,
    refusals: ['CONFLICT', 'PRECONDITION_FAILED'],
  }),
  [databaseKinds.mariadb.manualBackup]: manual('mariadb'),
  [databaseKinds.mysql.manualBackup]: manual('mysql'),
  [databaseKinds.postgres.manualBackup]: manual('postgres'),
  [databaseKinds.mongo.manualBackup]: manual('mongo'),
  verify: mutation({
    summary: 'Restores the newest object of a backup into a database of its own, as a trial, and checks it',
    description:
      'Returns the run when it has succeeded. The database of the trial is removed again; the running ' +
      'one is not touched. The first object after each change of schema, image or settings is tried in ' +
      'this way by itself. `restoredAt` of the object tells when it succeeded last.',
    access: { ...own, action: 'run' },
    input: id,
    output: backupRunRecord,
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  runs: query({
    summary: 'The runs of a backup, newest first, each with the result of every step',
    access: own,
    input: id.extend(pageInput),
    output: listOf(backupRunRecord),
  }),
  runsByDatabase: query({
    summary: 'The runs of every backup, restore and trial of a database, newest first',
    access: { class: 'protected', resources: [{ kind: 'database', field: 'databaseId' }] },
    input: z.object({ databaseId: serviceId, ...pageInput }),
    output: listOf(backupRunRecord),
  }),
  cancel: mutation({
    summary: 'Ends a backup, restore or trial that waits or runs, and removes what it was making',
    description:
      'The run ends as an error that says so. Objects that were stored before stay. A restore that is ' +
      'changing over to what it loaded is refused with CONFLICT.',
    access: { ...ownRun, action: 'run' },
    input: runId,
    output: backupRunRecord,
    refusals: ['CONFLICT', 'PRECONDITION_FAILED'],
  }),
  undoRestore: mutation({
    summary: 'Puts back what a restore replaced; answers with the run at once',
    description:
      'A database inside its server takes its name again, and a volume is used again as ' +
      'backup.useFormerVolume says. What was restored is kept in the place of the former state, as ' +
      '`previousDatabase` or `previousVolume` of this run, so that it can be undone as well. ' +
      'backup.runLogs follows it.',
    access: { ...ownRun, class: 'admin', action: 'run' },
    input: runId,
    output: backupRunRecord,
    refusals: ['CONFLICT', 'PRECONDITION_FAILED'],
  }),
  useFormerVolume: mutation({
    summary: 'Puts back a volume that a restore, an upgrade or a move replaced; answers with the run at once',
    description:
      'The service is released again on it: a database with the image and version that it had there. If it ' +
      'does not become healthy, it goes back to the volume that it has now. That one is kept among the ' +
      'former volumes, so that this can be undone as well. backup.runLogs follows it. The databases of ' +
      'MySQL, MariaDB and MongoDB servers share one volume, and go back together.',
    access: {
      class: 'admin',
      resources: [
        { kind: 'database', field: 'databaseId' },
        { kind: 'application', field: 'applicationId' },
        { kind: 'compose', field: 'composeId' },
      ],
      action: 'run',
    },
    input: z
      .object({
        databaseId: serviceId.nullish(),
        applicationId: serviceId.nullish(),
        composeId: serviceId.nullish(),
        volumeName: line(300).min(1).describe('As given by cleanup.formerVolumes'),
      })
      .superRefine(({ databaseId, applicationId, composeId }, context) => {
        if ([databaseId, applicationId, composeId].filter(Boolean).length !== 1)
          context.addIssue({
            code: 'custom',
            path: ['databaseId'],
            message: 'is required, or applicationId or composeId, and only one of them',
          });
      }),
    example: { databaseId: 'V1StGXR8Z5jdHi6BmyT3k', volumeName: 'berth-data-V1StGXR8Z5jdHi6BmyT3k' },
    output: backupRunRecord,
    refusals: ['CONFLICT', 'PRECONDITION_FAILED'],
  }),
  runLogs: subscription({
    summary: 'The log of a run as a live stream that can be resumed',
    access: ownRun,
    input: runId,
    output: logEvent,
  }),
  listFiles: query({
    summary: 'The objects stored at a destination, newest first',
    description:
      'Objects of every backup are stored there, so only Owner and Admin may list them. What is not ' +
      'complete and verified is not listed.',
    access: { class: 'admin', resources: [destination] },
    input: z.object({
      destinationId,
      search: z.string().max(500).optional().describe('Part of the path'),
      ...pageInput,
    }),
    output: listOf(
      z.object({
        path: z.string(),
        bytes: z.number(),
        modifiedAt: z.string(),
        restoredAt: z
          .string()
          .nullable()
          .describe('When it was last restored on trial; null: never, or not made by this Berth'),
      }),
    ),
    refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  restoreBackupWithLogs: subscription({
    summary:
      'Restores a stored object into a database, as a live stream of lines that ends in success or error',
    description:
      'The object is loaded into a new volume next to the running database and checked there; only then ' +
      'does the database switch to it, with the users and passwords of its record. Other databases of the ' +
      'same server are carried over as they are. The volume with the previous state is kept, among ' +
      '`formerVolumes` of the database, until `removeFormerVolume` of its kind. A restore is a job of its ' +
      'own and continues when the caller leaves; a reader that reconnects with its last event id follows ' +
      'the same one. The object may be any at the destination, so only Owner and Admin may restore.',
    access: {
      class: 'admin',
      resources: [{ kind: 'database', field: 'databaseId' }, destination],
      action: 'run',
    },
    input: restoreInput,
    example: restoreExample,
    output: logEvent,
    changes: true,
    whole: wholeLog,
    refusals: ['CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
};
