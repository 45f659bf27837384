import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteArgv } from './quote.ts';

test('literals', () => {
  expect(quoteArgv(['git', '--depth', '1', "it's", '$(id)', '', '~', 'a b'])).toBe(
    `git --depth 1 'it'\\''s' '$(id)' '' '~' 'a b'`,
  );
});

test('a real shell takes the text apart into the same arguments', () => {
  const argument = fc.string({
    unit: fc.oneof(
      fc.constantFrom("'", '"', '\\', '$', '`', '\n', ' ', '~', '#', '=', '!', '*', ';', '\r', '-'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
  });
  const safe = argument.map((text) => text.replaceAll('\0', '').toWellFormed());
  fc.assert(
    fc.property(fc.array(safe, { minLength: 1, maxLength: 30 }), (argv) => {
      const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${quoteArgv(argv)}`], {
        encoding: 'utf8',
      });
      expect(printed.split('\0').slice(0, -1)).toEqual(argv);
    }),
    { numRuns: 60 },
  );
});

test('NUL is refused', () => {
  expect(() => quoteArgv(['a\0b'])).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
});
