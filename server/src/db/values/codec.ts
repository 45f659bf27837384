/** The one place where stored values become product values and back. */
import { AppError } from '../../domain/errors.ts';
import type { Cipher } from './cipher.ts';
import type { Column, Columns, RecordOf, StoredValue } from './column.ts';

export function encodeValue(column: Column<unknown>, value: unknown, cipher: Cipher): StoredValue {
  if (value === null || value === undefined) return null;
  switch (column.kind) {
    case 'boolean':
      return value === true ? 1 : 0;
    case 'json':
      return JSON.stringify(value);
    case 'secret':
      return cipher.encrypt(textOf(value));
    case 'secretJson':
      return sealedJson(JSON.stringify(value), cipher);
    case 'number':
      return Number(value);
    case 'text':
    case 'choice':
      return textOf(value);
  }
}

export function decodeValue(column: Column<unknown>, stored: unknown, cipher: Cipher): unknown {
  if (stored === null || stored === undefined) return null;
  switch (column.kind) {
    case 'boolean':
      return stored === 1;
    case 'json':
      return column.parse?.(JSON.parse(textOf(stored)));
    case 'secret':
      return cipher.decrypt(textOf(stored));
    case 'secretJson':
      return column.parse?.(JSON.parse(openedJson(textOf(stored), cipher)));
    case 'choice':
      return chosen(column, textOf(stored));
    case 'number':
    case 'text':
      return stored;
  }
}

/** The default of such a column is an empty list, in which nothing is secret. */
const emptyList = '[]';

export function sealedJson(text: string, { encrypt }: Pick<Cipher, 'encrypt'>): string {
  return text === emptyList ? text : encrypt(text);
}

const openedJson = (stored: string, { decrypt }: Pick<Cipher, 'decrypt'>): string =>
  stored === emptyList ? stored : decrypt(stored);

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new AppError('INTERNAL_SERVER_ERROR', `A column of text was given a value of type ${typeof value}.`);
}

function chosen({ choices }: Column<unknown>, stored: string): string {
  if (choices?.has(stored)) return stored;
  throw new AppError(
    'INTERNAL_SERVER_ERROR',
    `A column of the database holds "${stored}" where only ${[...(choices ?? [])].join(', ')} can stand.`,
  );
}

const plans = new WeakMap<Columns, [string, Column<unknown>][]>();

/**
 * Turns a fresh row into a record, in place (a copy of 90 columns costs as much as reading them); columns
 * that the query left out stay away.
 */
export function decodeRow<C extends Columns>(
  columns: C,
  row: Record<string, unknown>,
  cipher: Cipher,
): RecordOf<C> {
  let plan = plans.get(columns);
  if (!plan) {
    plan = Object.entries(columns).filter(([, column]) => column.kind !== 'text' && column.kind !== 'number');
    plans.set(columns, plan);
  }
  for (const [name, column] of plan) {
    const stored = row[name];
    if (stored !== undefined) row[name] = decodeValue(column, stored, cipher);
  }
  return row as RecordOf<C>;
}
