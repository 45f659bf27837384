/**
 * Values of a compose file, read with the place they stand at. After interpolation numbers and booleans may
 * be texts (compose-spec, Interpolation). Pure.
 */
import { badField, type AppError } from '../../../domain/errors.ts';
import { splitWords } from '../../../domain/text/words.ts';
import type { YamlMap } from '../compose-file.ts';

/**
 * Where a value stands: `where` in the file (`services.web.ports`), `field` the input that the file came
 * from.
 */
export interface Place {
  field: string;
  where: string;
}

export const below = ({ field, where }: Place, key: string | number): Place => ({
  field,
  where: `${where}.${key}`,
});

/** BAD_REQUEST that names the place. */
export const fault = ({ field, where }: Place, what: string): AppError => badField(field, `${where} ${what}`);

export function textAt(value: unknown, place: Place): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw fault(place, 'must be a text');
}

export function mapAt(value: unknown, place: Place): YamlMap {
  if (value instanceof Map) return value;
  throw fault(place, 'must be a map');
}

/** A list; one text stands for a list of it. */
export function listAt(value: unknown, place: Place): unknown[] {
  if (Array.isArray(value)) return value;
  if (value instanceof Map || value === null) throw fault(place, 'must be a list');
  return [value];
}

export const textsAt = (value: unknown, place: Place): string[] =>
  listAt(value, place).map((item, index) => textAt(item, below(place, index)));

export function booleanAt(value: unknown, place: Place): boolean {
  if (typeof value === 'boolean') return value;
  // YAML 1.1's other words for them, which compose files have.
  if (typeof value === 'string' && /^(true|yes|on|1)$/i.test(value)) return true;
  if (typeof value === 'string' && /^(false|no|off|0|)$/i.test(value)) return false;
  throw fault(place, 'must be true or false');
}

export function wholeAt(
  value: unknown,
  place: Place,
  { least = 0, most = Number.MAX_SAFE_INTEGER }: { least?: number; most?: number } = {},
): number {
  const text = textAt(value, place).trim();
  const number = /^-?[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(number) || number < least || number > most)
    throw fault(
      place,
      `must be a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? ' on' : ` to ${most}`}`,
    );
  return number;
}

/** `key: value` or a list of `key=value` (null: the key alone). */
export function pairsAt(value: unknown, place: Place): [string, string | null][] {
  if (value instanceof Map)
    return [...value].map(([key, item]) => [
      String(key),
      item === null ? null : textAt(item, below(place, String(key))),
    ]);
  return listAt(value, place).map((item, index) => {
    const text = textAt(item, below(place, index));
    const equals = text.indexOf('=');
    return equals === -1 ? [text, null] : [text.slice(0, equals), text.slice(equals + 1)];
  });
}

/**
 * A command as a list of arguments, or one line that is split into words as a shell would, and never run by
 * one; absent for null.
 */
export function commandAt(value: unknown, place: Place): string[] | undefined {
  if (value === null) return undefined;
  return Array.isArray(value) ? textsAt(value, place) : splitWords(textAt(value, place), place.field);
}

const unitsMs: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const longestMs = 7 * 24 * 3_600_000;

/**
 * Milliseconds of `1m30s`, `10s`, `500ms`; a bare number means seconds (compose-spec, Specifying durations).
 */
export function durationAt(value: unknown, place: Place): number {
  const text = textAt(value, place).trim();
  if (/^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(text)) return bounded(Number(text) * 1000, place);
  const parts = [...text.matchAll(/([0-9]{1,9}(?:\.[0-9]{1,9})?)(us|ms|s|m|h)/gy)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text)
    throw fault(place, 'must be a duration such as 30s or 1m30s');
  return bounded(
    parts.reduce((sum, [, number = '0', unit = 's']) => sum + Number(number) * (unitsMs[unit] ?? 0), 0),
    place,
  );
}

function bounded(ms: number, place: Place): number {
  if (ms > longestMs) throw fault(place, 'must be at most a week');
  return Math.round(ms);
}

const unitBytes: Readonly<Record<string, number>> = {
  '': 1,
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
  t: 1024 ** 4,
};

/** Bytes of `512m`, `1gb`, `2048k` or a number of bytes (compose-spec, Specifying byte values). */
export function bytesAt(value: unknown, place: Place): number {
  const [whole, number = '', unit = ''] =
    /^([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([kmgt]?)i?b?$/i.exec(textAt(value, place).trim()) ?? [];
  const bytes = Math.floor(Number(number) * (unitBytes[unit.toLowerCase()] ?? 1));
  if (whole === undefined || !Number.isSafeInteger(bytes))
    throw fault(place, 'must be a number of bytes such as 512m or 1g');
  return bytes;
}

/** Nano-CPUs of a number of cores. */
export function coresAt(value: unknown, place: Place): number {
  const cores = Number(textAt(value, place).trim() || Number.NaN);
  if (!(cores >= 0.001 && cores <= 4096)) throw fault(place, 'must be a number of cores from 0.001 to 4096');
  return Math.round(cores * 1e9);
}

/** One of some words. */
export function wordAt<const W extends string>(value: unknown, place: Place, words: readonly W[]): W {
  const text = textAt(value, place);
  const found = words.find((word) => word === text);
  if (found === undefined) throw fault(place, `must be ${words.join(' or ')}`);
  return found;
}

/** Of those with the same key the last one, in the place of the first (compose-go, EnforceUnicity). */
export const lastOfEach = <T>(items: readonly T[], keyOf: (item: T) => string): T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];
