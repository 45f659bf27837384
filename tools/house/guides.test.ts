import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ImageRow } from '../../images/image-row.ts';
import { imageNames, images } from '../../images/images.ts';
import { ownOptions } from '../../cli/api/api-input.ts';
import { contracts } from '../../server/src/modules/contracts.ts';
import { propertiesOf } from '../../server/src/procedure/describe/describe-type.ts';
import { inlineSchemaOf } from '../../server/src/procedure/describe/json-schema.ts';
import { listProcedures } from '../../server/src/procedure/describe/listing.ts';
import { repositoryRoot } from '../../images/build-context.ts';

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');
const guides = globSync('docs/guide/*.md', { cwd: repositoryRoot });

/** The sources' own texts, joined where a line ends inside a sentence; `…` where something is put in. */
const sentences = globSync('server/src/**/*.ts', {
  cwd: repositoryRoot,
  exclude: (path) => path.includes('.test.'),
})
  .map(read)
  .join('\n')
  .replaceAll(/['`"] \+\s*\n?\s*['`"]/gu, '')
  .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/gu, '…')
  .replaceAll(/\$(?:p|list)\b/gu, '…');

const frequent = [...read('docs/guide/troubleshooting.md').matchAll(/^\| `([^`]+)` \|/gmu)].map(
  ([, sentence = '']) => sentence,
);

test('troubleshooting knows the frequent sentences', () => {
  expect(frequent.length).toBeGreaterThan(20);
});

test.each(frequent)('the program says: %s', (sentence) => {
  const parts = sentence.split('…').map((text) => text.trim());
  expect(parts.filter((part) => part.length > 2 && !sentences.includes(part))).toEqual([]);
});

test('images that a guide names as ours are built by bin/up, with the words of the table', () => {
  const named = guides.flatMap((path) =>
    [...read(path).matchAll(/\bberth\/[a-z]+:[\d.]+/gu)].map(([name]) => name),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !imageNames.some((each) => each === name))).toEqual([]);
  const table = read('docs/guide/without-a-registry.md');
  for (const [name, { use }] of Object.entries<ImageRow>(images).filter(([, row]) => row.former !== true))
    expect(table).toContain(`| \`${name}\` | ${use} |`);
});

test('calls that a guide shows as commands exist, take these options, and need no session', () => {
  const procedures = new Map(listProcedures(contracts).map((one) => [one.path, one.procedure]));
  const calls = guides.flatMap((path) =>
    [...read(path).matchAll(/\bberth (?:api )?([a-zA-Z]+\.[a-zA-Z]+)(?= --)([^\n`]*)/gu)].map(
      ([, name = '', rest = '']) => ({ path, name, rest }),
    ),
  );
  expect(calls.length).toBeGreaterThan(40);
  const faults = calls.flatMap(({ path, name, rest }) => {
    const procedure = procedures.get(name);
    if (!procedure) return [`${path}: there is no ${name}`];
    if (procedure.access.sessionOnly) return [`${path}: ${name} needs a session`];
    const fields = propertiesOf(inlineSchemaOf(procedure.input, 'input')).map((field) => field.name);
    const words = rest.replaceAll(/'[^']*('|$)|"[^"]*("|$)/gu, '').replace(/#.*/u, '');
    return [...words.matchAll(/ --(?:no-)?([a-zA-Z0-9]+)/gu)]
      .filter(([, option = '']) => ![...fields, ...ownOptions].includes(option))
      .map(([, option = '']) => `${path}: ${name} takes no --${option}`);
  });
  expect(faults).toEqual([]);
});

test('links between guides lead to files', () => {
  const broken = guides.flatMap((path) =>
    [...read(path).matchAll(/\]\(([\w-]+\.md)\)/gu)].filter(
      ([, to = '']) => !guides.includes(`docs/guide/${to}`),
    ),
  );
  expect(broken.map(([link]) => link)).toEqual([]);
});

test('the README names every guide', () => {
  const readme = read('README.md');
  expect(guides.filter((path) => !readme.includes(path))).toEqual([]);
});

const promises = [...read('docs/promises.md').matchAll(/^\| (\d+) \| .+ \| `(.+)` \| `(.+)` \|$/gmu)];

test('the table of first steps has every promise, and names tests that are there', () => {
  const numbers = new Set(promises.map(([, number]) => Number(number)));
  expect([...numbers].toSorted((left, right) => left - right)).toEqual(
    Array.from({ length: 22 }, (_, index) => index + 1),
  );
  const missing = promises.filter(
    ([, , name = '', path = '']) =>
      !globSync(path, { cwd: repositoryRoot }).some((file) => read(file).includes(name)),
  );
  expect(missing.map(([row]) => row)).toEqual([]);
});

test('the comparison in the README counts the templates that there are', () => {
  const [, count] = /^\| ready-made applications \| (\d+)/mu.exec(read('README.md')) ?? [];
  expect(Number(count)).toBe(globSync('templates/*/', { cwd: repositoryRoot }).length);
});
