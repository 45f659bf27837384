/** The five kinds of database (interface document, Database). What they differ in stands in `modules/database/kinds.ts`. */

export const databaseKindNames = ['mariadb', 'mysql', 'postgres', 'mongo', 'redis'] as const;
export type DatabaseKindName = (typeof databaseKindNames)[number];

/** The same thing for every kind. */
export function perDatabaseKind<T>(make: (kind: DatabaseKindName) => T): Record<DatabaseKindName, T> {
  return asRecord(databaseKindNames.map((kind) => [kind, make(kind)]));
}

/** The names above are the keys; the compiler cannot follow that through entries. */
function asRecord<T>(entries: [DatabaseKindName, T][]): Record<DatabaseKindName, T> {
  return Object.fromEntries(entries) as Record<DatabaseKindName, T>;
}
