import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatFault } from './format.ts';
import { limit, linesOf, widthAt, widthFaults, type Line } from './width.ts';

const lines = (...texts: string[]): Line[] =>
  texts.map((text, index) => ({ file: 'cli/main.ts', number: index + 1, text }));
const wide = (start: string, end: string): string => `${start}${'x'.repeat(120)}${end}`;

test('a line of 110 columns is right, characters counted and not bytes', () => {
  expect(widthFaults(lines('x'.repeat(110), 'ü → '.repeat(27)))).toEqual([]);
});

test('the limit is the formatter’s', async () => {
  const settings = await readFile(join(import.meta.dirname, '../../biome.json'), 'utf8');
  expect(settings).toContain(`"lineWidth": ${limit},`);
});

test('a line of 111 is told with its place and its width', () => {
  expect(widthFaults(lines('', `a ${'x'.repeat(109)}`))).toEqual([
    'cli/main.ts:2 is 111 columns wide; 110 are allowed. Break it.',
  ]);
});

test.each([
  ['a string of words', wide("  throw new Error('a ", "');")],
  ['a string of words alone', wide("  'a ", "',")],
  ['a list in JSON', wide('  \'{"name":"', '"}\',')],
  ['code without blanks', wide('  one(', ').two(`${three}`)')],
  ['a comment', wide('// Words and ', '')],
  ['an address behind words', wide('// See https://berth.example/', '')],
  ['a regular expression behind words', wide('  const one = /', '/;')],
  ['base64 behind words', wide("  const one = '", "';")],
])('%s can be broken', (_name, text) => {
  expect(widthFaults(lines(text))).toHaveLength(1);
});

test.each([
  ['a regular expression', wide('    /^one two', '$/i,')],
  ['an address in a comment', wide(' * https://berth.example/', '')],
  ['an address in a string', wide("  'https://berth.example/?one=", "',")],
  ['base64 in a string', wide("  'MIIB+/", "==',")],
  ['a line of PEM', wide('', '==')],
])('%s alone on its line cannot be broken', (_name, text) => {
  expect(widthFaults(lines(text))).toEqual([]);
});

test('programs and scripts are looked at, the dashboard too; other files are not', async () => {
  const root = await mkdtemp(join(tmpdir(), 'width-'));
  for (const file of ['a.ts', 'b.tsx', 'c.mjs', 'd.css', 'e.md']) await writeFile(join(root, file), 'one');
  const files = (await linesOf(root)).map(({ file }) => file);
  await rm(root, { recursive: true });
  expect(files).toEqual(['a.ts', 'b.tsx', 'c.mjs']);
});

test('a check that saw no line fails', () => {
  expect(widthFaults([])).toEqual([expect.stringContaining('proves nothing')]);
});

test('of a hundred lines so many are no wider; empty ones do not count', () => {
  const hundred = lines('', ...Array.from({ length: 100 }, (_, index) => 'x'.repeat(100 - index)));
  expect([50, 90, 99, 100].map((percent) => widthAt(percent, hundred))).toEqual([50, 90, 99, 100]);
});

test('the files that are not formatted are named once each', () => {
  const summary = 'parse ━━\n  - cli/a.ts\n  \nformat ━━\n  i These:\n\n  - cli/a.ts\n  - tools/b.json\n';
  expect(formatFault(summary)).toBe(
    'Not as the formatter writes it:\n  cli/a.ts\n  tools/b.json\nRun npm run format.',
  );
});

test('a formatter that does not run says why itself', () => {
  expect(formatFault('biome was not found')).toBe('biome was not found');
});
