/** What is asked of the programs of a kind of database. */
import type { Secret } from '../../../domain/secrets/secret.ts';

/** A database inside a running server, and who may do everything there. */
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
  /** Ending of an object's name, before that of the compression. */
  ending: string;
  /** Prints a consistent dump. */
  dump(target: DatabaseTarget): DatabaseProgram;
  /**
   * Makes the empty database, where the server has not made it at its first start; undefined: it comes with
   * the first load.
   */
  create?(target: DatabaseTarget): DatabaseProgram;
  /** Takes the dump on its input and stops at the first error. */
  load(target: DatabaseTarget): DatabaseProgram;
  /** Prints how many tables (collections, keys) the database has. */
  count(target: DatabaseTarget): DatabaseProgram;
  /** What it counts, in the singular. */
  counted: 'table' | 'key';
  /**
   * Prints the names of all databases that people made, one a line; undefined: a dump has the whole server.
   */
  list?(target: DatabaseTarget): DatabaseProgram;
  /**
   * Users of the server that stand outside its databases: printed as statements, and taken in where some are
   * there already.
   */
  roles?: { dump(target: DatabaseTarget): DatabaseProgram; load(target: DatabaseTarget): DatabaseProgram };
}
