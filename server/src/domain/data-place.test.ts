import { expect, it } from 'vitest';
import type { DatabaseKindName } from './database-kind.ts';
import { requireDataInVolume, type DataPlaceInputs } from './data-place.ts';

const folders: DataPlaceInputs['folders'] = ['/var/lib/postgresql/data', '/mnt/fast'];
const judge = (kind: DatabaseKindName, change: Partial<DataPlaceInputs>): string => {
  try {
    requireDataInVolume({ kind, env: {}, args: [], folders, ...change });
    return 'kept';
  } catch (error) {
    return String(error);
  }
};

it.each<[DatabaseKindName, Partial<DataPlaceInputs>]>([
  ['postgres', { env: { PGDATA: '/tmp/x' } }],
  ['postgres', { env: { PGDATA: '/var/lib/postgresql/data-2' } }],
  ['postgres', { env: { PGDATA: '/var/lib/postgresql/data/../x' } }],
  ['postgres', { args: ['-c', 'data_directory=/tmp/x'] }],
  ['postgres', { args: ['-D', '/tmp/x'] }],
  ['postgres', { args: ['-D/tmp/x'] }],
  ['mysql', { args: ['--datadir=/tmp/x'] }],
  ['mariadb', { args: ['--innodb_data_home_dir=/tmp/x'] }],
  ['mongo', { args: ['--dbpath', '/tmp/x'] }],
  ['redis', { args: ['redis-server', '--dir', '/tmp/x'] }],
])('refuses what takes the data of %s out of its volume: %j', (kind, change) => {
  expect(judge(kind, change)).toMatch(/keeps the data outside of its volume/);
});

it.each<[DatabaseKindName, Partial<DataPlaceInputs>]>([
  ['postgres', { env: { PGDATA: '/var/lib/postgresql/data/pgdata' } }],
  ['postgres', { env: { PGDATA: '' } }],
  ['postgres', { env: { PGDATA: '/mnt/fast/db', OTHER: '/tmp/x' } }],
  ['postgres', { args: ['-c', 'config_file=/etc/my.conf', '-c', 'shared_buffers=1GB'] }],
  ['mysql', { args: ['--tmpdir=/tmp'] }],
  ['redis', { args: ['redis-server', '--appendonly', 'yes', '--dir', 'sub'] }],
])('takes what leaves it there, of %s: %j', (kind, change) => {
  expect(judge(kind, change)).toBe('kept');
});
