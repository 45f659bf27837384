import { any, type Rows } from '../row.ts';

const good = {
  schedule: '0 3 * * *',
  prefix: 'shop',
  destinationId: '<destinationId>',
  database: 'shop',
  databaseType: 'postgres',
  postgresId: '<postgresId>',
  keepLatestCount: 3,
};
const record = {
  backupId: any.id,
  schedule: '0 3 * * *',
  prefix: 'shop',
  destinationId: '<destinationId>',
  database: 'shop',
  databaseType: any.text,
  enabled: true,
  keepLatestCount: any.numberOrNull,
  createdAt: any.time,
};

const covered = {
  coverageId: any.id,
  kind: any.text,
  serviceId: any.id,
  name: any.text,
  projectId: any.id,
  environmentId: any.id,
  lacking: any.listOf(any.text),
};

export const backupRows: Rows = [
  {
    call: 'backup.create',
    input: good,
    gives: { ...record, databaseType: 'postgres', postgresId: '<postgresId>', keepLatestCount: 3 },
  },
  ...['mariadb', 'mysql', 'mongo'].map((kind): Rows[number] => ({
    call: 'backup.create',
    input: { ...good, databaseType: kind, postgresId: null, [`${kind}Id`]: `<${kind}Id>` },
    gives: { databaseType: kind, [`${kind}Id`]: `<${kind}Id>` },
  })),
  {
    rule: 'redis has no backup',
    call: 'backup.create',
    input: { ...good, databaseType: 'redis', postgresId: null, redisId: '<redisId>' },
    refused: 'BAD_REQUEST',
    field: 'databaseType',
  },
  {
    rule: "a backup's schedule is a cron expression",
    call: 'backup.create',
    input: { ...good, schedule: 'nightly' },
    refused: 'BAD_REQUEST',
    field: 'schedule',
  },
  {
    rule: 'an id nested in a body is checked likewise',
    call: 'backup.create',
    input: { ...good, destinationId: '<foreign.destinationId>' },
    refused: 'FORBIDDEN',
  },
  { call: 'backup.all', gives: any.listOf(record) },
  { call: 'backup.coverage', gives: any.listOf(covered) },
  { call: 'backup.getRecovery', input: { postgresId: '<postgresId>' }, gives: { recovery: null } },
  {
    call: 'backup.setRecovery',
    input: { postgresId: '<postgresId>' },
    refused: 'BAD_REQUEST',
    field: 'destinationId',
  },
  {
    call: 'backup.setRecovery',
    input: { postgresId: '<postgresId>', destinationId: '<destinationId>', keepDays: 3 },
    gives: { postgresId: '<postgresId>', keepDays: 3, enabled: true, windows: [], holes: [] },
    after: [
      {
        call: 'backup.restoreToMoment',
        input: { postgresId: '<postgresId>', at: '2026-11-20T14:03:07Z' },
        refused: 'BAD_REQUEST',
        field: 'at',
      },
    ],
  },
  {
    call: 'backup.setRecovery',
    input: { postgresId: '<postgresId>', destinationId: '<destinationId>', keepDays: 0 },
    refused: 'BAD_REQUEST',
    field: 'keepDays',
  },
  {
    call: 'backup.restoreToMoment',
    input: { postgresId: '<postgresId>', at: '2026-11-20T14:03:07Z' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    call: 'backup.branch',
    input: { databaseId: '<postgresId>', name: 'test' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    call: 'backup.branch',
    input: { databaseId: '<postgresId>', name: 'test', expiresInHours: 0 },
    refused: 'BAD_REQUEST',
    field: 'expiresInHours',
  },
  {
    call: 'backup.branch',
    input: { databaseId: '<mysqlId>', name: 'test', at: '2026-11-20T14:03:07Z' },
    refused: 'BAD_REQUEST',
    field: 'at',
  },
  { call: 'backup.branches', input: { databaseId: '<postgresId>' }, gives: [] },
  {
    call: 'backup.run',
    input: { backupId: '<backupId>' },
    gives: { backupRunId: any.id, operation: 'backup', startedBy: 'person' },
  },
  {
    call: 'backup.restore',
    input: {
      databaseId: '<mysqlId>',
      databaseType: 'mysql',
      databaseName: 'shop',
      destinationId: '<destinationId>',
      backupFile: 'shop/none.dump',
    },
    gives: { backupRunId: any.id, operation: 'restore', startedBy: 'person' },
  },
  {
    call: 'backup.one',
    input: { backupId: '<backupId>' },
    gives: { ...record, databaseType: 'mysql', mysqlId: '<mysqlId>' },
  },
  {
    call: 'backup.update',
    input: { backupId: '<backupId>', schedule: '@daily', enabled: false },
    gives: { schedule: '@daily', enabled: false },
  },
  {
    rule: "a backup's schedule is a cron expression",
    call: 'backup.update',
    input: { backupId: '<backupId>', schedule: '61 * * * *' },
    refused: 'BAD_REQUEST',
    field: 'schedule',
  },
  {
    call: 'backup.remove',
    input: { backupId: '<backupId>' },
    gives: { ...record, databaseType: 'mysql' },
    after: [{ call: 'backup.one', input: { backupId: '<backupId>' }, refused: 'NOT_FOUND' }],
  },
  {
    call: 'backup.byDatabase',
    input: { databaseType: 'mysql', mysqlId: '<mysqlId>' },
    gives: [{ ...record, databaseType: 'mysql' }],
  },
  // Nothing runs in this world; that they work is shown on the bed (test/e2e/backup.e2e.test.ts).
  ...['Mariadb', 'MySql', 'Postgres', 'Mongo'].map((name): Rows[number] =>
    name === 'MySql'
      ? {
          call: 'backup.manualBackupMySql',
          input: { backupId: '<backupId>' },
          refused: 'PRECONDITION_FAILED',
        }
      : {
          call: `backup.manualBackup${name}`,
          before: [
            {
              call: 'backup.create',
              input: {
                ...good,
                databaseType: name.toLowerCase(),
                postgresId: null,
                [`${name.toLowerCase()}Id`]: `<${name.toLowerCase()}Id>`,
              },
              keep: { made: 'backupId' },
            },
          ],
          input: { backupId: '<made>' },
          refused: 'PRECONDITION_FAILED',
        },
  ),
  { call: 'backup.listFiles', input: { destinationId: '<destinationId>' }, refused: 'SERVICE_UNAVAILABLE' },
  {
    call: 'backup.restoreBackupWithLogs',
    input: {
      databaseId: '<mysqlId>',
      databaseType: 'mysql',
      databaseName: 'shop',
      backupFile: 'shop/x.dump',
      destinationId: '<destinationId>',
    },
    gives: { success: false, log: any.list },
  },
  { call: 'backup.verify', input: { backupId: '<backupId>' }, refused: 'PRECONDITION_FAILED' },
  {
    call: 'backup.runs',
    input: { backupId: '<backupId>' },
    gives: any.listOf({ backupRunId: any.id, status: any.text, steps: any.list }),
  },
  {
    call: 'backup.runsByDatabase',
    input: { databaseId: '<mysqlId>' },
    gives: any.listOf({ backupRunId: any.id }),
  },
  {
    call: 'backup.cancel',
    input: { backupRunId: '<backupRunId>' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    call: 'backup.undoRestore',
    input: { backupRunId: '<backupRunId>' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    call: 'backup.useFormerVolume',
    input: { databaseId: '<mysqlId>', volumeName: 'berth-data-x' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    call: 'backup.runLogs',
    input: { backupRunId: '<backupRunId>' },
    gives: { lines: [{ type: 'end', outcome: 'error' }] },
  },
  { call: 'installationBackup.get', gives: { backup: null }, installation: true },
  {
    call: 'installationBackup.set',
    input: { destinationId: '<destinationId>', passphrase: 'six words that nobody else has' },
    gives: { destinationId: '<destinationId>', schedule: any.text, enabled: true },
    installation: true,
  },
  {
    call: 'installationBackup.run',
    before: [
      {
        call: 'installationBackup.set',
        input: { destinationId: '<destinationId>', passphrase: 'six words that nobody else has' },
      },
    ],
    refused: 'SERVICE_UNAVAILABLE',
    installation: true,
  },
  { call: 'installationBackup.runs', gives: any.list, installation: true },
  {
    rule: 'redis has no backup',
    call: 'backup.restoreBackupWithLogs',
    input: {
      databaseId: '<redisId>',
      databaseType: 'redis',
      databaseName: 'shop',
      backupFile: 'shop/x.dump',
      destinationId: '<destinationId>',
    },
    refused: 'BAD_REQUEST',
    field: 'databaseType',
  },
];
