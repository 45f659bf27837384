import { expect, it } from 'vitest';
import type { Blocks } from './preview.ts';
import { completed, faultsIn, namesFor, openReference, servicesOf } from './references.ts';

const services = servicesOf({
  applications: [{ name: 'api' }],
  compose: [{ name: 'stack' }],
  postgres: [{ name: 'Shop DB' }],
  mysql: [],
  mariadb: [],
  mongo: [],
  redis: [{ name: 'cache.v2' }],
});
const blocks: Blocks = {
  own: new Map([
    ['LOG', 'info'],
    ['REGION', '${{REGION}}-1'],
  ]),
  secrets: new Set(['KEY']),
  environment: 'STAGE=test',
  project: 'REGION=eu',
};

it('completes services with their fields, then shared variables, then those of the service', () => {
  const names = namesFor('LOG', blocks, services);
  expect(names).toContain('Shop DB.URL');
  expect(names).toContain('api.HOST');
  expect(names.slice(-4)).toEqual(['environment.STAGE', 'project.REGION', 'REGION', 'KEY']);
  expect(names.some((name) => name.startsWith('stack'))).toBe(false);
});

it.each([
  '${{LOG}}',
  '${{ project.REGION }}',
  '${{environment.STAGE}}',
  'redis://:${{KEY}}@${{cache.v2.HOST}}:${{cache.v2.PORT}}',
  '${{Shop DB.URL}}',
  '$${{whatever}}',
  'nothing to see',
])('%s names what there is', (value) => {
  expect(faultsIn('URL', value, blocks, services)).toEqual([]);
});

it('a variable that replaces one of its project may name it', () => {
  expect(faultsIn('REGION', '${{REGION}}-1', blocks, services)).toEqual([]);
  expect(faultsIn('LOG', '${{LOG}}', blocks, services)).toHaveLength(1);
});

it.each([
  [
    '${{Shop DB.DATABASE_URL}}',
    'Shop DB has no DATABASE_URL: it has URL, HOST, PORT, USER, PASSWORD, DATABASE.',
  ],
  ['${{db.URL}}', 'Nothing here is called db.URL. Services that can be named: api, Shop DB, cache.v2.'],
  ['${{api}}', 'api has no value of that name: it has HOST.'],
  [
    '${{stack.HOST}}',
    'stack is a compose service, of which nothing can be named. Write its host name instead.',
  ],
  ['${{}}', 'Nothing here is called "". Services that can be named: api, Shop DB, cache.v2.'],
  [
    '${{project.STAGE}}',
    'Nothing here is called project.STAGE. Services that can be named: api, Shop DB, cache.v2.',
  ],
])('%s is told', (value, sentence) => {
  expect(faultsIn('URL', value, blocks, services)).toEqual([sentence]);
});

it('finds the reference at the caret, and puts a name into it', () => {
  const value = 'postgres://${{Sh}}/x';
  expect(openReference(value, 16)).toEqual({ typed: 'Sh', from: 11 });
  expect(openReference(value, 20)).toBeUndefined();
  expect(openReference('$${{Sh', 6)).toBeUndefined();
  expect(completed(value, { from: 11, caret: 16, name: 'Shop DB.HOST' })).toEqual({
    value: 'postgres://${{Shop DB.HOST}}/x',
    caret: 28,
  });
  expect(completed('${{', { from: 0, caret: 3, name: 'LOG' })).toEqual({ value: '${{LOG}}', caret: 8 });
});
