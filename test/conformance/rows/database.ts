/**
 * The five kinds of database: the same rows for each, from a table of what the document says they differ in.
 */
import { databaseKindNames, type DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import { any, type Row, type Rows } from '../row.ts';

interface Kind {
  image: string;
  hasName: boolean;
  hasUser: boolean;
  hasRootPassword: boolean;
  hasReplicaSets: boolean;
  /** Strings that `create` wants at least one character of. */
  filled: readonly string[];
  /** Of the document, for the password. */
  hasPattern: boolean;
  /** The minimum lengths of `update` are stated for all kinds but one. */
  isFilledOnUpdate: boolean;
}

/** Written from the interface document, not from the product's own table. */
const kinds: Record<DatabaseKindName, Kind> = {
  mariadb: {
    image: 'mariadb:11',
    hasName: true,
    hasUser: true,
    hasRootPassword: true,
    hasReplicaSets: false,
    filled: ['name', 'appName', 'databaseName', 'databaseUser'],
    hasPattern: true,
    isFilledOnUpdate: true,
  },
  mysql: {
    image: 'mysql:8',
    hasName: true,
    hasUser: true,
    hasRootPassword: true,
    hasReplicaSets: false,
    filled: ['name', 'appName'],
    hasPattern: true,
    isFilledOnUpdate: true,
  },
  postgres: {
    image: 'postgres:18',
    hasName: true,
    hasUser: true,
    hasRootPassword: false,
    hasReplicaSets: false,
    filled: ['appName'],
    hasPattern: true,
    isFilledOnUpdate: false,
  },
  mongo: {
    image: 'mongo:15',
    hasName: false,
    hasUser: true,
    hasRootPassword: false,
    hasReplicaSets: true,
    filled: ['name', 'appName', 'databaseUser'],
    hasPattern: true,
    isFilledOnUpdate: true,
  },
  redis: {
    image: 'redis:8',
    hasName: false,
    hasUser: false,
    hasRootPassword: false,
    hasReplicaSets: false,
    filled: ['name', 'appName'],
    hasPattern: false,
    isFilledOnUpdate: true,
  },
};

function rowsOf(kind: DatabaseKindName): Row[] {
  const { image, hasName, hasUser, hasRootPassword, hasReplicaSets, filled, hasPattern, isFilledOnUpdate } =
    kinds[kind];
  const idName = `${kind}Id`;
  const id = { [idName]: `<${idName}>` };
  const own = {
    ...(hasName ? { databaseName: 'blog' } : {}),
    ...(hasUser ? { databaseUser: 'writer' } : {}),
  };
  const good = {
    name: 'blog',
    appName: `<prefix>-new-${kind}`,
    ...own,
    databasePassword: 'S3cret@#%^&*()_+-=[]{}|;:,.<>?~',
    ...(hasRootPassword ? { databaseRootPassword: 'R00t' } : {}),
    environmentId: '<environmentId>',
  };
  const call = (operation: string): string => `${kind}.${operation}`;
  const without = (field: string): object =>
    Object.fromEntries(Object.entries(good).filter(([name]) => name !== field));
  const record = {
    [idName]: any.id,
    name: any.text,
    appName: any.text,
    databaseName: hasName ? any.text : any.absent,
    databaseUser: hasUser ? any.text : any.absent,
    databasePassword: any.text,
    databaseRootPassword: hasRootPassword ? any.text : any.absent,
    containerImage: any.text,
    description: any.text,
    serverId: any.textOrNull,
    environmentId: any.id,
    replicaSets: hasReplicaSets ? any.boolean : any.absent,
    applicationStatus: 'idle',
    createdAt: any.time,
    memoryReservation: any.textOrNull,
    memoryLimit: any.textOrNull,
    cpuReservation: any.textOrNull,
    pidsLimit: any.numberOrNull,
    cpuLimit: any.textOrNull,
    command: any.textOrNull,
    args: any.list,
    externalPort: any.numberOrNull,
    env: any.text,
  };
  return [
    {
      rule: [
        'a new database is idle',
        'a database answers its documented fields',
        'the images have their defaults',
      ],
      call: call('create'),
      input: good,
      gives: {
        [idName]: any.id,
        name: 'blog',
        appName: `<prefix>-new-${kind}`,
        ...own,
        containerImage: image,
        applicationStatus: 'idle',
        createdAt: any.time,
        ...(hasReplicaSets ? { replicaSets: false } : {}),
        databasePassword: any.absent,
      },
    },
    {
      call: call('create'),
      input: {
        ...good,
        containerImage: `${kind}:latest`,
        description: 'Words',
        ...(hasReplicaSets ? { replicaSets: true } : {}),
      },
      gives: { containerImage: `${kind}:latest`, ...(hasReplicaSets ? { replicaSets: true } : {}) },
    },
    ...[
      'name',
      'appName',
      'databasePassword',
      'environmentId',
      ...Object.keys(own),
      ...(hasRootPassword ? ['databaseRootPassword'] : []),
    ].map(
      (field): Row => ({
        rule:
          field === 'appName'
            ? ['databases require an appName', 'a missing required field is 400 with its name']
            : 'a missing required field is 400 with its name',
        call: call('create'),
        input: without(field),
        refused: 'BAD_REQUEST',
        field,
      }),
    ),
    ...filled.map(
      (field): Row => ({
        rule: 'the minimum lengths',
        call: call('create'),
        input: { ...good, [field]: '' },
        refused: 'BAD_REQUEST',
        field,
      }),
    ),
    ...(isFilledOnUpdate
      ? ['name', ...Object.keys(own)].map(
          (field): Row => ({
            rule: 'the minimum lengths',
            call: call('update'),
            input: { ...id, [field]: '' },
            refused: 'BAD_REQUEST',
            field,
          }),
        )
      : []),
    ...(hasPattern ? passwordRows(call, good, id, hasRootPassword) : redisPasswordRows(call, good)),
    {
      rule: 'an empty password is replaced by a generated one',
      call: call('create'),
      input: { ...good, databasePassword: '' },
      keep: { made: idName },
      after: [
        {
          call: call('one'),
          input: { [idName]: '<made>' },
          gives: { databasePassword: any.matching(/^.{12,}$/) },
        },
      ],
    },
    {
      rule: 'an appName is unique without regard to case',
      call: call('create'),
      input: { ...good, appName: '<appName>' },
      refused: 'CONFLICT',
    },
    {
      rule: 'an appName has its grammar',
      call: call('create'),
      input: { ...good, appName: 'no good name' },
      refused: 'BAD_REQUEST',
      field: 'appName',
    },
    {
      rule: 'a member creates and deletes with the grant only',
      call: call('create'),
      as: 'member',
      input: good,
      refused: 'FORBIDDEN',
    },
    {
      rule: 'an id nested in a body is checked likewise',
      call: call('create'),
      input: { ...good, environmentId: '<foreign.environmentId>' },
      refused: 'FORBIDDEN',
    },
    {
      rule: 'an id nested in a body is checked likewise',
      call: call('create'),
      input: { ...good, serverId: '<foreign.serverId>' },
      refused: 'FORBIDDEN',
    },
    {
      rule: 'a database answers its documented fields',
      call: call('one'),
      input: id,
      gives: {
        ...record,
        environment: { environmentId: '<environmentId>', project: { projectId: '<projectId>' } },
        mounts: any.list,
        backups: any.list,
        connection: { internal: any.text, external: any.textOrNull },
      },
    },
    {
      rule: "another organization's thing is 403, none is 404",
      call: call('one'),
      input: { [idName]: `<foreign.${idName}>` },
      refused: 'FORBIDDEN',
    },
    {
      rule: "another organization's thing is 403, none is 404",
      call: call('one'),
      input: { [idName]: kind === 'redis' ? '<mysqlId>' : '<redisId>' },
      refused: 'NOT_FOUND',
    },
    ...runningRows(kind, id, record),
    {
      call: call('update'),
      input: {
        ...id,
        name: 'renamed',
        containerImage: `${kind}:7`,
        memoryReservation: '256m',
        memoryLimit: '512m',
        cpuReservation: '0.5',
        pidsLimit: 200,
        cpuLimit: '1.5',
        command: 'run',
        args: ['--a'],
        externalPort: null,
      },
      gives: {
        ...record,
        name: 'renamed',
        containerImage: `${kind}:7`,
        memoryReservation: '256m',
        memoryLimit: '512m',
        cpuReservation: '0.5',
        pidsLimit: 200,
        cpuLimit: '1.5',
        command: 'run',
        args: ['--a'],
        externalPort: null,
      },
    },
    {
      rule: 'absent fields stay, null clears',
      call: call('update'),
      before: [{ call: call('update'), input: { ...id, memoryLimit: '1g' } }],
      input: { ...id, memoryLimit: null },
      gives: { name: kind, memoryLimit: null },
    },
    {
      rule: 'memory and CPU have their grammar',
      call: call('update'),
      input: { ...id, memoryLimit: 'much' },
      refused: 'BAD_REQUEST',
      field: 'memoryLimit',
    },
    {
      call: call('saveEnvironment'),
      input: { ...id, env: 'A=1\nB=2' },
      gives: { ...record, env: 'A=••••\nB=••••', databasePassword: '••••' },
    },
    {
      rule: 'externalPort null removes the mapping',
      call: call('saveExternalPort'),
      before: [{ call: call('one'), input: id, gives: { externalPort: null } }],
      input: { ...id, externalPort: null },
      gives: { ...record, externalPort: null },
    },
    {
      rule: 'externalPort null removes the mapping',
      call: call('saveExternalPort'),
      input: id,
      refused: 'BAD_REQUEST',
      field: 'externalPort',
    },
    {
      rule: 'a port in use is 409',
      call: call('saveExternalPort'),
      before: [{ call: 'port.one', input: { portId: '<portId>' }, keep: { taken: 'publishedPort' } }],
      input: { ...id, externalPort: '<taken>' },
      refused: 'CONFLICT',
    },
    {
      rule: 'reserved ports are 409',
      call: call('saveExternalPort'),
      input: { ...id, externalPort: 443 },
      refused: 'CONFLICT',
      installation: true,
    },
    { call: call('saveExternalPort'), input: { ...id, externalPort: 443 }, refused: 'FORBIDDEN' },
    ...['idle', 'running', 'done', 'error'].map(
      (applicationStatus): Row => ({
        rule: 'changeStatus takes the four statuses',
        call: call('changeStatus'),
        input: { ...id, applicationStatus },
        gives: { ...record, applicationStatus },
      }),
    ),
    {
      rule: 'changeStatus takes the four statuses',
      call: call('changeStatus'),
      input: { ...id, applicationStatus: 'paused' },
      refused: 'BAD_REQUEST',
      field: 'applicationStatus',
    },
    {
      call: call('move'),
      input: { ...id, targetEnvironmentId: '<otherEnvironmentId>' },
      gives: { ...record, environmentId: '<otherEnvironmentId>' },
    },
    {
      rule: 'a move stays in the organization',
      call: call('move'),
      input: { ...id, targetEnvironmentId: '<foreign.environmentId>' },
      refused: 'FORBIDDEN',
    },
    {
      call: call('moveToServer'),
      input: { ...id, serverId: '<serverId>' },
      gives: { deploymentId: null },
      after: [{ call: call('one'), input: id, gives: { serverId: '<serverId>' } }],
    },
    {
      call: call('moveToServer'),
      input: { ...id, serverId: '<placeServerId>' },
      refused: 'BAD_REQUEST',
      field: 'serverId',
    },
    {
      call: call('moveToServer'),
      input: { ...id, serverId: '<foreign.serverId>' },
      refused: 'FORBIDDEN',
    },
    {
      rule: 'a removal answers with the removed record',
      call: call('remove'),
      input: id,
      gives: record,
      after: [{ call: call('one'), input: id, refused: 'NOT_FOUND' }],
    },
    {
      rule: 'a member creates and deletes with the grant only',
      call: call('remove'),
      as: 'member',
      input: id,
      refused: 'FORBIDDEN',
    },
  ];
}

function runningRows(kind: DatabaseKindName, id: object, record: object): Row[] {
  const call = (operation: string): string => `${kind}.${operation}`;
  return [
    ...['deploy', 'rebuild'].map(
      (operation): Row => ({
        call: call(operation),
        input: id,
        gives: { ...record, applicationStatus: 'running' },
      }),
    ),
    { call: call('stop'), needs: 'engine', input: id, gives: { ...record, applicationStatus: 'idle' } },
    {
      call: call('upgrade'),
      input: { ...id, containerImage: `${kind}:99` },
      refused: 'PRECONDITION_FAILED',
      says: 'deploy first',
    },
    {
      call: call('removeFormerVolume'),
      input: { ...id, volumeName: 'none' },
      refused: 'BAD_REQUEST',
      field: 'volumeName',
    },
    { call: call('readLogs'), needs: 'engine', input: id, gives: any.list },
    {
      rule: 'a stream without its Accept is one JSON',
      call: call('logs'),
      needs: 'engine',
      input: id,
      gives: { lines: any.list, lastEventId: any.textOrNull },
    },
    {
      rule: 'start before any release is 412',
      call: call('start'),
      input: id,
      refused: 'PRECONDITION_FAILED',
    },
    {
      rule: 'start before any release is 412',
      call: call('reload'),
      input: { ...id, appName: `<${kind}AppName>` },
      refused: 'PRECONDITION_FAILED',
    },
    {
      rule: "reload needs the record's appName",
      call: call('reload'),
      input: { ...id, appName: 'another' },
      refused: 'BAD_REQUEST',
      field: 'appName',
    },
  ];
}

function passwordRows(
  call: (operation: string) => string,
  good: object,
  id: object,
  hasRootPassword: boolean,
): Row[] {
  const fields = ['databasePassword', ...(hasRootPassword ? ['databaseRootPassword'] : [])];
  return fields.flatMap((field) =>
    ['with space', "quote'", 'dollar$', 'back\\slash', 'ümlaut', 'exclamation!'].flatMap((value): Row[] => [
      {
        rule: 'the password pattern',
        call: call('create'),
        input: { ...good, [field]: value },
        refused: 'BAD_REQUEST',
        field,
      },
      {
        rule: 'the password pattern',
        call: call('update'),
        input: { ...id, [field]: value },
        refused: 'BAD_REQUEST',
        field,
      },
    ]),
  );
}

function redisPasswordRows(call: (operation: string) => string, good: object): Row[] {
  return [
    {
      rule: 'the redis password is free of NUL and line break',
      call: call('create'),
      input: { ...good, databasePassword: 'any $ "thing" \\ ü' },
      gives: { applicationStatus: 'idle' },
    },
    ...['line\nbreak', 'nul\0'].map(
      (databasePassword): Row => ({
        rule: 'the redis password is free of NUL and line break',
        call: call('create'),
        input: { ...good, databasePassword },
        refused: 'BAD_REQUEST',
        field: 'databasePassword',
      }),
    ),
  ];
}

export const databaseRows: Rows = databaseKindNames.flatMap(rowsOf);

const [sql, redis] = [{ databaseId: '<postgresId>' }, { databaseId: '<redisId>' }];
const table = { ...sql, schema: 'public', table: 'orders' };

/** Contents of databases, without an engine that any of them runs on. */
export const contentRows: Rows = [
  { call: 'database.tables', input: sql, refused: 'SERVICE_UNAVAILABLE' },
  { call: 'database.tables', input: redis, refused: 'PRECONDITION_FAILED' },
  { call: 'database.rows', input: table, refused: 'SERVICE_UNAVAILABLE' },
  { call: 'database.rows', input: { ...table, limit: 201 }, refused: 'BAD_REQUEST', field: 'limit' },
  { call: 'database.query', input: { ...sql, statement: 'select 1' }, refused: 'SERVICE_UNAVAILABLE' },
  {
    call: 'database.query',
    input: { ...sql, statement: '\\! id' },
    refused: 'BAD_REQUEST',
    field: 'statement',
  },
  { call: 'database.statements', input: sql, refused: 'SERVICE_UNAVAILABLE' },
  { call: 'database.statements', input: redis, refused: 'SERVICE_UNAVAILABLE' },
  { call: 'database.keys', input: redis, refused: 'SERVICE_UNAVAILABLE' },
  { call: 'database.keys', input: sql, refused: 'PRECONDITION_FAILED' },
  { call: 'database.value', input: { ...redis, key: 'session:1' }, refused: 'SERVICE_UNAVAILABLE' },
];
