/**
 * Column kinds of the portable schema: TEXT and BIGINT only, everything else through these codecs (one schema
 * for SQLite and PostgreSQL).
 */

import type { ParseJson } from './stored-json.ts';

export type ColumnKind = 'text' | 'choice' | 'number' | 'boolean' | 'json' | 'secret' | 'secretJson';

/** A column; `T` is the type in the product, `null` included when the column is nullable. */
export interface Column<T> {
  readonly kind: ColumnKind;
  readonly nullable: boolean;
  /** Carries the type only. */
  readonly type?: T;
  /** Of `choice`: what it may hold. */
  readonly choices?: ReadonlySet<string>;
  /** Of `json` and `secretJson`: checks what is stored and gives it as the product sees it. */
  readonly parse?: ParseJson<T>;
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

/** The record of a table as the product sees it. */
export type RecordOf<C extends Columns> = {
  -readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never;
};

/** What the database holds for a column. */
export type StoredValue = string | number | null;
export type StoredRow<C extends Columns> = { [K in keyof C]: StoredOf<C[K]> };
type StoredOf<C> =
  C extends Column<infer T> ? (null extends T ? StoredBase<C> | null : StoredBase<C>) : never;
type StoredBase<C> =
  C extends Column<infer T>
    ? NonNullable<T> extends number | boolean
      ? number
      : NonNullable<T> extends string
        ? NonNullable<T>
        : string
    : never;

function column<T>(kind: ColumnKind, nullable: boolean): Column<T> {
  return { kind, nullable };
}

/**
 * `T` narrows the type alone: nothing checks it when a row is read. A column that holds one of a few known
 * words should be a `choice`.
 */
export const text = <T extends string = string>(): Column<T> => column<T>('text', false);
export const optionalText = <T extends string = string>(): Column<T | null> => column<T | null>('text', true);
export const number = (): Column<number> => column<number>('number', false);
export const optionalNumber = (): Column<number | null> => column<number | null>('number', true);
export const boolean = (): Column<boolean> => column<boolean>('boolean', false);
/** One of these texts; reading a row that holds another one throws. */
export const choice = <T extends string>(choices: readonly T[]): Column<T> => ({
  kind: 'choice',
  nullable: false,
  choices: new Set(choices),
});
export const optionalChoice = <T extends string>(choices: readonly T[]): Column<T | null> => ({
  kind: 'choice',
  nullable: true,
  choices: new Set(choices),
});
export const json = <T>(parse: ParseJson<T>): Column<T> => ({ kind: 'json', nullable: false, parse });
export const optionalJson = <T>(parse: ParseJson<T>): Column<T | null> => ({
  kind: 'json',
  nullable: true,
  parse,
});
/** Text that is encrypted at rest (AES-256-GCM); the empty string is stored as it is. */
export const secret = (): Column<string> => column<string>('secret', false);
export const optionalSecret = (): Column<string | null> => column<string | null>('secret', true);
/** JSON with secrets in it, encrypted at rest as a whole; an empty list is stored as it is. */
export const secretJson = <T>(parse: ParseJson<T>): Column<T> => ({
  kind: 'secretJson',
  nullable: false,
  parse,
});
