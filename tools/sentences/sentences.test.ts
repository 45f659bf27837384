import { expect, test } from 'vitest';
import { sentencesOf, type Sentence } from './collect.ts';
import { pairsOf } from './pair.ts';
import { sample } from './sample.ts';
import { tableOf } from './table.ts';

const texts = (source: string): string[] => sentencesOf('cli/a.tsx', source).map(({ text }) => text);
const said = (...all: string[]): Sentence[] => all.map((text) => ({ file: 'cli/a.ts', text }));

test.each([
  ['a string', "throw new AppError('NOT_FOUND', 'There is no such service.');", 'There is no such service.'],
  ['a template', 'log(`Stopped the service ${name} now`);', 'Stopped the service … now'],
  ['a sum', "const a = 'Stopped the ' + name + ' of the project';", 'Stopped the … of the project'],
  ['lines in brackets', "f('One part, ' + ('and another ' + `of ${a}.`));", 'One part, and another of ….'],
  ['markup', 'const a = <p>\n  Runs on this\n  server\n</p>;', 'Runs on this server'],
  ['what is put in', "log(`${gone ? 'it is gone for good' : a}`);", 'it is gone for good'],
  ['an exported value', "export const help = 'Shows the last lines';", 'Shows the last lines'],
])('takes %s', (_, source, text) => {
  expect(texts(source)).toContain(text);
});

test.each([
  ['names', "import a from 'a b c d'; f('services.one', 'two words');"],
  ['SQL', "f('SELECT id FROM service WHERE id = 1'); sql`update a set b`;"],
  ['types', "type A = 'one of the words';"],
  ['comments', '// not a sentence of the program\n/** nor this one, either */'],
])('leaves %s', (_, source) => {
  expect(texts(source)).toEqual([]);
});

test('a file that does not parse is refused with its path', () => {
  expect(() => sentencesOf('cli/a.ts', 'const = ;')).toThrow('cli/a.ts does not parse: ');
});

test('the same seed takes the same values, in their order, each once', () => {
  const values = Array.from({ length: 500 }, (_, index) => index);
  const chosen = sample(values, 100, 15);
  expect(chosen).toEqual(sample(values, 100, 15));
  expect(chosen).not.toEqual(sample(values, 100, 16));
  expect(new Set(chosen).size).toBe(100);
  expect(chosen).toEqual(chosen.toSorted((a, b) => a - b));
  expect(sample(values, 1000, 15)).toEqual(values);
});

test('a sentence is paired with itself, with the most alike of the new ones, or with nothing', () => {
  const before = said('The file is kept.', 'is no name of a thing', 'Wholly other words');
  const today = said('The file is kept.', 'is not the name of a thing', 'One more about files');
  expect(pairsOf(before, before, today).map(({ after }) => after?.text)).toEqual([
    'The file is kept.',
    'is not the name of a thing',
    undefined,
  ]);
});

test('the table marks what did not change and what went', () => {
  const [a, b, c] = said('a | b', 'kept', 'went');
  if (!a || !b || !c) throw new Error('three were made');
  expect(
    tableOf([
      { before: a, after: { file: 'cli/b.ts', text: 'a <b>' } },
      { before: b, after: b },
      { before: c, after: null },
    ]),
  ).toBe(
    '| | file | before | after |\n|---|---|---|---|\n' +
      '| 1 | `cli/b.ts` | a \\| b | a &lt;b> |\n' +
      '| 2 | `cli/a.ts` | kept | (unchanged) |\n' +
      '| 3 | `cli/a.ts` | went | (removed) |\n',
  );
});
