import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { coerceQuery, parseInput } from './input.ts';
import { paginate } from './page.ts';

describe('input', () => {
  it('nested too deeply is refused before it exhausts the stack', () => {
    const deep: unknown = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect(() => parseInput(z.object({}), deep)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });

  const schema = z.object({ name: z.string().min(1), nested: z.object({ size: z.number() }).optional() });

  it('is parsed, unknown keys dropped, every fault named by its path', () => {
    expect(parseInput(schema, { name: 'a', more: 1 })).toEqual({ name: 'a' });
    expect(() => parseInput(schema, { name: '', nested: { size: 'x' } })).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        issues: [
          { path: 'name', message: expect.any(String) },
          { path: 'nested.size', message: expect.any(String) },
        ],
      }),
    );
    expect(() => parseInput(schema, undefined)).toThrow('name');
    expect(() => parseInput(schema, 'text')).toThrow('The input is not valid');
  });

  it('a missing field is said to be required, whatever its type', () => {
    const missing = z.object({
      text: z.string(),
      size: z.number(),
      kind: z.enum(['a', 'b']),
      is: z.boolean(),
      list: z.array(z.string()),
      either: z.union([z.string(), z.number()]),
      inner: z.object({ name: z.string() }),
      shape: z.discriminatedUnion('type', [z.object({ type: z.literal('x') })]),
    });
    const issues = Object.keys(missing.shape).map((path) => ({ path, message: 'is required' }));
    expect(() => parseInput(missing, undefined)).toThrow(
      expect.objectContaining({ message: 'The input is not valid. text is required.', issues }),
    );
    const innerMissing = { path: 'inner.name', message: 'is required' };
    expect(() => parseInput(missing.pick({ inner: true }), { inner: {} })).toThrow(
      expect.objectContaining({
        message: 'The input is not valid. inner.name is required.',
        issues: [innerMissing],
      }),
    );
  });

  it('with a NUL anywhere is refused, its place named', () => {
    for (const [raw, path] of [
      ['a\0', ''],
      [{ name: '\0' }, 'name'],
      [{ name: 'a', list: ['x', 'y\0'] }, 'list.1'],
      [{ a: { b: { c: '\0' } } }, 'a.b.c'],
    ] as const) {
      expect(() => parseInput(schema, raw)).toThrow(
        expect.objectContaining({ issues: [{ path, message: 'must not contain the NUL character' }] }),
      );
    }
  });
});

describe('text that cannot be kept as it is', () => {
  it('is refused, its place named: half a surrogate pair, and both faults in a key', () => {
    const schema = z.record(z.string(), z.unknown());
    for (const [raw, path] of [
      [{ name: 'a\ud800' }, 'name'],
      [{ list: ['\udc00\ud800'] }, 'list.0'],
      [{ labels: { 'a\0': 'x' } }, 'labels'],
      [{ labels: { '\udc00': 'x' } }, 'labels'],
    ] as const) {
      expect(() => parseInput(schema, raw)).toThrow(
        expect.objectContaining({ issues: [{ path, message: expect.any(String) }] }),
      );
    }
    expect(parseInput(schema, { name: '\u{1f468}' })).toEqual({ name: '\u{1f468}' });
  });
});

describe('query parameters', () => {
  const schema = z.object({
    text: z.string(),
    count: z.number().optional(),
    flag: z.boolean().default(false),
    list: z.array(z.string()).nullish(),
    both: z.number().nullable().optional(),
    kind: z.enum(['1', 'true']),
  });

  it('take the type of their schema, through optional, nullable and default', () => {
    expect(
      coerceQuery(schema, {
        text: '1',
        count: '2',
        flag: 'true',
        list: 'x',
        both: '-1.5',
        kind: '1',
        unknown: '3',
      }),
    ).toEqual({ text: '1', count: 2, flag: true, list: ['x'], both: -1.5, kind: '1', unknown: '3' });
    expect(coerceQuery(schema, { list: ['a', 'b'], count: ['1', '2'] })).toEqual({
      list: ['a', 'b'],
      count: 2,
    });
  });

  it('that do not fit stay text, so that the schema names them', () => {
    for (const value of ['', ' ', 'x', '1x', 'NaN', '١'])
      expect(coerceQuery(schema, { count: value })).toEqual({ count: value });
    for (const value of ['', '1', 'TRUE', 'yes'])
      expect(coerceQuery(schema, { flag: value })).toEqual({ flag: value });
  });

  it('never take a type from what a schema inherits', () => {
    expect(coerceQuery(schema, { constructor: '1', toString: 'true' })).toEqual({
      constructor: '1',
      toString: 'true',
    });
  });
});

describe('pages', () => {
  const idOf = (item: string): string => item;

  it('put together give the whole list once, for any sizes', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (items, limit) => {
          const seen: string[] = [];
          let cursor: string | undefined;
          do {
            const page = paginate(items, { limit, cursor }, idOf);
            const { items: some, nextCursor } = Array.isArray(page)
              ? { items: page, nextCursor: null }
              : page;
            expect(some.length).toBeLessThanOrEqual(limit);
            seen.push(...some);
            cursor = nextCursor ?? undefined;
          } while (cursor !== undefined);
          expect(seen).toEqual(items);
        },
      ),
    );
  });

  it('without a limit are the plain list; with an unknown cursor refused', () => {
    expect(paginate(['a', 'b'], { cursor: 'a' }, idOf)).toEqual(['a', 'b']);
    expect(() => paginate(['a', 'b'], { limit: 1, cursor: 'gone' }, idOf)).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST', issues: [expect.objectContaining({ path: 'cursor' })] }),
    );
  });
});
