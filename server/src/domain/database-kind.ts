/**
 * The five kinds of database (interface document, Database). What they differ in stands in
 * `modules/database/kinds.ts`.
 */

export const databaseKindNames = ['mariadb', 'mysql', 'postgres', 'mongo', 'redis'] as const;
export type DatabaseKindName = (typeof databaseKindNames)[number];

/** The same thing for every kind. */
export function perDatabaseKind<T>(make: (kind: DatabaseKindName) => T): Record<DatabaseKindName, T> {
  return asRecord(databaseKindNames.map((kind) => [kind, make(kind)]));
}

/** The fields that name a database of each kind: `mariadbId`, `mysqlId`, … */
export type DatabaseIds<T> = { [K in DatabaseKindName as `${K}Id`]: T };

/** The same thing for the id field of every kind. */
export function perDatabaseId<T>(make: (kind: DatabaseKindName) => T): DatabaseIds<T> {
  return asIds(databaseKindNames.map((kind) => [`${kind}Id`, make(kind)]));
}

/** The id of a database under its own kind's field, null under the others. */
export function databaseIds(kind: string, databaseId: string | null): DatabaseIds<string | null> {
  return perDatabaseId((one) => (one === kind ? databaseId : null));
}

/** The names above are the keys; the compiler cannot follow that through entries. */
function asRecord<T>(entries: [DatabaseKindName, T][]): Record<DatabaseKindName, T> {
  return Object.fromEntries(entries) as Record<DatabaseKindName, T>;
}

function asIds<T>(entries: [string, T][]): DatabaseIds<T> {
  return Object.fromEntries(entries) as DatabaseIds<T>;
}
