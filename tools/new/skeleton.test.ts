import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { arrowFaults } from '../arrows/arrows.ts';
import { importsOf } from '../arrows/imports.ts';
import { readGraph } from '../arrows/graph.ts';
import { nameFaults } from '../house/names.ts';
import { join, posix } from 'node:path';
import { skeletonOf } from './skeleton.ts';

const folder = 'server/src/modules/git-source';
const files = [...skeletonOf('git-source')].map(([name, source]): [string, string] => [
  `${folder}/${name}`,
  source,
]);

test('the skeleton parses and is named by the rules', () => {
  expect(files.map(([path]) => path)).toEqual(
    ['contract.ts', 'handlers.ts', 'git-source.ts', 'store.ts'].map((name) => `${folder}/${name}`),
  );
  for (const [path, source] of files) expect(parseSync(path, source).errors).toEqual([]);
  expect(nameFaults(files.map(([path]) => path))).toEqual([]);
});

test('its imports name files that are there, along the arrows', async () => {
  const graph = await readGraph(join(import.meta.dirname, '../..'));
  const edges = files.flatMap(([from, source]) =>
    importsOf(from, source).map((found) => ({
      ...found,
      from,
      to: found.specifier.startsWith('.') ? posix.join(folder, found.specifier) : undefined,
    })),
  );
  expect(edges.length).toBeGreaterThan(8);
  expect(arrowFaults({ files: [...graph.files, ...files.map(([path]) => path)], edges })).toEqual([]);
});

test('a name that is none is refused', () => {
  expect(() => skeletonOf('GitSource')).toThrow(/small letters/);
  expect(() => skeletonOf('../x')).toThrow(/small letters/);
});
