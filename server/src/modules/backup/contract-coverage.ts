/** Which data of an organization is backed up, and what is lacking. */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { query } from '../../procedure/procedure.ts';
import { serviceKindNames } from '../service/record-lists.ts';

const optional = z.string().nullable();

export const lackNames = ['backup', 'goodBackup', 'trial', 'recovery', 'key'] as const;

export const coverageRecord = z
  .object({
    coverageId: z.string().describe('Of this row in this list'),
    kind: z.enum(serviceKindNames),
    serviceId: z.string(),
    name: z.string().describe('Of the service'),
    projectId: z.string(),
    environmentId: z.string(),
    volumeName: optional.describe('Of an application or compose service: its volume; null for a database'),
    lacking: z
      .array(z.enum(lackNames))
      .describe(
        'backup: none is switched on; goodBackup: none that is stored was verified; trial: none was ever ' +
          'restored on trial (databases other than Redis); recovery: not every moment can be restored ' +
          '(PostgreSQL); key: some of it is encrypted for keys that Berth has not, so a restore asks for ' +
          'one and a trial is not possible',
      ),
    encrypted: z
      .boolean()
      .nullable()
      .describe('Whether everything that is stored of it is encrypted; null: nothing is stored'),
    lastGoodAt: optional.describe(
      'When the newest backup that is stored and verified was finished, or until when the recovery can ' +
        'restore; null: there is none',
    ),
    restoredAt: optional.describe('When a stored backup was last restored on trial; null: never'),
  })
  .meta({ id: 'BackupCoverage' });

export const coverageContract = {
  coverage: query({
    summary: 'Every database and volume that you reach, with what its backups lack; those that lack first',
    access: { class: 'protected', resources: [] },
    input: z.object(pageInput),
    output: listOf(coverageRecord),
  }),
};
