import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countedJobs, scenarios } from './scenarios.ts';

const root = join(import.meta.dirname, '../..');
/** The quoted beginnings of the tests of a file. */
async function namesOf(file: string): Promise<string[]> {
  const text = await readFile(join(root, file), 'utf8');
  return [...text.matchAll(/\bit(?:\.each\([^)]*\))?\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)/g)].map(
    ([, single, double, template]) => single ?? double ?? template ?? '',
  );
}

it('are all twenty-six', () => {
  expect(scenarios.map(({ number }) => number)).toEqual(Array.from({ length: 26 }, (_, at) => at + 1));
});

it.each(scenarios.flatMap(({ number, shown }) => shown.map(([file, test]) => ({ number, file, test }))))(
  '$number is shown by a test that there is: $test',
  async ({ file, test }) => {
    expect((await namesOf(file)).filter((name) => name.startsWith(test))).toHaveLength(1);
  },
);

it.each(Object.entries(countedJobs))('the steps of job %s are counted by a test', async (number, file) => {
  expect((await namesOf(file)).filter((name) => name.startsWith(`${number}: `))).toHaveLength(1);
});
