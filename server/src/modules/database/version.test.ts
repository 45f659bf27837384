import { expect, test } from 'vitest';
import type { DatabaseKindName } from '../../domain/database-kind.ts';
import { majorOf, majorOfImage, refuseMajorJump } from './version.ts';

test.each<[string, number | undefined]>([
  ['15.18', 15],
  ['15.18 (Debian 15.18-0+deb12u1)', 15],
  ['8', 8],
  ['1:11.4.2+maria~ubu2404', 11],
  ['10.11.6-MariaDB-0', 10],
  ['17-alpine', 17],
  ['v7.0', 7],
  ['latest', undefined],
  ['', undefined],
  ['noble-8', undefined],
])('%s is of the major version %s', (version, major) => {
  expect(majorOf(version)).toBe(major);
});

test.each<[DatabaseKindName, string, Record<string, string>, number | undefined]>([
  ['postgres', 'postgres:17-alpine', {}, 17],
  ['postgres', 'docker.io/library/postgres:16.4', {}, 16],
  ['postgres', 'postgres:16@sha256:abc', {}, 16],
  ['postgres', 'postgres', {}, undefined],
  // Others number their images as they like; what such an image says of itself counts.
  ['postgres', 'registry.example.com:5000/our/postgres:3', {}, undefined],
  ['postgres', 'registry.example.com:5000/our/postgres:3', { PG_MAJOR: '17' }, 17],
  ['postgres', 'postgres:latest', { PG_MAJOR: '18' }, 18],
  ['mariadb', 'mariadb:lts', { MARIADB_VERSION: '1:11.8.2+maria~ubu2404' }, 11],
  ['mysql', 'mysql:9', { MYSQL_MAJOR: '', MYSQL_VERSION: '9.1.0-1.el9' }, 9],
])('%s: the image %s with %o brings %s', (kind, reference, env, major) => {
  expect(majorOfImage(kind, reference, env)).toBe(major);
});

test('a jump is refused with the way to upgrade; the same or an unknown version is not', () => {
  const database = { kind: 'postgres', name: 'Main', dataVersion: '15.18' } as const;
  expect(() => refuseMajorJump(database, 'postgres:18', 18)).toThrow(
    'postgres:18 is version 18, and the data of Main is of version 15: the server would not start on ' +
      'it, or would change it for good. Call postgres.upgrade with this image',
  );
  expect(() => refuseMajorJump(database, 'postgres:14', 14)).toThrow('set an image of version 15 again');
  for (const major of [15, undefined]) refuseMajorJump(database, 'postgres:x', major);
  refuseMajorJump({ ...database, dataVersion: null }, 'postgres:18', 18);
});
