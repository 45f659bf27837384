import { expect, test } from 'vitest';
import type { DatabaseKindName } from '../../domain/database-kind.ts';
import { connectionOf } from './connection.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import { neverRan } from './database.ts';

const record = (kind: DatabaseKindName, change: Partial<DatabaseRecord> = {}): DatabaseRecord => ({
  databaseId: 'D',
  revision: 0,
  kind,
  organizationId: 'O',
  environmentId: 'E',
  name: 'Main',
  appName: 'main',
  description: '',
  databaseName: 'shop',
  databaseUser: 'ann',
  databasePassword: 'a@b:c/d',
  databaseRootPassword: null,
  containerImage: 'x',
  replicaSets: false,
  serverId: null,
  applicationStatus: 'idle',
  memoryLimit: null,
  memoryReservation: null,
  cpuLimit: null,
  cpuReservation: null,
  pidsLimit: null,
  command: null,
  args: [],
  env: '',
  externalPort: null,
  ...neverRan('D'),
  createdAt: '',
  ...change,
});

test.each<[DatabaseKindName, string, string]>([
  [
    'mariadb',
    'mariadb://ann:a%40b%3Ac%2Fd@main:3306/shop',
    'mariadb://ann:a%40b%3Ac%2Fd@203.0.113.7:15000/shop',
  ],
  ['mysql', 'mysql://ann:a%40b%3Ac%2Fd@main:3306/shop', 'mysql://ann:a%40b%3Ac%2Fd@203.0.113.7:15000/shop'],
  [
    'postgres',
    'postgresql://ann:a%40b%3Ac%2Fd@main:5432/shop',
    'postgresql://ann:a%40b%3Ac%2Fd@203.0.113.7:15000/shop',
  ],
  [
    'mongo',
    'mongodb://ann:a%40b%3Ac%2Fd@main:27017/?authSource=admin',
    'mongodb://ann:a%40b%3Ac%2Fd@203.0.113.7:15000/?authSource=admin',
  ],
  ['redis', 'redis://default:a%40b%3Ac%2Fd@main:6379', 'redis://default:a%40b%3Ac%2Fd@203.0.113.7:15000'],
])('%s', (kind, internal, external) => {
  expect(connectionOf(record(kind), '203.0.113.7')).toEqual({ internal, external: null });
  expect(connectionOf(record(kind, { externalPort: 15_000 }), null)).toEqual({ internal, external: null });
  expect(connectionOf(record(kind, { externalPort: 15_000 }), '203.0.113.7')).toEqual({ internal, external });
  expect(
    new URL(connectionOf(record(kind, { externalPort: 15_000 }), '2001:db8::7').external ?? '').host,
  ).toBe('[2001:db8::7]:15000');
});

test('a set of replicas is said, and every character of a password arrives as it was', () => {
  expect(connectionOf(record('mongo', { replicaSets: true }), null).internal).toMatch(
    /\?authSource=admin&replicaSet=rs0$/,
  );
  const databasePassword = 'aZ9@#%^&*()_+-=[]{}|;:,.<>?~ \'"!/ü';
  expect(
    decodeURIComponent(new URL(connectionOf(record('redis', { databasePassword }), null).internal).password),
  ).toBe(databasePassword);
});
