/** Branches: new databases that are filled from what is stored of another one. */
import { z } from 'zod';
import { programGrant } from '../../domain/access/permissions.ts';
import { databaseKindNames } from '../../domain/database-kind.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { clientStatements, id as serviceId, trimmedLine } from '../service/contract-fields.ts';
import { keyOfObject } from './contract-settings.ts';

const optional = z.string().nullable();
const source = { kind: 'database', field: 'databaseId' } as const;
const year = 365 * 24;

export const branchRecord = z
  .object({
    databaseId: z.string().describe('The new database'),
    databaseType: z.enum(databaseKindNames),
    name: z.string(),
    appName: z.string(),
    environmentId: z.string(),
    sourceId: optional.describe('The database that it was made of; null once that is removed'),
    sourceName: z.string().describe('The name that the source had'),
    backupRunId: z.string().describe('The run that fills it; backup.runLogs has its log'),
    status: z
      .enum(['filling', 'ready', 'failed'])
      .describe('Nobody reaches it before it is ready; a failed one never becomes ready'),
    errorMessage: optional,
    path: z.string().describe('The object that it was filled from'),
    asOf: z.string().describe('The moment that its data are of'),
    moment: optional.describe('That moment when it was asked for; null: of a backup'),
    isMasked: z.boolean().describe('Whether it was made with a masking command'),
    expiresAt: optional.describe('When it is removed; null: never'),
    createdAt: z.string(),
  })
  .meta({ id: 'DatabaseBranch' });

export const branchContract = {
  branch: mutation({
    summary: 'Makes a new database with the data of another one and returns it at once',
    description:
      'A database of the same kind, image and settings on the same server, with passwords of its own, is ' +
      'filled from the newest verified backup, from one that `backupRunId` names, or (PostgreSQL with ' +
      'recovery) from the moment `at`. It is loaded and masked on a network of its own; only then does it ' +
      'start in its environment. When anything fails, it never starts, and its data are removed. ' +
      'backup.branches shows how far it is.',
    access: {
      class: 'protected',
      resources: [
        source,
        { kind: 'environment', field: 'environmentId' },
        { kind: 'backupRun', field: 'backupRunId' },
      ],
      grant: ['canCreateServices', 'canReadSecrets'],
      fieldGrants: [{ field: 'mask', grant: programGrant }],
      action: 'branch',
    },
    input: z.object({
      databaseId: serviceId.describe('The database whose data it gets'),
      name: trimmedLine.min(1),
      environmentId: serviceId.optional().describe('Absent: that of the source'),
      backupRunId: serviceId
        .optional()
        .describe('The run that made the backup, as backup.runsByDatabase gives it; absent: the newest'),
      at: z.iso
        .datetime({ offset: true })
        .optional()
        .describe('A moment of a PostgreSQL database with recovery: ISO 8601 with a time zone'),
      mask: clientStatements
        .optional()
        .describe(
          'What the client of its image is given before anybody reaches it: SQL (PostgreSQL in one ' +
            'transaction), commands for redis-cli one a line, JavaScript for mongosh. Its output is in ' +
            'the log',
        ),
      expiresInHours: z
        .number()
        .int()
        .min(1)
        .max(year)
        .optional()
        .describe('It is removed with its data after so many hours; absent: never'),
      ...keyOfObject,
    }),
    example: {
      databaseId: 'V1StGXR8Z5jdHi6BmyT3k',
      name: 'test',
      mask: "update users set email = id || '@example.com'",
      expiresInHours: 72,
    },
    output: branchRecord,
    refusals: ['BAD_REQUEST', 'CONFLICT', 'PRECONDITION_FAILED'],
  }),
  branches: query({
    summary: 'The branches made of a database, and the branch that it is itself, newest first',
    description: 'Those in environments that you do not reach are left out.',
    access: { class: 'protected', resources: [source] },
    input: z.object({ databaseId: serviceId, ...pageInput }),
    output: listOf(branchRecord),
  }),
};
