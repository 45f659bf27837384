/** What JSON columns hold, parsed as it is read: a row that holds anything else is told, not believed. */
import type { z } from 'zod';
import { AppError } from '../../domain/errors.ts';

export type ParseJson<T> = (value: unknown) => T;

/** Read with every list, so it is looked at without a schema. */
export const words: ParseJson<string[]> = (value) => {
  if (Array.isArray(value) && value.every((one): one is string => typeof one === 'string')) return value;
  throw notStored('a list of texts');
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textByName: ParseJson<Record<string, string>> = (value) => {
  if (isObject(value) && hasOnly(value, isText)) return value;
  throw notStored('texts by name');
};

export const numberByName: ParseJson<Record<string, number>> = (value) => {
  if (isObject(value) && hasOnly(value, isNumber)) return value;
  throw notStored('numbers by name');
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';

function hasOnly<T>(
  value: Record<string, unknown>,
  is: (each: unknown) => each is T,
): value is Record<string, T> {
  for (const name in value) if (!is(value[name])) return false;
  return true;
}

/** By a schema, whose defaults stand for what rows of an earlier Berth lack. */
export function shaped<T>(what: string, schema: z.ZodType<T>): ParseJson<T> {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const { path = [], message = '' } = parsed.error.issues[0] ?? {};
    throw notStored(`${what} (${path.join('.')}: ${message})`);
  };
}

/** What whoever stored it has to judge. */
export const anything: ParseJson<unknown> = (value) => value;

const notStored = (what: string): AppError =>
  new AppError(
    'INTERNAL_SERVER_ERROR',
    `A column of the database should hold ${what} and holds something else. Restore it from a backup.`,
  );
