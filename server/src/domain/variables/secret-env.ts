/**
 * Variables that are written and never read back (decisions 5, secretEnv): names and when each changed are
 * all that is shown.
 */
import { formatEnv, parseEnv } from './dotenv.ts';
import { AppError, badField } from '../errors.ts';

export interface SecretName {
  name: string;
  /** ISO 8601. */
  changedAt: string;
}

/** By name; kept as JSON in an encrypted column, empty for none. */
type Stored = Record<string, { value: string; changedAt: string }>;

const maxBytes = 500_000;

/** Names in their order. */
export function secretNames(stored: string): SecretName[] {
  return Object.entries(read(stored))
    .map(([name, { changedAt }]) => ({ name, changedAt }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** The values as a block of variables. */
export function secretBlock(stored: string): string {
  return formatEnv(
    Object.fromEntries(Object.entries(read(stored)).map(([name, { value }]) => [name, value])),
  );
}

export function secretValuesOf(stored: string): string[] {
  return Object.values(read(stored)).map(({ value }) => value);
}

export interface SecretChange {
  /** `KEY=VALUE` lines to set, the others stay; null: none stays. */
  set?: string | null | undefined;
  /** Names to take away. */
  remove?: readonly string[] | undefined;
}

/**
 * What is stored after a change; a value that is set again as it was keeps its time. Throws BAD_REQUEST
 * naming `field`.
 */
export function changedSecrets(
  stored: string,
  { set, remove = [] }: SecretChange,
  { field, now }: { field: string; now: string },
): string {
  const present: Stored = set === null ? {} : read(stored);
  for (const name of remove) Reflect.deleteProperty(present, name);
  for (const { name, value } of set ? parseEnv(set, field) : [])
    if (present[name]?.value !== value) present[name] = { value, changedAt: now };
  if (Object.keys(present).length === 0) return '';
  const text = JSON.stringify(present);
  if (Buffer.byteLength(text) > maxBytes)
    throw badField(
      field,
      `has more than ${maxBytes} bytes together with what is stored; remove some, or use files`,
    );
  return text;
}

/** Two as one; what both have is the stronger's. */
export function mergedSecrets(weaker: string, stronger: string): string {
  const all = { ...read(weaker), ...read(stronger) };
  return Object.keys(all).length === 0 ? '' : JSON.stringify(all);
}

function read(stored: string): Stored {
  const value: unknown = stored === '' ? {} : JSON.parse(stored);
  if (isStored(value)) return value;
  throw new AppError(
    'INTERNAL_SERVER_ERROR',
    'Secret variables cannot be read as they are stored. Set them again.',
  );
}

const isStored = (value: unknown): value is Stored =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isKept);

const isKept = (one: unknown): boolean =>
  typeof one === 'object' &&
  one !== null &&
  typeof Reflect.get(one, 'value') === 'string' &&
  typeof Reflect.get(one, 'changedAt') === 'string';
