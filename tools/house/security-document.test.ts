/** What SECURITY.md promises is held by tests that exist. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const document = readFileSync(join(root, 'SECURITY.md'), 'utf8');

interface Mention {
  file: string;
  /** Of the tests that are named after it. */
  names: string[];
}

/** `path`: *name*; *name* */
function mentions(text: string): Mention[] {
  return [...text.matchAll(/`([^`\s]+\.test\.ts)`((?:[:;] \*[^*]+\*)*)/g)].map(
    ([, file = '', names = '']) => ({
      file,
      names: [...names.matchAll(/\*([^*]+)\*/g)].map(([, name = '']) => name),
    }),
  );
}

/** As it stands in the source: in any quotes, at the beginning of a test. */
function hasTest(source: string, name: string): boolean {
  const spellings = [name, name.replaceAll("'", "\\'")];
  return ["'", '"', '`'].some((quote) =>
    spellings.some((each) => source.includes(`(${quote}${each}${quote},`) || hasAlone(source, quote, each)),
  );
}

/** On a line of its own, where the formatter broke before it. */
function hasAlone(source: string, quote: string, name: string): boolean {
  return source.split('\n').some((line) => line.trim() === `${quote}${name}${quote},`);
}

/** Six were of little weight, and have no number. */
const lows = Array.from({ length: 6 }, () => 'low');

const found = mentions(document);

it('names files that exist', () => {
  // A name without a folder stands for one of the table's own folder.
  const paths = found.map(({ file }) => file).filter((file) => file.includes('/'));
  expect(paths.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(paths.length).toBeGreaterThan(30);
});

it('names tests that exist', () => {
  const missing = found.flatMap(({ file, names }) => {
    if (names.length === 0) return [];
    const source = readFileSync(join(root, file), 'utf8');
    return names.filter((name) => !hasTest(source, name)).map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

/** Rows of a part's table, without its head. */
function rowsOf(part: string): string[] {
  const [, text = ''] = new RegExp(`## ${part}[^\\n]*\\n([\\s\\S]*?)\\n## `).exec(document) ?? [];
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1);
}

it('has ten promises on its first screen, each with the test that holds it', () => {
  const [first = '', ...others] = document.split('\n## ').slice(1);
  expect(first).toMatch(/^Who is trusted with what\n/);
  const promises = others.find((part) => part.startsWith('Ten promises\n')) ?? '';
  const items = promises.split(/^\d+\. /m).slice(1);
  expect(items).toHaveLength(10);
  expect(items.filter((item) => mentions(item).every(({ names }) => names.length === 0))).toEqual([]);
  const screen = document.slice(0, document.indexOf('\n## Who is trusted with what, in full'));
  expect(screen.split('\n').length).toBeLessThanOrEqual(60);
  expect(screen).toContain('\n## Report a vulnerability\n');
});

it('names a test for each promise, and for each class of what was found in others', () => {
  const rows = [...rowsOf('What we promise'), ...rowsOf('What was found in others')];
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter((row) => mentions(row).every(({ names }) => names.length === 0))).toEqual([]);
});

it('names an attack for each finding, held and with its wall left out, and no attack is without one', () => {
  const rows = rowsOf('What was found here');
  const attacksOf = (row: string): string[] =>
    mentions(row).flatMap(({ file }) => (file.endsWith('.attack.test.ts') ? [file] : []));
  const numbers = rows.map((row) => row.split('|')[1]?.trim());
  expect(numbers).toEqual([...Array.from({ length: 14 }, (_, index) => String(index + 1)), ...lows]);
  expect(rows.filter((row) => attacksOf(row).length === 0)).toEqual([]);
  const named = new Set(rows.flatMap(attacksOf));
  expect([...named].toSorted()).toEqual(globSync('test/attacks/*.attack.test.ts', { cwd: root }).toSorted());
  const blind = [...named].filter((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return ["'as built'", "'left out'", 'test/attacks/without/'].some((part) => !source.includes(part));
  });
  expect(blind).toEqual([]);
});
