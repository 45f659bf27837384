/** The programs that each kind of database must have for backups. */
import type { Secret } from '../../../domain/secrets/secret.ts';

/** A database on a running server, with a user who has all permissions there. */
export interface DatabaseTarget {
  host: string;
  user: string;
  password: string;
  rootPassword: string;
  /** Name of the database inside the server. */
  database: string;
}

export interface DatabaseProgram {
  argv: readonly [string, ...string[]];
  env: Record<string, string | Secret>;
}

export interface DatabasePrograms {
  /** Ending of an object's name, before the ending of the compression. */
  ending: string;
  /** Prints a consistent dump. */
  dump(target: DatabaseTarget): DatabaseProgram;
  /**
   * Creates the empty database where the server did not at its first start; undefined: the first load creates
   * it.
   */
  create?(target: DatabaseTarget): DatabaseProgram;
  /** Reads the dump from its input and stops at the first error. */
  load(target: DatabaseTarget): DatabaseProgram;
  /** Prints how many tables (collections, keys) the database has. */
  count(target: DatabaseTarget): DatabaseProgram;
  /** What `count` counts, in the singular. */
  counted: 'table' | 'key';
  /**
   * Prints the names of all databases that users created, one a line; undefined: a dump has the whole server.
   */
  list?(target: DatabaseTarget): DatabaseProgram;
  /**
   * Users of the server, which are not part of a database: `dump` prints them as statements, and `load`
   * accepts users that exist already.
   */
  roles?: { dump(target: DatabaseTarget): DatabaseProgram; load(target: DatabaseTarget): DatabaseProgram };
}
