import { expect, it } from 'vitest';
import { hostReachOn } from '../../../../test/http/host-reach.ts';
import { afterChange } from '../../../../test/http/after-change.ts';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import type { Database } from '../../db/database.ts';
import { tableStore } from '../../db/table-store.ts';
import { databaseIds } from '../../domain/database-kind.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { mountContract } from './contract.ts';
import { mountHandlers } from './handlers.ts';
import { createMounts } from './mount.ts';
import { createMountStore } from './store.ts';
import { plainCompose } from '../../../../test/world/plain-compose.ts';
import { neverRan } from '../database/database.ts';

eachDatabase('mounts', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database) => {
      const mounts = createMounts(createMountStore(database), {
        clock: systemClock,
        approve: hostReachOn(database, ['/var/lib/berth']).bindApproval,
        released: async () => [],
      });
      return [router('mount', mountContract, mountHandlers(mounts))];
    });

  it('are created, read, listed, changed and removed', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    const created = await owner.mutate('mount.create', {
      type: 'volume',
      volumeName: 'data',
      mountPath: '/data',
      applicationId,
    });
    const record = {
      mountId: expect.any(String),
      type: 'volume',
      hostPath: null,
      volumeName: 'data',
      filePath: null,
      content: null,
      isSecret: false,
      mountPath: '/data',
      serviceType: 'application',
      applicationId,
      composeId: null,
      ...databaseIds('', null),
      createdAt: expect.any(String),
    };
    expect(created).toEqual(record);
    const mountId = textOf(created, 'mountId');
    expect(await owner.query('mount.one', { mountId })).toEqual(record);
    const asFile = {
      ...record,
      type: 'file',
      volumeName: null,
      filePath: 'app.conf',
      content: 'port=1',
      mountPath: '/etc/app.conf',
    };
    const change = { mountId, type: 'file', content: 'port=1', mountPath: '/etc/app.conf' };
    expect(await owner.mutate('mount.update', change)).toEqual(afterChange(asFile));
    expect(await owner.query('mount.one', { mountId })).toEqual(asFile);
    expect(await owner.mutate('mount.update', { mountId, content: 'port=2' })).toEqual({
      ...asFile,
      content: '••••',
    });
    expect(await owner.mutate('mount.update', { mountId, content: null })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['content'],
    });
    const bound = await owner.mutate('mount.create', {
      type: 'bind',
      hostPath: '/srv/shop',
      mountPath: '/data',
      serviceType: 'application',
      serviceId: applicationId,
    });
    expect(bound).toMatchObject({ type: 'bind', hostPath: '/srv/shop', applicationId });
    expect(await owner.query('mount.byApplicationId', { applicationId })).toMatchObject([
      { type: 'bind' },
      { type: 'file' },
    ]);
    expect(await owner.mutate('mount.remove', { mountId })).toEqual({ ...asFile, content: '••••' });
    expect(await owner.query('mount.one', { mountId })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('have at most five million bytes of files in one service', async () => {
    const { owner, place } = await begin();
    const create = (index: number, content: string): Promise<unknown> =>
      owner.mutate('mount.create', {
        type: 'file',
        filePath: `${index}.txt`,
        content,
        mountPath: `/etc/${index}.txt`,
        applicationId: place.applicationId,
      });
    const large = 'é'.repeat(250_000);
    let mountId = '';
    for (let index = 0; index < 10; index += 1) mountId = textOf(await create(index, large), 'mountId');
    expect(await create(10, 'a')).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['content'],
      message: expect.stringMatching(/5000001 bytes.*may have 5000000 bytes/),
    });
    expect(await owner.mutate('mount.update', { mountId, content: 'a' })).toMatchObject({ mountId });
    expect(await create(10, 'a')).toMatchObject({ filePath: '10.txt' });
  });

  it('belong to services of any kind', async () => {
    const {
      owner,
      member,
      people,
      database,
      place: { environmentId },
      foreign,
    } = await begin();
    await addServices(database, { environmentId, organizationId: people.owner.organizationId });
    const create = (input: object): Promise<unknown> =>
      owner.mutate('mount.create', { type: 'volume', volumeName: 'data', mountPath: '/data', ...input });
    const ids = { applicationId: null, composeId: null, ...databaseIds('', null) };
    const ofCompose = await create({ composeId: 'compose-1' });
    expect(ofCompose).toMatchObject({ serviceType: 'compose', ...ids, composeId: 'compose-1' });
    expect(await create({ serviceId: 'compose-1', mountPath: '/more' })).toMatchObject({
      serviceType: 'compose',
      composeId: 'compose-1',
    });
    expect(await create({ postgresId: 'database-1', serviceType: 'postgres' })).toMatchObject({
      serviceType: 'postgres',
      ...ids,
      postgresId: 'database-1',
    });
    expect(
      await create({ serviceId: 'database-1', serviceType: 'postgres', mountPath: '/more' }),
    ).toMatchObject({ postgresId: 'database-1' });
    expect(await create({ composeId: 'compose-1' })).toMatchObject({
      code: 'CONFLICT',
      fields: ['mountPath'],
    });
    expect(await create({ serviceId: 'database-1' })).toMatchObject({
      code: 'CONFLICT',
      fields: ['mountPath'],
    });
    expect(await owner.query('mount.byComposeId', { composeId: 'compose-1' })).toMatchObject([
      { mountPath: '/more' },
      { mountPath: '/data' },
    ]);
    expect(
      await owner.mutate('mount.update', { mountId: textOf(ofCompose, 'mountId'), mountPath: '/elsewhere' }),
    ).toMatchObject({ composeId: 'compose-1', mountPath: '/elsewhere' });
    expect(await create({ mysqlId: 'database-1', mountPath: '/x' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await create({ serviceId: 'database-1', serviceType: 'mysql', mountPath: '/x' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['serviceType'],
    });
    expect(
      await create({ composeId: 'compose-1', serviceType: 'application', mountPath: '/x' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['serviceType'] });
    expect(await create({ composeId: 'compose-1', postgresId: 'database-1', mountPath: '/x' })).toMatchObject(
      { code: 'BAD_REQUEST', fields: ['postgresId'] },
    );
    expect(await create({ serviceType: 'compose', mountPath: '/x' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['composeId'],
    });
    for (const [name, input] of [
      ['mount.create', { type: 'volume', volumeName: 'v', mountPath: '/y', composeId: 'compose-1' }],
      ['mount.create', { type: 'volume', volumeName: 'v', mountPath: '/y', serviceId: 'database-1' }],
    ] as const) {
      await people.grant({ accessedEnvironments: [foreign.environmentId] });
      expect(await member.mutate(name, input)).toMatchObject({ code: 'FORBIDDEN' });
      await people.grant({ accessedEnvironments: [environmentId] });
      expect(await member.mutate(name, input)).toMatchObject({ mountPath: '/y' });
    }
  });

  it('are one for each path of a service', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    const create = (mountPath: string): Promise<unknown> =>
      owner.mutate('mount.create', { type: 'volume', volumeName: 'v', mountPath, applicationId });
    await create('/data');
    const other = textOf(await create('/other'), 'mountId');
    expect(await create('/data/')).toMatchObject({ code: 'CONFLICT', fields: ['mountPath'] });
    expect(await owner.mutate('mount.update', { mountId: other, mountPath: '/data' })).toMatchObject({
      code: 'CONFLICT',
    });
    expect(
      await owner.mutate('mount.update', { mountId: other, mountPath: '/other', volumeName: 'w' }),
    ).toMatchObject({ volumeName: 'w' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => create('/at-once')));
    expect(
      answers.filter((answer) => typeof answer === 'object' && answer !== null && 'mountId' in answer),
    ).toHaveLength(1);
    expect(
      answers.filter(
        (answer) =>
          typeof answer === 'object' && answer !== null && 'code' in answer && answer.code === 'CONFLICT',
      ),
    ).toHaveLength(5);
  });

  it('of paths of the server are for people with host reach, and never for what controls it', async () => {
    const {
      owner,
      admin,
      member,
      stranger,
      people,
      place: { applicationId },
      foreign,
    } = await begin();
    await people.grant({ accessedServices: [applicationId] });
    const bind = { type: 'bind', hostPath: '/srv/shop', mountPath: '/data', applicationId };
    expect(await member.mutate('mount.create', bind)).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('Owner or Admin'),
    });
    const theirs = { ...bind, applicationId: foreign.applicationId };
    expect(await stranger.mutate('mount.create', theirs)).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('hostPath would reach the server itself'),
    });
    const mountId = textOf(
      await member.mutate('mount.create', { ...bind, type: 'volume', hostPath: null, volumeName: 'v' }),
      'mountId',
    );
    expect(await member.mutate('mount.update', { mountId, type: 'bind', hostPath: '/' })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await member.query('mount.one', { mountId })).toMatchObject({ type: 'volume', volumeName: 'v' });
    expect(
      await admin.mutate('mount.update', { mountId, type: 'bind', hostPath: '/srv/shop' }),
    ).toMatchObject({ type: 'bind' });
    expect(
      await member.mutate('mount.update', { mountId, hostPath: '/srv/shop', mountPath: '/elsewhere' }),
    ).toMatchObject({ code: 'FORBIDDEN' });
    expect(await member.mutate('mount.update', { mountId, mountPath: '/elsewhere' })).toMatchObject({
      hostPath: '/srv/shop',
    });
    for (const hostPath of ['/', '/var/lib', '/var/lib/berth/key', '/proc/self/root/var/lib/berth'])
      expect(await owner.mutate('mount.create', { ...bind, hostPath, mountPath: '/x' })).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringMatching(/controls this server|leads through a process/),
      });
  });

  it('are closed to other organizations and to members without access; bad input is named', async () => {
    const {
      owner,
      member,
      stranger,
      nobody,
      people,
      database,
      place: { applicationId, environmentId },
      foreign,
    } = await begin();
    await addServices(database, { environmentId, organizationId: people.owner.organizationId });
    const create = { type: 'volume', volumeName: 'v', mountPath: '/data', applicationId };
    const mountId = textOf(await owner.mutate('mount.create', create), 'mountId');
    const calls = (client: InterfaceClient, ids = { applicationId, mountId }): Promise<unknown>[] => [
      client.mutate('mount.create', { ...create, ...ids, mountPath: '/x' }),
      client.query('mount.one', ids),
      client.query('mount.byApplicationId', ids),
      client.query('mount.byComposeId', { composeId: 'compose-1' }),
      client.mutate('mount.update', { ...ids, mountPath: '/y' }),
      client.mutate('mount.remove', ids),
    ];
    for (const answer of await Promise.all(calls(nobody)))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all(calls(member)))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(stranger)))
      expect(answer).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('another organization'),
      });
    for (const answer of await Promise.all(
      calls(owner, { applicationId: 'nowhere', mountId: 'nowhere' }).filter((_, index) => index !== 3),
    ))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    const ofServices = { type: 'volume', volumeName: 'v', mountPath: '/z' };
    expect(
      await owner.mutate('mount.create', { ...ofServices, serviceId: foreign.applicationId }),
    ).toMatchObject({ code: 'FORBIDDEN' });
    expect(
      await owner.mutate('mount.create', { ...ofServices, applicationId, serviceId: foreign.applicationId }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['serviceId'] });
    expect(await owner.mutate('mount.create', ofServices)).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['applicationId'],
    });
    for (const [field, value] of [
      ['type', 'tmpfs'],
      ['mountPath', 'x'],
      ['mountPath', '/../x'],
      ['volumeName', '../v'],
      ['volumeName', '--help'],
      ['content', 3],
      ['serviceType', 'postgres'],
    ] as const) {
      expect(
        await owner.mutate('mount.create', { ...create, mountPath: '/z', [field]: value }),
      ).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
    }
    await people.grant({ accessedEnvironments: [foreign.environmentId] });
    expect(await member.query('mount.one', { mountId })).toMatchObject({ code: 'FORBIDDEN' });
  });
});

async function addServices(
  database: Database,
  { environmentId, organizationId }: { environmentId: string; organizationId: string },
): Promise<void> {
  const shared = {
    organizationId,
    environmentId,
    name: 'Shop',
    description: '',
    serverId: null,
    env: '',
    releasedAppName: null,
    isStopped: false,
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  await tableStore(database, 'compose').insert({
    ...plainCompose,
    ...shared,
    composeId: 'compose-1',
    appName: 'stack',
    refreshToken: 'token',
    autoDeploy: true,
  });
  await tableStore(database, 'database').insert({
    ...shared,
    databaseId: 'database-1',
    kind: 'postgres',
    appName: 'base',
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: 'x',
    databaseRootPassword: null,
    containerImage: 'postgres:18',
    replicaSets: false,
    applicationStatus: 'idle',
    memoryLimit: null,
    memoryReservation: null,
    pidsLimit: null,
    cpuLimit: null,
    cpuReservation: null,
    command: null,
    args: [],
    externalPort: null,
    ...neverRan('database-1'),
  });
}
