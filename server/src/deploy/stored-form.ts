/**
 * A stored release is JSON with the number of its form. An older form is brought up to date step by step, and
 * the result is parsed: what is stored is not trusted.
 */
import type { z } from 'zod';
import { AppError } from '../domain/errors.ts';

export type StoredFields = Readonly<Record<string, unknown>>;

export interface StoredForm<T> {
  /** How error messages name it. */
  what: string;
  /** From each form to the next; form 1 is stored without a number. */
  steps: readonly ((former: StoredFields) => StoredFields)[];
  schema: z.ZodType<T>;
}

const formOf = ({ steps }: Pick<StoredForm<unknown>, 'steps'>): number => steps.length + 1;

export function writeStored<T extends object>(form: StoredForm<T>, value: T): string {
  return JSON.stringify({ form: formOf(form), ...value });
}

/** Throws PRECONDITION_FAILED for the form of a newer Berth, INTERNAL_SERVER_ERROR for what is unreadable. */
export function readStored<T>(stored: StoredForm<T>, text: string): T {
  const { form = 1, ...fields } = asFields(JSON.parse(text), stored.what);
  if (typeof form !== 'number' || form > formOf(stored))
    throw new AppError(
      'PRECONDITION_FAILED',
      `${stored.what} was written by a newer Berth (form ${String(form)}; this one reads up to ` +
        `${formOf(stored)}). Upgrade Berth, or deploy the service again.`,
    );
  const present = stored.steps.slice(form - 1).reduce((former, step) => step(former), fields);
  const parsed = stored.schema.safeParse(present);
  if (parsed.success) return parsed.data;
  const { path = [], message = '' } = parsed.error.issues[0] ?? {};
  throw unreadable(stored.what, `${path.join('.')}: ${message}`);
}

function asFields(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw unreadable(what, 'not an object');
}

const unreadable = (what: string, why: string): AppError =>
  new AppError('INTERNAL_SERVER_ERROR', `${what} cannot be read as it is stored (${why}). Deploy again.`);

/** A field that holds an object, for steps that change its fields; empty when it holds anything else. */
export const fieldsIn = (fields: StoredFields, name: string): StoredFields => {
  const value = fields[name];
  return typeof value === 'object' && value !== null ? { ...value } : {};
};
