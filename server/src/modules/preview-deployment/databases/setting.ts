/** Which databases each preview of a service gets of its own, as the service's setting `previewDatabases`. */
import { z } from 'zod';
import { branchOrigins, type PreviewDatabase } from '../../../domain/branch-origin.ts';
import { secretText } from '../../../procedure/secret-fields.ts';
import { badField } from '../../../domain/errors.ts';
import { programGrant, type GrantFlag } from '../../../domain/access/permissions.ts';
import type { DatabaseRecord } from '../../../db/tables.ts';

export const previewDatabase = z
  .object({
    databaseId: z.string().min(1).max(100).describe('The database of the same environment'),
    from: z
      .enum(branchOrigins)
      .describe('What fills it: nothing, a dump of the running database, or its newest verified backup'),
    mask: z
      .string()
      .min(1)
      .max(30_000)
      .regex(/^[^\0]*$/, 'must not contain null characters')
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

export type FindDatabase = (
  databaseId: string,
  organizationId: string,
) => Promise<Pick<DatabaseRecord, 'environmentId' | 'name' | 'previewDeploymentId'> | undefined>;

/** Throws BAD_REQUEST for a database that a preview of the service cannot have one of its own in place of. */
export async function checkPreviewDatabases(
  wanted: readonly PreviewDatabase[] | undefined,
  { organizationId, environmentId }: { organizationId: string; environmentId: string },
  find: FindDatabase,
): Promise<void> {
  const met = new Set<string>();
  for (const [index, { databaseId }] of (wanted ?? []).entries()) {
    const field = `previewDatabases.${index}.databaseId`;
    const database = await find(databaseId, organizationId);
    if (!database) throw badField(field, 'is not a database of this organization');
    if (database.environmentId !== environmentId)
      throw badField(
        field,
        `names ${database.name}, which is in another environment; variables refer to databases of their own ` +
          'environment only',
      );
    if (database.previewDeploymentId !== null)
      throw badField(field, `names ${database.name}, which is itself the database of a preview`);
    if (met.has(databaseId)) throw badField(field, `names ${database.name} a second time`);
    met.add(databaseId);
  }
}
