/**
 * Backups of volumes from the interface to a folder; real volumes are in
 * test/e2e/backups/volumes.e2e.test.ts.
 */
import { expect, it } from 'vitest';
import { backupScenes, type BackupScene } from '../../../../../test/http/backup-scene.ts';
import { textOf } from '../../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { tableStore } from '../../../db/table-store.ts';
import { newApplication } from '../../application/defaults.ts';
import { createBackupRunStore } from '../store.ts';

const hour = 3_600_000;
const service = { applicationId: 'shop' };
const redis = { redisId: 'cache' };

eachDatabase('backups of volumes', (test) => {
  const begin = backupScenes(test);
  async function scene(settings: object = {}): Promise<BackupScene & { volumeBackupId: string }> {
    const made = await begin();
    await addApplication(made);
    const { owner, backupId } = made;
    const destinationId = textOf(await owner.query('backup.one', { backupId }), 'destinationId');
    const input = { ...service, volumeName: 'data', destinationId, schedule: '0 4 * * *', ...settings };
    const volumeBackupId = textOf(await owner.mutate('volumeBackup.create', input), 'volumeBackupId');
    return { ...made, volumeBackupId };
  }
  const record = {
    volumeBackupId: expect.any(String),
    applicationId: 'shop',
    composeId: null,
    redisId: null,
    volumeName: 'data',
    serviceDuring: 'running',
    schedule: '0 4 * * *',
    timeZone: 'UTC',
    prefix: 'shop-app',
    enabled: true,
    keepLatestCount: null,
    alarmAfterHours: null,
    alarmSince: null,
    lastGoodAt: null,
    destinationId: expect.any(String),
    createdAt: expect.any(String),
  };

  it('are read, listed, changed and removed, beside those of databases', async () => {
    const { owner, volumeBackupId, backupId } = await scene();
    const id = { volumeBackupId };
    expect(await owner.query('volumeBackup.one', id)).toEqual(record);
    expect(await owner.query('volumeBackup.all')).toEqual([record]);
    expect(await owner.query('volumeBackup.byService', service)).toEqual([record]);
    expect(await owner.query('volumeBackup.volumes', service)).toEqual([
      { volumeName: 'data', mountPaths: [] },
    ]);
    expect(await owner.query('backup.all')).toMatchObject([{ backupId }]);
    const changed = { ...record, serviceDuring: 'stopped', keepLatestCount: 3, enabled: false };
    expect(
      await owner.mutate('volumeBackup.update', {
        ...id,
        serviceDuring: 'stopped',
        keepLatestCount: 3,
        enabled: false,
      }),
    ).toEqual(changed);
    expect(await owner.mutate('volumeBackup.remove', id)).toEqual(changed);
    expect(await owner.query('volumeBackup.all')).toEqual([]);
  });

  it('are for whoever reaches the service; what reads any object is for Owner and Admin', async () => {
    const { volumeBackupId, member, stranger, admin } = await scene();
    for (const [procedure, input] of [
      ['volumeBackup.one', { volumeBackupId }],
      ['volumeBackup.runs', { volumeBackupId }],
      ['volumeBackup.byService', service],
      ['volumeBackup.volumes', service],
    ] as const) {
      expect(await member.query(procedure, input), procedure).toMatchObject({ code: 'FORBIDDEN' });
      expect(await stranger.query(procedure, input), procedure).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await member.query('volumeBackup.all')).toEqual([]);
    expect(await stranger.query('volumeBackup.all')).toEqual([]);
    expect(await stranger.mutate('volumeBackup.run', { volumeBackupId })).toMatchObject({
      code: 'FORBIDDEN',
    });
    const { destinationId } = Object(await admin.query('volumeBackup.one', { volumeBackupId }));
    const restore = { ...service, volumeName: 'data', destinationId, backupFile: 'shop/one.tar.gz' };
    expect(await member.mutate('volumeBackup.restore', restore)).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('run by hand and by schedule, are kept, told by the volume’s name, and retained', async () => {
    const { desk, owner, volumeBackupId, clock, files } = await scene({ keepLatestCount: 1 });
    const runs = async (): Promise<unknown> => {
      await desk.idle();
      return owner.query('volumeBackup.runsByService', service);
    };
    await owner.mutate('volumeBackup.run', { volumeBackupId });
    expect(await runs()).toMatchObject([
      { status: 'done', operation: 'backup', volumeName: 'data', isStored: true, startedBy: 'person' },
    ]);
    expect(await files()).toEqual([expect.stringMatching(/\/shop-app\/data-2026-06-01T[^/]*\.dump\.gz$/)]);
    expect(desk.told).toMatchObject([
      {
        event: 'backupDone',
        subject: { type: 'backup', id: volumeBackupId, name: 'backup of the volume data' },
      },
    ]);
    const [first] = await files();
    desk.holds = true;
    await desk.tick();
    clock.time += 5 * hour;
    await desk.tick();
    // That of the database has its time, too.
    while (await desk.work());
    expect(await runs()).toMatchObject([
      { startedBy: 'schedule', status: 'done' },
      { startedBy: 'person', isStored: false },
    ]);
    expect(await files()).not.toContain(first);
    expect(await owner.query('volumeBackup.one', { volumeBackupId })).toMatchObject({
      lastGoodAt: new Date(clock.time).toISOString(),
    });
  });

  it('that could not let their service go on are tried again with each tick, until they did', async () => {
    const { desk, owner, volumeBackupId, database } = await scene();
    await owner.mutate('volumeBackup.run', { volumeBackupId });
    await desk.idle();
    const runs = createBackupRunStore(database);
    const [run] = await runs.list({ applicationId: 'shop' });
    const backupRunId = run?.backupRunId ?? '';
    const heldBy = (status: 'running' | 'error'): Promise<number> =>
      runs.update({ backupRunId }, { status, held: { how: 'stopped', containers: [] } });
    desk.tidied.length = 0;
    // Whoever runs still has it rightly.
    await heldBy('running');
    await desk.tick();
    expect(desk.tidied).toEqual([]);
    await heldBy('error');
    await desk.tick();
    await desk.tick();
    expect(desk.tidied).toEqual([backupRunId, backupRunId]);
    await runs.update({ backupRunId }, { held: null });
    await desk.tick();
    expect(desk.tidied).toHaveLength(2);
    await desk.idle();
  });

  it('that are missing too long are an alarm with the name of the volume', async () => {
    const { desk, owner, volumeBackupId, clock } = await scene({ alarmAfterHours: 2 });
    clock.time += 3 * hour;
    await desk.tick();
    expect(await owner.query('volumeBackup.one', { volumeBackupId })).toMatchObject({
      alarmSince: new Date(clock.time).toISOString(),
    });
    expect(desk.told).toMatchObject([
      { event: 'backupSilent', sentence: expect.stringContaining('The backup of the volume data has had') },
    ]);
  });

  it('are restored one at a time in a service; the same one again is the one under way', async () => {
    const { desk, owner, volumeBackupId } = await scene();
    const { destinationId } = Object(await owner.query('volumeBackup.one', { volumeBackupId }));
    desk.holds = true;
    const restore = { ...service, volumeName: 'data', destinationId, backupFile: 'shop/one.tar.gz' };
    const run = await owner.mutate('volumeBackup.restore', restore);
    expect(run).toMatchObject({ operation: 'restore', applicationId: 'shop', volumeName: 'data' });
    expect(await owner.mutate('volumeBackup.restore', restore)).toEqual(run);
    expect(
      await owner.mutate('volumeBackup.restore', { ...restore, backupFile: 'shop/two.tar.gz' }),
    ).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('shop/one.tar.gz') });
    expect(await owner.mutate('volumeBackup.restore', { ...restore, volumeName: 'none' })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('volumeName: is not a volume of the service; it has data'),
    });
  });

  it('leave what was before a restore as a former volume until it is removed', async () => {
    const { desk, owner, volumeBackupId, database } = await scene();
    const { destinationId } = Object(await owner.query('volumeBackup.one', { volumeBackupId }));
    desk.load = (context) => context.record({ previousVolume: 'berth-shop-data' });
    await owner.mutate('volumeBackup.restore', {
      ...service,
      volumeName: 'data',
      destinationId,
      backupFile: 'shop/one.tar.gz',
    });
    await desk.idle();
    const runs = createBackupRunStore(database);
    const organizationId = (await runs.list({}))[0]?.organizationId ?? '';
    expect(await runs.formerVolumes(organizationId)).toEqual([
      {
        applicationId: 'shop',
        composeId: null,
        name: 'shop',
        serverId: null,
        volumeName: 'berth-shop-data',
        since: expect.any(String),
      },
    ]);
    expect(await runs.formerVolumes()).toHaveLength(1);
    expect(await runs.formerVolumes('another')).toEqual([]);
    expect(
      await owner.mutate('volumeBackup.removeFormerVolume', { ...service, volumeName: 'other' }),
    ).toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('of a Redis database are its dumps: beside those of volumes, and in no list of databases', async () => {
    const { desk, owner, member, stranger, admin, volumeBackupId, destinationId, files } = await redisScene();
    const id = { volumeBackupId };
    const own = {
      ...record,
      applicationId: null,
      redisId: 'cache',
      schedule: '0 5 * * *',
      prefix: 'cache-app',
    };
    expect(await admin.query('volumeBackup.one', id)).toEqual(own);
    expect(await owner.query('volumeBackup.byService', redis)).toEqual([own]);
    expect(await owner.query('volumeBackup.all')).toMatchObject([{ redisId: 'cache' }, service]);
    expect(await owner.query('backup.all')).toHaveLength(1);
    expect(await owner.query('backup.one', { backupId: volumeBackupId })).toMatchObject({
      code: 'NOT_FOUND',
    });
    for (const somebody of [member, stranger]) {
      expect(await somebody.query('volumeBackup.one', id)).toMatchObject({ code: 'FORBIDDEN' });
      expect(await somebody.query('volumeBackup.volumes', redis)).toMatchObject({ code: 'FORBIDDEN' });
      expect(await somebody.query('volumeBackup.all')).toEqual([]);
    }
    expect(await owner.mutate('volumeBackup.update', { ...id, serviceDuring: 'paused' })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('serviceDuring: must be running for a Redis database'),
    });
    await owner.mutate('volumeBackup.run', id);
    await desk.idle();
    expect(await owner.query('volumeBackup.runsByService', redis)).toMatchObject([
      { status: 'done', databaseId: 'cache', applicationId: null, volumeName: 'data' },
    ]);
    expect(await files()).toEqual([expect.stringMatching(/\/cache-app\/data-2026-06-01T[^/]*\.dump\.gz$/)]);
    expect(desk.told).toMatchObject([{ subject: { name: 'backup of the data of a Redis database' } }]);
    desk.holds = true;
    const restore = { ...redis, volumeName: 'data', destinationId, backupFile: 'cache/one.rdb.gz' };
    expect(await member.mutate('volumeBackup.restore', restore)).toMatchObject({ code: 'FORBIDDEN' });
    const run = await owner.mutate('volumeBackup.restore', restore);
    expect(run).toMatchObject({ operation: 'restore', databaseId: 'cache', volumeName: 'data' });
    expect(
      await owner.mutate('volumeBackup.restore', { ...restore, backupFile: 'cache/two.rdb.gz' }),
    ).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('into this database') });
  });

  async function redisScene(): Promise<BackupScene & { volumeBackupId: string; destinationId: string }> {
    const made = await scene();
    const { owner, database, backupId, people } = made;
    const destinationId = textOf(await owner.query('backup.one', { backupId }), 'destinationId');
    const databases = tableStore(database, 'database');
    made.clock.time += 1000;
    const [present] = await databases.list({ organizationId: people.owner.organizationId });
    if (!present) throw new Error('no database');
    await databases.insert({
      ...present,
      databaseId: 'cache',
      kind: 'redis',
      name: 'cache',
      appName: 'cache-app',
      databaseName: null,
      databaseUser: null,
    });
    const input = { ...redis, volumeName: 'data', destinationId, schedule: '0 5 * * *' };
    const volumeBackupId = textOf(await owner.mutate('volumeBackup.create', input), 'volumeBackupId');
    return { ...made, volumeBackupId, destinationId };
  }
});

async function addApplication({ database, people, place }: BackupScene): Promise<void> {
  const { organizationId } = people.owner;
  const application = newApplication({
    ...service,
    refreshToken: 'token',
    organizationId,
    environmentId: place.environmentId,
    name: 'shop',
    appName: 'shop-app',
    description: '',
    createdAt: '2026-01-01T00:00:00.000Z',
  });
  await tableStore(database, 'application').insert(application);
  await tableStore(database, 'mount').insert({
    mountId: 'mount',
    organizationId,
    type: 'volume',
    hostPath: null,
    volumeName: 'data',
    filePath: null,
    content: null,
    mountPath: '/data',
    serviceType: 'application',
    ...service,
    createdAt: '2026-01-01T00:00:00.000Z',
    databaseId: null,
    composeId: null,
    approval: null,
    isSecret: false,
  });
}
