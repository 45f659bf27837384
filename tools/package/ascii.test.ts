import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { escapeCharacters } from './ascii.ts';

test('what is escaped means what it meant', () => {
  const programs = [
    '"a – b…"',
    '`${"é"} ≤ 😀`',
    "'\\\\–' + '\\n–'",
    '/[–—]+/u.exec("a—–b")[0]',
    '/😀/u.test("😀")',
    '({ größe: 1 }).größe',
  ];
  for (const program of programs) {
    const escaped = escapeCharacters(program);
    expect(escaped).toMatch(/^\p{ASCII}*$/u);
    expect([program, runInNewContext(escaped)]).toEqual([program, runInNewContext(program)]);
  }
});

test('a character after a backslash is refused: escaped it would be another', () => {
  expect(() => escapeCharacters("'\\–'")).toThrow('after a backslash');
});
