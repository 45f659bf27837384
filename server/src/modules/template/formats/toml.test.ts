import { expect, it } from 'vitest';
import { parseToml } from './toml.ts';

it('reads tables, lists of tables and every kind of text', () => {
  const text = [
    '# a comment',
    'title = "a \\"b\\" \\u00e9 \\q" # more',
    "path = 'C:\\x'",
    '[variables]',
    'port = 8_000',
    'ratio = -1.5',
    'on = true',
    'day = 2026-11-27T00:00:00Z',
    'long = """',
    'first',
    'second "quoted" \\',
    '   joined"""',
    "raw = '''a\n$b'''",
    '"quoted key".inner = 1',
    '[[config.domains]]',
    'serviceName = "a"',
    '[[config.domains]]',
    'serviceName = "b"',
    '[config.env]',
    'A = "1"',
    'list = [',
    '  "x", # one',
    '  "y",',
    ']',
    'inline = { a = 1, b = [2, 3] }',
  ].join('\r\n');
  expect(JSON.parse(JSON.stringify(parseToml(text)))).toEqual({
    title: 'a "b" é \\q',
    path: 'C:\\x',
    variables: {
      port: 8000,
      ratio: -1.5,
      on: true,
      day: '2026-11-27T00:00:00Z',
      long: 'first\nsecond "quoted" joined',
      raw: 'a\n$b',
      'quoted key': { inner: 1 },
    },
    config: {
      domains: [{ serviceName: 'a' }, { serviceName: 'b' }],
      env: { A: '1', list: ['x', 'y'], inline: { a: 1, b: [2, 3] } },
    },
  });
});

it.each([
  ['a = ', 1],
  ['a = 1\na = 2', 2],
  ['a = "open', 1],
  ["a = '''open", 1],
  ['\n[a\nb = 1', 2],
  ['a = 1 b = 2', 1],
  ['a = word', 1],
  ['a = [1 2]', 1],
  ['a = 1\n[a]', 2],
  [`a = ${'['.repeat(100)}`, 1],
])('names the line of %j', (text, line) => {
  expect(() => parseToml(text)).toThrow(new RegExp(`^Line ${line} `));
});

it('keeps names that objects have by themselves apart', () => {
  expect(Object.keys(parseToml('__proto__ = 1\nconstructor.a = 2'))).toEqual(['__proto__', 'constructor']);
  expect(Object.hasOwn({}, 'a')).toBe(false);
});
