/**
 * The kinds of database (interface document, Database). What else they differ in stands in
 * `modules/database/kinds.ts`.
 */

export const databaseKindNames = ['mariadb', 'mysql', 'postgres', 'mongo', 'redis'] as const;
export type DatabaseKindName = (typeof databaseKindNames)[number];

/** Fields that only some kinds have. */
export type DatabaseField = 'databaseName' | 'databaseUser' | 'databaseRootPassword' | 'replicaSets';

export const databaseFields = {
  mariadb: ['databaseName', 'databaseUser', 'databaseRootPassword'],
  mysql: ['databaseName', 'databaseUser', 'databaseRootPassword'],
  postgres: ['databaseName', 'databaseUser'],
  mongo: ['databaseUser', 'replicaSets'],
  redis: [],
} as const satisfies Record<DatabaseKindName, readonly DatabaseField[]>;

/** What a new database of a kind is given: an account called like it, and passwords that Berth makes. */
export function newAccount(kind: DatabaseKindName, serviceName: string): Record<string, string> {
  const name = plainName(serviceName);
  const fields: readonly DatabaseField[] = databaseFields[kind];
  // An empty password is replaced by a generated one (interface document, Databases).
  const values = { databaseName: name, databaseUser: name, databaseRootPassword: '' };
  const own = Object.entries(values).filter(([field]) => fields.some((one) => one === field));
  return { databasePassword: '', ...Object.fromEntries(own) };
}

/** A name that every server takes without quotes. */
function plainName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '');
  return plain.slice(0, 30) || 'main';
}

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
