import { describe, expect, it } from 'vitest';
import { parseRegex } from './regex.ts';

describe('a regular expression for the proxy', () => {
  it.each<[string, number, string[]?]>([
    ['^https?://www\\.(.+)', 1],
    ['^/old/(.*)$', 1],
    ['/a|/b|', 0],
    ['(?i)/Shop(?:/|$)', 0],
    ['(?P<year>[0-9]{4})-(?P<month>\\d\\d)', 2, ['year', 'month']],
    ['((a)(b(c)))', 4],
    ['a*?b+?c??d{2}e{2,}f{2,3}?', 0],
    ['[]a-z[:digit:]\\]^-]', 0],
    ['[^]/]+', 0],
    ['\\Qa.b*(\\E+', 0],
    ['\\A\\/x\\.html\\z', 0],
    ['\\x41\\x{1F600}\\t\\pL\\p{Lu}\\P{^Nd}', 0],
    ['(?s-i:.)(?U)x+', 0],
    ['(?:(?:a{10}){10}){10}', 0],
    ['}', 0],
    ['a(?-i)b', 0],
    ['()', 1],
    ['ä[ö-ü]', 0],
  ])('%s', (text, groups, names = []) => {
    expect(parseRegex(text)).toEqual({ groups, names });
  });

  it.each([
    ['', 'empty'],
    ['a(?=b)', 'look-around'],
    ['a(?!b)', 'look-around'],
    ['(?<=a)b', 'look-around'],
    ['(?<!a)b', 'look-around'],
    ['(?>a)', 'atomic'],
    ['(a)\\1', 'back-reference'],
    ['(?P<n>a)\\k<n>', 'back-reference'],
    ['(?P<n>a)(?P=n)', 'refers back'],
    ['(?R)', 'refers back'],
    ['(?<n>a)', '(?P<name>…)'],
    ['(?#x)', 'in a form'],
    ['(?P<a b>x)', 'in a form'],
    ['(?P<n>a)(?P<n>b)', 'two groups'],
    ['a*+', 'two repetitions'],
    ['a++', 'two repetitions'],
    ['a**', 'two repetitions'],
    ['a{2}{3}', 'two repetitions'],
    ['*a', 'nothing before'],
    ['(|+)', 'nothing before'],
    ['(?i)*', 'repeats flags'],
    ['a{1001}', '1000'],
    ['a{3,2}', 'upside down'],
    ['(?:a{100}){11}', '1000'],
    ['(?:(?:a{10}){10}){11}', '1000'],
    ['(?:.{300}x|y.{300}){3}(?:.{300}x|y.{300}){3}(?:.{300}x|y.{300}){3}(?:.{300}x|y.{300}){3}', 'steps'],
    ['{env.HOME}', '"{"'],
    ['a{,3}', '"{"'],
    ['a{01}', '"{"'],
    ['(a', 'without its'],
    ['a)', 'without its'],
    ['[a', 'without its'],
    ['[', 'without its'],
    ['[]', 'without its'],
    ['[z-a]', 'upside down'],
    ['[a-\\d]', 'escape'],
    ['[[:word:][:nope:]]', '[:name:]'],
    ['\\Z', 'escape'],
    ['\\C', 'escape'],
    ['\\', 'escape'],
    ['\\Qopen', '\\E'],
    ['\\Q\\Ea\\E', '\\E'],
    ['\\p{Greek}', 'escape'],
    ['\\x{110000}', 'no character'],
    ['[\\b]', 'escape'],
    ['a'.repeat(501), '500'],
    ['('.repeat(500), 'without its'],
  ])('not %s', (text, why) => {
    expect(() => parseRegex(text)).toThrow(why);
  });

  it('is refused by the name of its field', () => {
    expect(() => parseRegex('(?=a)', 'pattern')).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        issues: [{ path: 'pattern', message: expect.stringContaining('look-around') }],
      }),
    );
  });
});
