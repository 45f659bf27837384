/** What a compose file asks for, in one form for docker compose and for Berth. */
import { posix } from 'node:path';

/** Of one service, by keys of the file: values that compare by JSON. Absent: nothing is asked. */
export type Meaning = Record<string, unknown>;

/** Services by their names. */
export type Meanings = Record<string, Meaning>;

/** Without what asks for nothing; names in order, so that two of them compare as text. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]): [string, unknown] => [key, plain(inner)])
      .filter(([, inner]) => !isNothing(inner))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** A path of the file's own folder as `./path`. */
export const ownPath = (path: string): string => `./${posix.normalize(path).replace(/^\.\/?|\/+$/g, '')}`;

export const trimmed = (path: string): string => path.replace(/(.)\/+$/, '$1');
