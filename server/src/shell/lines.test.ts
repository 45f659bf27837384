import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineSplitter, maxLine } from './lines.ts';

function split(...chunks: (string | Uint8Array)[]): string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line));
  for (const chunk of chunks) splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  splitter.end();
  return lines;
}

describe('createLineSplitter', () => {
  test.each([
    [['a\nb\n'], ['a', 'b']],
    [
      ['a\n', '\n', 'b'],
      ['a', '', 'b'],
    ],
    [
      ['a\r', '\nb\r\n'],
      ['a', 'b'],
    ],
    [['1%\r2%\r3%\ndone'], ['3%', 'done']],
    [['1%\r', '2%\r', '100%\r'], ['100%']],
    [['a\r\r\nb'], ['a', 'b']],
    [['\r\n\r\n'], ['', '']],
    [['x\0y\n'], ['x\uFFFDy']],
    [[''], []],
  ])('%j gives %j', (chunks, lines) => expect(split(...chunks)).toEqual(lines));

  test('characters across chunks, and bytes that are none', () => {
    const euro = Buffer.from('€');
    expect(split(euro.subarray(0, 1), euro.subarray(1), '\n', Uint8Array.of(0xff, 0x41, 0x0a))).toEqual([
      '€',
      '\uFFFDA',
    ]);
  });

  test('where chunks end makes no difference', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '€', '\r', '\n', '\r\n', '😀'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(40)), (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
        expect(split(...ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)))).toEqual(
          split(bytes),
        );
      }),
    );
  });

  test('a huge line keeps its beginning and costs no more memory than that', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const lines = split(...Array.from({ length: 500 }, () => chunk), '\nnext\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toHaveLength(maxLine + ' … (the rest of this line was dropped)'.length);
    expect(lines[1]).toBe('next');
  });

  test('a line of exactly the limit is whole', () => {
    const line = 'x'.repeat(maxLine);
    expect(split(`${line}\r\n${line}\n`)).toEqual([line, line]);
  });
});
