import { any, type Rows } from '../row.ts';

const good = {
  applicationId: '<applicationId>',
  volumeName: 'data',
  destinationId: '<destinationId>',
  schedule: '0 3 * * *',
};
const record = {
  volumeBackupId: any.id,
  applicationId: '<applicationId>',
  composeId: null,
  redisId: null,
  volumeName: 'data',
  serviceDuring: any.text,
  destinationId: '<destinationId>',
  schedule: '0 3 * * *',
  timeZone: 'UTC',
  prefix: any.text,
  enabled: true,
  keepLatestCount: any.numberOrNull,
  createdAt: any.time,
};
const own = { volumeBackupId: '<volumeBackupId>' };
const service = { applicationId: '<applicationId>' };
const redis = { redisId: '<redisId>' };
const ofRedis = { ...good, applicationId: undefined, ...redis };

// Nothing runs in this world; that they work is shown on the bed (test/e2e/backups/volumes.e2e.test.ts).
export const volumeBackupRows: Rows = [
  { call: 'volumeBackup.create', input: good, gives: { ...record, serviceDuring: 'running' } },
  {
    call: 'volumeBackup.create',
    input: { ...good, volumeName: 'other' },
    refused: 'BAD_REQUEST',
    field: 'volumeName',
  },
  {
    call: 'volumeBackup.create',
    input: { ...good, serviceDuring: 'removed' },
    refused: 'BAD_REQUEST',
    field: 'serviceDuring',
  },
  {
    call: 'volumeBackup.create',
    input: { ...good, composeId: '<composeId>' },
    refused: 'BAD_REQUEST',
    field: 'composeId',
  },
  {
    call: 'volumeBackup.create',
    input: { ...good, destinationId: '<foreign.destinationId>' },
    refused: 'FORBIDDEN',
  },
  {
    call: 'volumeBackup.create',
    input: ofRedis,
    gives: { ...record, applicationId: null, ...redis, serviceDuring: 'running' },
  },
  {
    call: 'volumeBackup.create',
    input: { ...ofRedis, volumeName: 'other' },
    refused: 'BAD_REQUEST',
    field: 'volumeName',
  },
  {
    call: 'volumeBackup.create',
    input: { ...ofRedis, serviceDuring: 'stopped' },
    refused: 'BAD_REQUEST',
    field: 'serviceDuring',
  },
  { call: 'volumeBackup.create', input: { ...good, ...redis }, refused: 'BAD_REQUEST', field: 'redisId' },
  {
    call: 'volumeBackup.create',
    input: { ...ofRedis, redisId: '<postgresId>' },
    refused: 'NOT_FOUND',
  },
  { call: 'volumeBackup.volumes', input: redis, gives: [{ volumeName: 'data', mountPaths: ['/data'] }] },
  { call: 'volumeBackup.byService', input: redis, gives: [] },
  { call: 'volumeBackup.runsByService', input: redis, gives: [] },
  {
    call: 'volumeBackup.restore',
    input: { ...redis, volumeName: 'data', destinationId: '<destinationId>', backupFile: 'shop/none.rdb.gz' },
    gives: { backupRunId: any.id, operation: 'restore', databaseId: '<redisId>', volumeName: 'data' },
  },
  { call: 'volumeBackup.one', input: own, gives: { ...record, serviceDuring: 'paused' } },
  // A backup of a database is none of a volume, and the other way round.
  { call: 'volumeBackup.one', input: { volumeBackupId: '<backupId>' }, refused: 'NOT_FOUND' },
  { call: 'backup.one', input: { backupId: '<volumeBackupId>' }, refused: 'NOT_FOUND' },
  { call: 'volumeBackup.all', gives: any.listOf(record) },
  { call: 'volumeBackup.byService', input: service, gives: any.listOf(record) },
  { call: 'volumeBackup.byService', refused: 'BAD_REQUEST', field: 'applicationId' },
  {
    call: 'volumeBackup.update',
    input: { ...own, schedule: '@daily', serviceDuring: 'stopped' },
    gives: { schedule: '@daily', serviceDuring: 'stopped' },
  },
  {
    call: 'volumeBackup.remove',
    input: own,
    gives: record,
    after: [{ call: 'volumeBackup.one', input: own, refused: 'NOT_FOUND' }],
  },
  {
    call: 'volumeBackup.run',
    input: own,
    gives: { backupRunId: any.id, operation: 'backup', startedBy: 'person', volumeName: 'data' },
  },
  { call: 'volumeBackup.runs', input: own, gives: [] },
  { call: 'volumeBackup.runsByService', input: service, gives: [] },
  {
    call: 'volumeBackup.volumes',
    input: service,
    gives: [{ volumeName: 'data', mountPaths: [] }],
  },
  {
    call: 'volumeBackup.restore',
    input: {
      ...service,
      volumeName: 'data',
      destinationId: '<destinationId>',
      backupFile: 'shop/none.tar.gz',
    },
    gives: { backupRunId: any.id, operation: 'restore', startedBy: 'person', volumeName: 'data' },
  },
  {
    call: 'volumeBackup.useKeptVolume',
    input: { ...service, volumeName: 'other', keptVolume: 'berth-gone-data' },
    refused: 'BAD_REQUEST',
    field: 'volumeName',
  },
  {
    call: 'volumeBackup.useKeptVolume',
    needs: 'engine',
    input: { ...service, volumeName: 'data', keptVolume: 'berth-gone-data' },
    refused: 'NOT_FOUND',
  },
  {
    call: 'volumeBackup.removeFormerVolume',
    input: { ...service, volumeName: 'berth-<applicationId>-data' },
    refused: 'BAD_REQUEST',
    field: 'volumeName',
  },
];
