/** The one place where stored values become product values and back. */
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
      return cipher.encrypt(String(value));
    case 'number':
      return Number(value);
    case 'text':
      return String(value);
  }
}

export function decodeValue(column: Column<unknown>, stored: unknown, cipher: Cipher): unknown {
  if (stored === null || stored === undefined) return null;
  switch (column.kind) {
    case 'boolean':
      return stored === 1;
    case 'json':
      return JSON.parse(String(stored));
    case 'secret':
      return cipher.decrypt(String(stored));
    case 'number':
    case 'text':
      return stored;
  }
}

const plans = new WeakMap<Columns, [string, Column<unknown>][]>();

/** Reads a whole row; columns that the query left out stay away. */
export function decodeRow<C extends Columns>(columns: C, row: Record<string, unknown>, cipher: Cipher): RecordOf<C> {
  let plan = plans.get(columns);
  if (!plan) {
    plan = Object.entries(columns).filter(([, column]) => column.kind !== 'text' && column.kind !== 'number');
    plans.set(columns, plan);
  }
  const record: Record<string, unknown> = { ...row };
  for (const [name, column] of plan) {
    if (name in record) record[name] = decodeValue(column, record[name], cipher);
  }
  return record as RecordOf<C>;
}
