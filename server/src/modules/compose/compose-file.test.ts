import { expect, test } from 'vitest';
import { AppError } from '../../domain/errors.ts';
import { parseComposeFile } from './compose-file.ts';

test('the services of a file, in its order', () => {
  expect([
    ...parseComposeFile(
      'services:\n  web: {image: a}\n  db.1: {image: b}\n  "7": {image: c}\n',
    ).services.keys(),
  ]).toEqual(['web', 'db.1', '7']);
  expect([...parseComposeFile('volumes: {a: }').services.keys()]).toEqual([]);
});

test.each([
  ['no YAML', 'a: ['],
  ['a list', '- a'],
  ['a text', 'just text'],
  ['services that are a list', 'services: [a]'],
  ['a service that is no map', 'services: {web: nginx}'],
  ['an odd name', 'services: {"a b": {}}'],
  ['a name that climbs', 'services: {"../x": {}}'],
  ['two documents', 'services: {}\n---\nservices: {}'],
  ['a key twice', 'services: {web: {image: a, image: b}}'],
  ['a service twice', 'services:\n  web: {}\n  web: {}'],
  ['a label of Berth', 'services: {web: {labels: {berth.application: x}}}'],
  ['a label of Berth in a list', 'services: {web: {labels: ["berth.application=x"]}}'],
  ['a label of the engine', 'services: {web: {deploy: {labels: ["com.docker.x=1"]}}}'],
])('%s is refused', (_name, text) =>
  expect(() => parseComposeFile(text)).toThrow(
    expect.objectContaining({
      code: 'BAD_REQUEST',
      issues: [expect.objectContaining({ path: 'composeFile' })],
    }),
  ),
);

const size = 65_536;
const bomb = Array.from(
  { length: 12 },
  (_, index) =>
    `a${index}: &a${index} ` +
    `[${Array.from({ length: 9 }, () => (index === 0 ? 'x' : `*a${index - 1}`)).join(',')}]`,
).join('\n');

test.each([
  ['references to references', bomb],
  ['lists in lists', '['.repeat(size)],
  ['maps in maps', '{a: '.repeat(size / 4)],
  ['many keys', Array.from({ length: size / 12 }, (_, index) => `k${index}: v`).join('\n')],
  [
    'many references',
    `a: &a x\n${Array.from({ length: size / 12 }, (_, index) => `k${index}: *a`).join('\n')}`,
  ],
  ['faults without end', `[${','.repeat(size - 2)}]`],
  ['dashes', '- '.repeat(size / 2)],
  ['anchors', '&a '.repeat(size / 3)],
])('%s end soon', (_name, text) => {
  const before = process.cpuUsage();
  const outcome = outcomeOf(text);
  expect(['read', 'BAD_REQUEST']).toContain(outcome);
  const { user } = process.cpuUsage(before);
  expect(user / 1000).toBeLessThan(5000);
});

test.each([
  ['services: {web: &w {x-own: *w}}', 'line 1, column 28: the alias w contains itself'],
  ['x: &x [a]\nservices:\n  web:\n    <<: *x', 'line 4, column 5: "<<" merges a map'],
  ['x: &x [a]\nservices:\n  web:\n    <<: [*x]', '"<<" merges a map'],
  ['x: &x {a: 1}\nservices:\n  web:\n    <<: *x\n    <<: *x', 'line 5, column 5: has the key "<<" twice'],
  ['services:\n  web:\n    <<: text', 'line 3, column 5: "<<" merges a map'],
  ['services:\n  web:\n    image: a\n    image: b', 'line 4, column 5: has the key "image" twice'],
  ['services:\n  web:\n    image: [a', 'is not valid YAML: line 3'],
  ['services:\n  web: *none', 'none'],
  [bomb, 'values once its aliases are put in'],
])('%j is refused with its place', (text, what) =>
  expect(() => parseComposeFile(text)).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringContaining(what) }),
  ),
);

test('many small anchors in a shared block are no bomb', () => {
  const small = Array.from({ length: 10 }, (_, index) => `x-${index}: &x${index} {test: a, interval: 1s}`);
  const block = `x-all: &all\n${small.map((_, index) => `  k${index}: *x${index}`).join('\n')}`;
  const services = Array.from({ length: 60 }, (_, index) => `  s${index}: {<<: *all, image: a}`);
  const text = `${small.join('\n')}\n${block}\nservices:\n${services.join('\n')}\n`;
  expect(parseComposeFile(text).services.get('s59')?.get('k9')).toEqual(
    new Map([
      ['test', 'a'],
      ['interval', '1s'],
    ]),
  );
});

test('whole numbers as docker compose reads them', () => {
  const service = parseComposeFile(
    'services: {web: {a: 0440, b: 0o440, c: "0440", d: 440, e: 1_000, f: 0, g: 08, h: 1.10}}',
  ).services.get('web');
  expect(Object.fromEntries(service ?? [])).toEqual({
    a: 288,
    b: 288,
    c: '0440',
    d: 440,
    e: 1000,
    f: 0,
    g: 8,
    h: 1.1,
  });
});

function outcomeOf(text: string): string {
  try {
    parseComposeFile(text);
    return 'read';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}
