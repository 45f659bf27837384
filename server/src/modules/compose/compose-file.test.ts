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

test('a reference to itself ends too', () => {
  expect(() => parseComposeFile('services: {web: &w {x-own: *w}}')).not.toThrow();
});

function outcomeOf(text: string): string {
  try {
    parseComposeFile(text);
    return 'read';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}
