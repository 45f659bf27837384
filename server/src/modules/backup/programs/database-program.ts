/** The programs that each kind of database must have for backups. */
import type { Secret } from '../../../domain/secrets/secret.ts';
import type { Bytes } from '../runs/unpack/bytes.ts';
import type { PlainDump } from './dump-parts.ts';

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
  /** In a container without network, with few rights and its own limits, since strangers made its input. */
  isAlone?: true;
  /** May take longer than a question: it runs in a container of its own, which can be ended. */
  isLong?: true;
}

/** How a dump of strangers is loaded; absent where a dump holds no statements. */
export interface ForeignPrograms {
  /** The dump without commands of its client and parts of other databases; an archive as it is. */
  part(source: Bytes, dump: PlainDump): Bytes;
  /**
   * Loads the dump on its input into a throw-away server in its own container, by a login without the rights
   * of an administrator, and prints what that server dumps of it.
   */
  clean(target: DatabaseTarget, options: { leavesOut: boolean }): DatabaseProgram;
  /** Loads what `clean` printed, by a login without the rights of an administrator. */
  load(target: DatabaseTarget): DatabaseProgram;
  /** Lets the user of `load` do it. */
  allow?(target: DatabaseTarget): DatabaseProgram;
}

/** The databases of one restore inside a running server. */
export interface InPlaceNames {
  /** The new one, until it takes the name. */
  fresh: string;
  /** The name of the one before afterwards. */
  former: string;
  /** The new one is a state that is put back: `clear` leaves it. */
  keepsFresh?: true;
}

/**
 * Where a database cannot be loaded under another name: it is loaded into a server beside, and its tables and
 * definitions are copied from there.
 */
export interface CopyPrograms {
  /** Prints why this version of the server is not restored inside; nothing where it is. */
  hindrance(target: DatabaseTarget): DatabaseProgram;
  /**
   * Prints the character set and the order of a database; nothing where it is absent. Fails where others
   * refer to its tables.
   */
  encoding(target: DatabaseTarget): DatabaseProgram;
  encode(target: DatabaseTarget, encoding: [charset: string, collation: string]): DatabaseProgram;
  /** Prints the statements for all that is not in tables. */
  definitions(target: DatabaseTarget): DatabaseProgram;
  /** Removes what `definitions` prints. */
  bare(target: DatabaseTarget): DatabaseProgram;
  /** Prints tables and rows alone. */
  tables(target: DatabaseTarget): DatabaseProgram;
  /** Prints the names of the tables. */
  names(target: DatabaseTarget): DatabaseProgram;
  /** Loads what `tables` printed into the new database. */
  fill(target: DatabaseTarget, names: InPlaceNames): DatabaseProgram;
  /** Keeps what `definitions` printed in the new database, until it takes the name. */
  keep(target: DatabaseTarget, names: InPlaceNames): DatabaseProgram;
}

/** A restore inside the running server, which touches no other database of it. */
export interface InPlacePrograms {
  /** Makes the new database empty, with owner, encoding, locale, settings and rights of the present one. */
  create(target: DatabaseTarget, names: InPlaceNames): DatabaseProgram;
  /** Exchanges both, ending connections that hold them, or changes nothing. One broken off goes on. */
  change(target: DatabaseTarget, names: InPlaceNames): DatabaseProgram;
  /**
   * Removes the new database, and lets connections to the present one again. A change that was broken off is
   * finished or taken back.
   */
  clear(target: DatabaseTarget, names: InPlaceNames): DatabaseProgram;
  /** Prints 1 when there is a database of this name, otherwise 0. */
  has(target: DatabaseTarget, name: string): DatabaseProgram;
  beside?: CopyPrograms;
}

export interface LoadOptions {
  /** Owners and rights are restored: their roles are there. */
  hasRoles: boolean;
  /** Goes on after a statement that fails. */
  leavesOut?: boolean;
  /** Into a temporary server, which lacks what the machine of the running one may have. */
  isTemporary: boolean;
}

export interface DatabasePrograms {
  /** Ending of an object's name, before the ending of the compression. */
  ending: string;
  /** Prints a consistent dump. */
  dump(target: DatabaseTarget): DatabaseProgram;
  /** Prints the schema without data; `unmark` matches what differs between two prints of one schema. */
  schema?(target: DatabaseTarget): { program: DatabaseProgram; unmark: RegExp };
  /**
   * Creates the empty database where the server did not at its first start; undefined: the first load creates
   * it.
   */
  create?(target: DatabaseTarget): DatabaseProgram;
  /** Reads the dump from its input and stops at the first error. */
  load(target: DatabaseTarget, options?: LoadOptions): DatabaseProgram;
  /** Prints what an object has to carry besides the dump, as JSON. */
  notes?(target: DatabaseTarget): DatabaseProgram;
  /** Makes the server ready for a load: with roles and limits that it needs. */
  prepare?(target: DatabaseTarget, notes: string | undefined): DatabaseProgram | undefined;
  foreign?: ForeignPrograms;
  inPlace?: InPlacePrograms;
  /** A dump may name other databases than the one that it is loaded into. */
  mayNameOthers?: boolean;
  /** Prints how many tables (collections, keys) the database has. */
  count(target: DatabaseTarget): DatabaseProgram;
  /** What `count` counts, in the singular. */
  counted: 'table' | 'key';
  /**
   * Prints the names of all databases that users created, one a line; undefined: a dump has the whole server.
   */
  list?(target: DatabaseTarget): DatabaseProgram;
}
