import { expect, test } from 'vitest';
import { linesRun } from './lines.ts';

const source = `/** A comment. */
import { a } from './a.ts';

export interface Shape {
  size: number;
}

export function half(shape: Shape): number {
  if (shape.size > 1) {
    return a(shape.size);
  }
  return 0;
}
`;

const at = (text: string): number => source.indexOf(text);

test('lines of code are those that ran or did not; comments, imports, types and brackets are none', () => {
  const whole = { startOffset: 0, endOffset: source.length, count: 1 };
  const inner = { startOffset: at('{\n    return a'), endOffset: at('  return 0'), count: 0 };
  const run = {
    url: '',
    functions: [
      { ranges: [whole] },
      { ranges: [{ startOffset: at('export function'), endOffset: source.length - 1, count: 2 }, inner] },
    ],
  };
  expect(linesRun(source, [run])).toEqual([true, true, false, true]);
  expect(linesRun(source, [])).toEqual([false, false, false, false]);
});
