import { badField } from './errors.ts';

/** What fills a database that is made of another one: nothing, what that has now, or its newest backup. */
export const branchOrigins = ['empty', 'copy', 'backup'] as const;

export type BranchOrigin = (typeof branchOrigins)[number];

/** A database that each preview of a service gets of its own. */
export interface PreviewDatabase {
  /** The one that it takes the place of. */
  databaseId: string;
  from: BranchOrigin;
  /** Statements that it is given before anybody reaches it. */
  mask?: string | undefined;
}

export type FindDatabase = (
  databaseId: string,
  organizationId: string,
) => Promise<{ environmentId: string; name: string; previewDeploymentId: string | null } | undefined>;

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
        `names ${database.name}, which is in another environment; variables refer to databases of their ` +
          'own environment only',
      );
    if (database.previewDeploymentId !== null)
      throw badField(field, `names ${database.name}, which is itself the database of a preview`);
    if (met.has(databaseId)) throw badField(field, `names ${database.name} a second time`);
    met.add(databaseId);
  }
}
