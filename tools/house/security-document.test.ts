/** What SECURITY.md promises is held by tests that exist. */
import { existsSync, readFileSync } from 'node:fs';
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

it('names a test for each promise', () => {
  const [, promises = ''] = /## What we promise[^\n]*\n([\s\S]*?)\n## /.exec(document) ?? [];
  const rows = promises.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| promise'));
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((row) => mentions(row).every(({ names }) => names.length === 0))).toEqual([]);
});
