import { expect, it } from 'vitest';
import { grants, hookEvents } from '../stored-records.ts';
import { noGrants } from '../../domain/access/permissions.ts';
import { decodeRow, encodeValue } from './codec.ts';
import { choice, json, optionalChoice, optionalJson, text } from './column.ts';
import { numberByName, textByName, words } from './stored-json.ts';

const cipher = { encrypt: (plain: string) => plain, decrypt: (sealed: string) => sealed, sign: () => '' };
const columns = {
  id: text(),
  type: choice(['git', 'drop']),
  former: optionalChoice(['git']),
  paths: json(words),
  labels: optionalJson(textByName),
  counts: json(numberByName),
  grants: json(grants),
};
const record = {
  id: 'a',
  type: 'git' as const,
  former: null,
  paths: ['src/'],
  labels: { team: 'shop' },
  counts: { '200': 3 },
  grants: noGrants,
};
const stored = Object.fromEntries(
  Object.entries(columns).map(([name, column]) => [
    name,
    encodeValue(column, Reflect.get(record, name), cipher),
  ]),
);

it('what is stored is read as it was', () => {
  expect(decodeRow(columns, { ...stored }, cipher)).toEqual(record);
});

it.each([
  ['type', 'svn', /holds "svn" where only git, drop can stand/],
  ['former', 'drop', /holds "drop"/],
  ['paths', '["a",1]', /a list of texts/],
  ['labels', '{"a":1}', /texts by name/],
  ['counts', '[1]', /numbers by name/],
  ['grants', '{"accessedProjects":"all"}', /grants \(accessedProjects: /],
])('a column %s that holds %s is refused', (name, value, sentence) => {
  expect(() => decodeRow(columns, { ...stored, [name]: value }, cipher)).toThrow(sentence);
});

it('rows of an earlier Berth have what came later off', () => {
  expect(grants({ accessedProjects: ['p1'] })).toEqual({
    ...noGrants,
    accessedProjects: ['p1'],
    canReadSecrets: false,
  });
  const push = { kind: 'push', refKind: 'branch', ref: 'main', commit: null, message: '' };
  expect(hookEvents([push, { kind: 'ping' }])).toEqual([
    { ...push, changedPaths: undefined },
    { kind: 'ping' },
  ]);
});
