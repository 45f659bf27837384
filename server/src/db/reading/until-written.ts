/** What a read came to, kept until the next write of any kind. */
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../database.ts';

/**
 * Gives what `read` gave for the same key and the same `records`, when nothing was written since; else reads.
 * `records` are what the caller had read before: somebody who read them before a write and asks after it must
 * not have the answer for theirs kept for others.
 */
export type ReadOnce<T> = (key: string, records: readonly object[], read: () => Promise<T>) => Promise<T>;

interface Kept<T> {
  /** What was kept last may be of an earlier generation than what asks now, and the other way round. */
  generation: number | string;
  records: readonly object[];
  answer: T;
}

/**
 * For what is dear to compute and asked for often, such as what a page shows of each service. When `most` are
 * kept, all are dropped.
 */
export function keepUntilWritten<T>(database: Pick<Database, 'generation'>, most: number): ReadOnce<T> {
  const kept = new Map<string, Kept<T>>();
  let keptOf: number | string | undefined;
  return async (key, records, read) => {
    const generation = await database.generation();
    if (generation === undefined) return read();
    if (keptOf !== generation) {
      kept.clear();
      keptOf = generation;
    }
    const known = kept.get(key);
    if (known?.generation === generation && isDeepStrictEqual(known.records, records)) return known.answer;
    const answer = await read();
    // A write while it was read may be in it only in part.
    if ((await database.generation()) !== generation) return answer;
    if (kept.size >= most) kept.clear();
    kept.set(key, { generation, records, answer });
    return answer;
  };
}
