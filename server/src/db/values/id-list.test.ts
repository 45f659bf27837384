import { expect, test } from 'vitest';
import type { CompiledQuery } from 'kysely';
import { idList } from './id-list.ts';

test('a list is filled up to a power of two with its last id, and each size is compiled once', () => {
  const sizes: number[] = [];
  const list = idList((placeholders) => {
    sizes.push(placeholders.length);
    const query: CompiledQuery<unknown> = {
      sql: `in ${placeholders.length}`,
      parameters: placeholders,
      query: { kind: 'RawNode', sqlFragments: [], parameters: [] },
      queryId: { queryId: 'x' },
    };
    return query;
  });
  expect(list.of([])).toBeUndefined();
  for (const [ids, filled] of [
    [['a'], ['a']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      ['a', 'b', 'c'],
      ['a', 'b', 'c', 'c'],
    ],
    [
      ['a', 'b', 'c', 'd', 'e'],
      ['a', 'b', 'c', 'd', 'e', 'e', 'e', 'e'],
    ],
    [
      ['x', 'y', 'z', 'w'],
      ['x', 'y', 'z', 'w'],
    ],
  ]) {
    expect(list.of(ids ?? [])?.ids).toEqual(filled);
  }
  expect(sizes).toEqual([1, 2, 4, 8]);
});
