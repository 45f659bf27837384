/** What a store sees of the database: compiled queries in, rows out, one transaction at a time. */
import type { CompiledQuery, Kysely } from 'kysely';
import type { Cipher } from './values/cipher.ts';
import type { NewEvent, Tables } from './tables.ts';

export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * Builds queries; it never runs them itself, so that every statement goes through the prepared-statement
   * cache below.
   */
  readonly builder: Kysely<Tables>;
  readonly cipher: Cipher;
  /**
   * Runs a compiled query, with other parameters than it was compiled with when given, and gives its rows
   * (RETURNING included). Inside `transaction` it belongs to the transaction.
   */
  run<R>(query: CompiledQuery<R>, parameters?: readonly unknown[]): Promise<R[]>;
  /** Runs a statement that changes rows and gives how many it changed. */
  change(query: CompiledQuery<unknown>, parameters?: readonly unknown[]): Promise<number>;
  /** Runs plain SQL of a migration. */
  script(sql: string): Promise<void>;
  /**
   * All or nothing. A transaction inside a transaction joins the outer one. Work that `waitsForNothing` but
   * this database may be committed together with what waits beside it; any other work may wait for whoever
   * waits for this database, too.
   */
  transaction<T>(work: () => Promise<T>, options?: { waitsForNothing: boolean }): Promise<T>;
  /**
   * Work inside a transaction that is taken back alone when it throws, so that the transaction can go on; one
   * attempt at a time. Outside it is a transaction.
   */
  attempt<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Stores an event with what the transaction under way changes, or by itself outside of one; nothing is
   * stored when the transaction, or the attempt inside it, is taken back.
   */
  tell(event: NewEvent): Promise<void>;
  /** Calls `listener` after each commit that stored events; gives the function that ends it. */
  onTold(listener: () => void): () => void;
  /**
   * Another one after each write that may have changed rows: what was read under the same generation is still
   * true. Undefined where that is not known: inside a transaction, and on PostgreSQL while something is
   * written.
   */
  generation(): Promise<number | string | undefined>;
  /**
   * Statements asked for so far, and how many of them were answered from what is kept; tests assert on
   * differences.
   */
  readonly statements: { count: number; kept: number };
  close(): Promise<void>;
}
