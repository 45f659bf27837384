/** What fills a database that is made of another one: nothing, what it has now, or its newest verified backup. */
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
