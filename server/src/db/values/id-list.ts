/**
 * Statements with a list of ids: compiled for each power of two and kept, so that no length of a list makes a
 * statement of its own.
 */
import type { CompiledQuery } from 'kysely';

export interface IdList<R> {
  /**
   * The statement for a list of this length, and the list with its last id repeated until it fits; undefined
   * for no ids.
   */
  of(ids: readonly string[]): { query: CompiledQuery<R>; ids: string[] } | undefined;
}

export function idList<R>(build: (placeholders: string[]) => CompiledQuery<R>): IdList<R> {
  const compiled = new Map<number, CompiledQuery<R>>();
  return {
    of(ids) {
      const last = ids.at(-1);
      if (last === undefined) return undefined;
      const size = 2 ** Math.ceil(Math.log2(ids.length));
      const query = compiled.get(size) ?? build(Array.from({ length: size }, () => ''));
      compiled.set(size, query);
      return { query, ids: [...ids, ...Array.from({ length: size - ids.length }, () => last)] };
    },
  };
}
