/** Which databases each preview of a service gets of its own, as the service's setting `previewDatabases`. */
import { z } from 'zod';
import { branchOrigins } from '../../domain/branch-origin.ts';
import { secretText } from '../../procedure/secret-fields.ts';
import { clientStatements } from '../service/contract-fields.ts';
import { programGrant, type GrantFlag } from '../../domain/access/permissions.ts';

export const previewDatabase = z
  .object({
    databaseId: z.string().min(1).max(100).describe('The database of the same environment'),
    from: z
      .enum(branchOrigins)
      .describe('What fills it: nothing, a dump of the running database, or its newest verified backup'),
    mask: clientStatements
      .optional()
      .describe(
        'Statements for the client of its image before anybody reaches it, as in backup.branch. A preview ' +
          'of a fork gets no data without them',
      ),
  })
  .meta({ id: 'PreviewDatabase' });

/** As records show it, the statements to those who may read secrets. */
export const previewDatabaseRecord = previewDatabase
  .extend({ mask: secretText().optional() })
  .meta({ id: 'PreviewDatabaseRecord' });

/** As for a branch: the data of the database are read, and programs run in its image. */
export const previewDatabaseGrants: readonly { field: string; grant: GrantFlag }[] = (
  ['canCreateServices', 'canReadSecrets', programGrant] as const
).map((grant) => ({ field: 'previewDatabases', grant }));
