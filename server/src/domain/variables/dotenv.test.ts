import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../../test/cpu-time.ts';
import { formatEnv, parseEnv, parseEnvLines } from './dotenv.ts';

const parsed = (text: string) => Object.fromEntries(parseEnv(text).map(({ name, value }) => [name, value]));

describe('parseEnv', () => {
  test.each([
    ['A=1', { A: '1' }],
    ['A=', { A: '' }],
    ['export A=1\r\n  export\tB = two words  \r\n', { A: '1', B: 'two words' }],
    ['\uFEFFA=1', { A: '1' }],
    ['# note\n\n   # note\nA=1 # note', { A: '1' }],
    ['A=a#b', { A: 'a#b' }],
    ['A=#fff', { A: '#fff' }],
    ['A= # only a note', { A: '' }],
    ['A="x # y" # note', { A: 'x # y' }],
    ['A="one\\ntwo\\t\\"q\\" \\\\n \\d"', { A: 'one\ntwo\t"q" \\n \\d' }],
    ['A=\'one\\n $(x) "q"\'', { A: 'one\\n $(x) "q"' }],
    ['A=`it\'s "so"`', { A: 'it\'s "so"' }],
    ['A="first\nsecond\r\nthird"\nB=2', { A: 'first\nsecond\nthird', B: '2' }],
    ['A={"a":"b=c"}', { A: '{"a":"b=c"}' }],
    ['A=1\nA=2', { A: '2' }],
    ['a.b-c=1', { 'a.b-c': '1' }],
    ['A=$(rm -rf /);`id`', { A: '$(rm -rf /);`id`' }],
    ['export=1', { export: '1' }],
    ['', {}],
  ])('%j', (text, expected) => expect(parsed(text)).toEqual(expected));

  test.each([
    ['A', 'line 1: has no "="'],
    ['A=1\n\nsecret-value', 'line 3: has no "="'],
    ['1A=1', 'line 1: has no valid name'],
    ['A B=1', 'line 1: has no valid name'],
    ['=1', 'line 1: has no valid name'],
    ['$(id)=1', 'line 1: has no valid name'],
    ['A="1\n2"\nB="open\n', 'line 3: opens a quote (") that is never closed'],
    ["A='1'2", "line 1: has text after the closing quote (')"],
    ['A=1\nB=\0', 'line 2: contains a NUL'],
    [`${'N'.repeat(5000)}=1`, 'line 1: has a name of more than'],
  ])('refuses %j', (text, sentence) => {
    expect(() => parseEnv(text, 'env')).toThrow(`env: ${sentence}`);
  });

  test('a refusal never repeats a value', () => {
    expect(() => parseEnv('A="hunter2')).toThrow(expect.not.stringContaining('hunter2'));
    expect(() => parseEnv('hunter2')).toThrow(expect.not.stringContaining('hunter2'));
  });

  test('__proto__ is a variable like any other', () => {
    expect(parseEnv('__proto__=1')).toMatchObject([{ name: '__proto__', value: '1', line: 1 }]);
  });

  test('a megabyte of anything ends soon', () => {
    for (const piece of ['A=1\n', 'A', '"', "A='", '=', ' ', 'A= #', '\\', 'A="\\"']) {
      const tookMs = cpuMs(() => {
        try {
          parseEnv(piece.repeat(1_000_000 / piece.length));
        } catch {
          // refused is as good as parsed here
        }
      });
      expect(tookMs).toBeLessThan(2000);
    }
  });
});

test('formatEnv is read back as it was', () => {
  const value = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', ''));
  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,20}$/);
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 4 }), (variables) => {
      expect(Object.entries(parsed(formatEnv(variables)))).toEqual(Object.entries({ ...variables }));
    }),
    { numRuns: 50 },
  );
});

test('parseEnvLines gives every line as it stands, the lines of one value together', () => {
  const text = '# note\n\nexport A = 1 # note\nB="first\nC=2"\nD=';
  const lines = parseEnvLines(text);
  expect(lines.map((line) => line.text).join('\n')).toBe(text);
  expect(lines.map(({ variable }) => variable?.name)).toEqual([undefined, undefined, 'A', 'B', 'D']);
  expect(parseEnvLines('A=1\r\nB=2\r\n').map((line) => line.text)).toEqual(['A=1', 'B=2']);
});
