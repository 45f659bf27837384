import { expect, it } from 'vitest';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { createBackupDesk } from '../../../../test/store/backup-desk.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { tableStore } from '../../db/table-store.ts';
import { databaseIds, type DatabaseKindName } from '../../domain/database-kind.ts';
import { systemClock } from '../../ports/clock.ts';
import { createStores } from '../../composition/stores.ts';
import { databaseKinds } from '../database/kinds.ts';
import { backupKindNames } from './contract-kinds.ts';
import { neverRan } from '../database/database.ts';

const useOther = 'is a backup of a mysql database; use backup.manualBackupMySql';
const createdAt = '2026-01-01T00:00:00.000Z';
const settings = {
  schedule: '0 3 * * *',
  prefix: 'shop',
  database: 'shop',
  destinationId: 'destination-first',
};

eachDatabase('backups', (test) => {
  const createWorld = worlds(test);
  const begin = async (): Promise<World> => {
    const world = await createWorld((database) => createBackupDesk(database, systemClock).routers);
    await addDatabases(world);
    return world;
  };

  it('are created, read, listed, changed and removed', async () => {
    const { owner } = await begin();
    const created = await owner.mutate('backup.create', {
      ...settings,
      databaseType: 'postgres',
      postgresId: 'postgres-first',
    });
    const record = {
      backupId: expect.any(String),
      ...settings,
      databaseId: 'postgres-first',
      databaseType: 'postgres',
      ...databaseIds('postgres', 'postgres-first'),
      enabled: true,
      keepLatestCount: null,
      createdAt: expect.any(String),
      timeZone: 'UTC',
      verifySchedule: null,
      alarmAfterHours: null,
      alarmSince: null,
      lastGoodAt: null,
    };
    expect(created).toEqual(record);
    const backupId = textOf(created, 'backupId');
    expect(await owner.query('backup.one', { backupId })).toEqual(created);
    const other = await owner.mutate('backup.create', {
      ...settings,
      databaseType: 'postgres',
      databaseId: 'postgres-first',
      keepLatestCount: 7,
      enabled: false,
    });
    expect(other).toEqual({ ...record, keepLatestCount: 7, enabled: false });
    for (const named of [
      { postgresId: 'postgres-first' },
      { databaseId: 'postgres-first', databaseType: 'postgres' },
    ])
      expect(await owner.query('backup.byDatabase', named)).toEqual([other, created]);
    expect(await owner.query('backup.byDatabase', { postgresId: 'postgres-first', limit: 1 })).toEqual({
      items: [other],
      nextCursor: textOf(other, 'backupId'),
    });
    expect(await owner.query('backup.byDatabase', { mongoId: 'mongo-first' })).toEqual([]);
    const changes = {
      schedule: '@daily',
      timeZone: 'Europe/Berlin',
      prefix: '',
      database: 'other',
      destinationId: 'destination-second',
      enabled: false,
      keepLatestCount: 3,
      verifySchedule: '@weekly',
      alarmAfterHours: 36,
    };
    expect(await owner.mutate('backup.update', { backupId, ...changes, databaseType: 'postgres' })).toEqual({
      ...record,
      ...changes,
    });
    expect(await owner.mutate('backup.update', { backupId, keepLatestCount: null })).toEqual({
      ...record,
      ...changes,
      keepLatestCount: null,
    });
    expect(await owner.mutate('backup.update', { backupId })).toEqual({
      ...record,
      ...changes,
      keepLatestCount: null,
    });
    expect(await owner.mutate('destination.remove', { destinationId: 'destination-second' })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('1 backup.'),
    });
    expect(await owner.mutate('backup.remove', { backupId })).toMatchObject({ backupId, prefix: '' });
    expect(await owner.query('backup.one', { backupId })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await owner.mutate('destination.remove', { destinationId: 'destination-second' })).toMatchObject({
      destinationId: 'destination-second',
    });
  });

  it('are of the kind that is said, and of every kind that has some', async () => {
    const { owner } = await begin();
    for (const kind of backupKindNames)
      expect(
        await owner.mutate('backup.create', {
          ...settings,
          databaseType: kind,
          [`${kind}Id`]: `${kind}-first`,
        }),
      ).toMatchObject({ databaseType: kind, [`${kind}Id`]: `${kind}-first` });
    const refused: [object, string][] = [
      [{ databaseType: 'postgres', mysqlId: 'mysql-first' }, 'mysqlId'],
      [{ databaseType: 'postgres', postgresId: 'postgres-first', mysqlId: 'mysql-first' }, 'mysqlId'],
      [{ databaseType: 'postgres', databaseId: 'mysql-first' }, 'databaseType'],
      [{ databaseType: 'postgres' }, 'postgresId'],
      [{}, 'databaseId'],
      [{ databaseId: 'mysql-first' }, 'databaseType'],
      [{ postgresId: 'postgres-first', databaseId: 'mysql-first' }, 'databaseId'],
      [{ databaseType: 'sqlite', databaseId: 'mysql-first' }, 'databaseType'],
    ];
    for (const [named, field] of refused) {
      expect(await owner.mutate('backup.create', { ...settings, ...named })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
      expect(await owner.query('backup.byDatabase', named)).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
    expect(await owner.mutate('backup.create', { ...settings, postgresId: 'mysql-first' })).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('of redis are refused in every form, and the refusal says that there are none', async () => {
    const { owner, database, people } = await begin();
    const none = {
      code: 'BAD_REQUEST',
      message: expect.stringContaining('no backup operation exists for it'),
    };
    const named = [
      { redisId: 'redis-first' },
      { databaseType: 'redis', redisId: 'redis-first' },
      { databaseType: 'redis', databaseId: 'redis-first' },
      { databaseType: 'postgres', databaseId: 'redis-first' },
    ];
    for (const input of named) {
      expect(await owner.mutate('backup.create', { ...settings, ...input })).toMatchObject(none);
      expect(await owner.query('backup.byDatabase', input)).toMatchObject(none);
    }
    const restore = {
      databaseId: 'redis-first',
      databaseName: 'x',
      backupFile: 'a',
      destinationId: 'destination-first',
    };
    for (const databaseType of ['redis', 'mysql'])
      expect(await owner.mutate('backup.restoreBackupWithLogs', { ...restore, databaseType })).toMatchObject(
        none,
      );
    expect(
      await tableStore(database, 'backup').list({ organizationId: people.owner.organizationId }),
    ).toEqual([]);
  });

  it('are refused before anything begins, and the refusal says why', async () => {
    const { owner, database } = await begin();
    const backupId = textOf(
      await owner.mutate('backup.create', { ...settings, mysqlId: 'mysql-first' }),
      'backupId',
    );
    for (const kind of backupKindNames.filter((one) => one !== 'mysql')) {
      expect(await owner.mutate(`backup.${databaseKinds[kind].manualBackup}`, { backupId })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['backupId'],
        message: `backupId: ${useOther}`,
      });
    }
    const restore = {
      databaseId: 'mysql-first',
      databaseType: 'mysql',
      databaseName: 'shop',
      backupFile: 'shop/1.dump',
      destinationId: 'destination-first',
    };
    expect(
      await owner.mutate('backup.restoreBackupWithLogs', { ...restore, databaseType: 'postgres' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['databaseType'] });
    for (const [field, value] of [
      ['backupFile', '../x'],
      ['backupFile', ''],
      ['databaseName', '--all'],
      ['databaseType', 'sqlite'],
    ] as const) {
      expect(
        await owner.mutate('backup.restoreBackupWithLogs', { ...restore, [field]: value }),
      ).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
    }
    for (const [field, value, code] of [
      ['databaseId', 'mysql-other', 'FORBIDDEN'],
      ['destinationId', 'destination-other', 'FORBIDDEN'],
      ['databaseId', 'nowhere', 'NOT_FOUND'],
      ['destinationId', 'nowhere', 'NOT_FOUND'],
    ] as const) {
      expect(
        await owner.mutate('backup.restoreBackupWithLogs', { ...restore, [field]: value }),
      ).toMatchObject({ code });
    }
    expect(await owner.query('backup.listFiles', { destinationId: 'destination-other' })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await owner.mutate('backup.verify', { backupId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('no good object'),
    });
    expect(await tableStore(database, 'backup_run').list({})).toEqual([]);
  });

  it('are for whoever reaches the database; what reads any object is for Owner and Admin', async () => {
    const { owner, member, stranger, nobody, people, place, database } = await begin();
    const create = { ...settings, postgresId: 'postgres-first' };
    const backupId = textOf(await owner.mutate('backup.create', create), 'backupId');
    const calls = (client: InterfaceClient, id = backupId): Promise<unknown>[] => [
      client.query('backup.one', { backupId: id }),
      client.mutate('backup.update', { backupId: id, prefix: 'other' }),
      client.mutate('backup.verify', { backupId: id }),
      client.query('backup.runs', { backupId: id }),
      client.mutate('backup.remove', { backupId: id }),
    ];
    const general = (client: InterfaceClient): Promise<unknown>[] => [
      client.mutate('backup.create', create),
      client.query('backup.byDatabase', { postgresId: 'postgres-first' }),
    ];
    const restore = {
      databaseId: 'postgres-first',
      databaseType: 'postgres',
      databaseName: 'shop',
      backupFile: 'a',
      destinationId: 'destination-first',
    };
    const whole = (client: InterfaceClient): Promise<unknown>[] => [
      client.query('backup.listFiles', { destinationId: 'destination-first' }),
      client.mutate('backup.restoreBackupWithLogs', restore),
    ];
    for (const answer of await Promise.all([...calls(nobody), ...general(nobody), ...whole(nobody)]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const client of [member, stranger])
      for (const answer of await Promise.all([...calls(client), ...general(client), ...whole(client)]))
        expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere')))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    await people.grant({ accessedServices: ['postgres-first'] });
    expect(await member.query('backup.one', { backupId })).toMatchObject({ backupId });
    expect(await member.mutate('backup.create', create)).toMatchObject({ postgresId: 'postgres-first' });
    for (const answer of await Promise.all(whole(member)))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    await people.grant({ accessedServices: [place.applicationId] });
    expect(await member.query('backup.one', { backupId })).toMatchObject({ code: 'FORBIDDEN' });
    for (const [destinationId, code] of [
      ['destination-other', 'FORBIDDEN'],
      ['nowhere', 'NOT_FOUND'],
    ]) {
      expect(await owner.mutate('backup.create', { ...create, destinationId })).toMatchObject({ code });
      expect(await owner.mutate('backup.update', { backupId, destinationId })).toMatchObject({ code });
    }
    for (const [field, value] of [
      ['schedule', 'nightly'],
      ['schedule', '* * *'],
      ['timeZone', 'Mars'],
      ['verifySchedule', 'x'],
      ['alarmAfterHours', 0],
      ['prefix', '../x'],
      ['prefix', '--x'],
      ['database', ''],
      ['database', '-x'],
      ['database', 'a\nb'],
      ['keepLatestCount', 0],
      ['keepLatestCount', 1.5],
      ['enabled', 'yes'],
    ] as const) {
      expect(await owner.mutate('backup.update', { backupId, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
      expect(await owner.mutate('backup.create', { ...create, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
    expect(await owner.mutate('backup.update', { backupId, databaseType: 'mysql' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['databaseType'],
    });
    for (const field of ['schedule', 'database', 'destinationId'])
      expect(await owner.mutate('backup.create', { ...create, [field]: undefined })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    expect(await owner.query('backup.one', { backupId })).toMatchObject(settings);
    const { prefix: _prefix, ...withoutPrefix } = create;
    const named = await owner.mutate('backup.create', withoutPrefix);
    const { appName } = (await createStores(database).databases.find({ databaseId: 'postgres-first' })) ?? {};
    expect(named).toMatchObject({ prefix: appName });
  });
});

/** A database of each kind and two destinations in the first organization, one of each in the other. */
async function addDatabases({ database, people, place, foreign }: World): Promise<void> {
  const databases = tableStore(database, 'database');
  const destinations = tableStore(database, 'destination');
  const add = (
    kind: DatabaseKindName,
    end: string,
    { organizationId, environmentId }: { organizationId: string; environmentId: string },
  ): Promise<void> =>
    databases.insert({
      databaseId: `${kind}-${end}`,
      kind,
      organizationId,
      environmentId,
      name: kind,
      appName: `${kind}-${end}`,
      description: '',
      databaseName: 'shop',
      databaseUser: 'shop',
      databasePassword: 'x',
      databaseRootPassword: null,
      containerImage: `${kind}:1`,
      replicaSets: false,
      serverId: null,
      applicationStatus: 'idle',
      memoryLimit: null,
      memoryReservation: null,
      pidsLimit: null,
      cpuLimit: null,
      cpuReservation: null,
      command: null,
      args: [],
      env: '',
      externalPort: null,
      ...neverRan(`${kind}-${end}`),
      createdAt,
    });
  const first = { organizationId: people.owner.organizationId, environmentId: place.environmentId };
  for (const kind of [...backupKindNames, 'redis' as const]) await add(kind, 'first', first);
  await add('mysql', 'other', {
    organizationId: people.stranger.organizationId,
    environmentId: foreign.environmentId,
  });
  for (const [end, organizationId] of [
    ['first', people.owner.organizationId],
    ['second', people.owner.organizationId],
    ['other', people.stranger.organizationId],
  ] as const) {
    await destinations.insert({
      destinationId: `destination-${end}`,
      organizationId,
      name: end,
      provider: 'local',
      accessKey: '',
      secretAccessKey: '',
      hostKey: '',
      recipients: [],
      identities: null,
      bucket: '',
      region: '',
      endpoint: '',
      path: '/srv/backups',
      createdAt,
    });
  }
}
