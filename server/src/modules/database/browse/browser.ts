/**
 * How the contents of a kind of database are read: scripts for `sh` in the server's container, and what they
 * print as rows. Pure: texts and values, run elsewhere.
 */
import type { DatabaseRecord } from '../../../db/tables.ts';
import { execKeptBytes } from '../../../ports/engine/engine-program.ts';
import { lines, type Script } from '../kinds/server.ts';

export interface TableName {
  schema: string;
  table: string;
}

export interface Window {
  limit: number;
  offset: number;
}

/** Rows as text; null is the database's null. */
export interface Rows {
  columns: string[];
  rows: (string | null)[][];
}

/** Reads what a script printed; a last row that is not whole is left out. */
export interface Reading {
  script: Script;
  rowsOf(output: string): Rows;
}

export interface SqlBrowser {
  /** Columns: schema, name, kind (`table` or `view`), estimated rows, size in bytes. */
  tables(record: DatabaseRecord, limit: number): Reading;
  /** A cell has at most `cellLength` characters. */
  rows(record: DatabaseRecord, table: TableName, window: Window): Reading;
  /**
   * Columns: what the row is, then four texts. `running`: statement, login, seconds, state. `counted`:
   * statement, calls, milliseconds of one, of all. One row `counts` where the server counts statements.
   */
  statements(record: DatabaseRecord, limit: number): Reading;
  /** How the server would count what its statements take. */
  countingHint: string;
  /** One statement in a read-only transaction. */
  query(record: DatabaseRecord, statement: string, limit: number): Reading;
}

export const cellLength = 1000;

/** Of an answer; the rest of the output's room is for the end of what the client says. */
export const answerBytes = execKeptBytes - 4096;

/** The server ends a statement after this time. */
export const statementSeconds = 10;
/** The client is ended after this time, whatever it waits for. */
const clientSeconds = 20;
/** Nobody waits longer for an answer of the container. */
export const answerLimitMs = 30_000;

/** What stands in `$ASK` goes into the client; the last line of stderr is its exit code. */
export function boundedScript(client: string, before: readonly string[] = []): string {
  return lines(
    ...before,
    `{ printf '%s\\n' "$ASK" | timeout ${clientSeconds} ${client}; echo "exit $?" >&2; } | ` +
      `head -c ${answerBytes}`,
  );
}

export const hex = (text: string): string => Buffer.from(text).toString('hex');
