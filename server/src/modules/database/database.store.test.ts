import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { textOf, type Door } from '../../../../test/http/door.ts';
import { worlds, type World } from '../../../../test/http/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createFileLogs } from '../../adapters/deployment-log/file-log.ts';
import { createSwarmEngine } from '../../adapters/engine/swarm.ts';
import { createStores } from '../../composition/stores.ts';
import { tableStore } from '../../db/table-store.ts';
import { databaseIds, databaseKindNames, type DatabaseKindName } from '../../domain/database-kind.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { createQueue } from '../../jobs/queue.ts';
import { systemClock } from '../../ports/clock.ts';
import { createBackups } from '../backup/backup.ts';
import { createDeployments } from '../deployment/deployment.ts';
import { createMembers } from '../organization/member.ts';
import { createPublishedPorts } from '../port/port.ts';
import { environmentOf } from '../service/service.ts';
import { createTurns } from '../service/turns.ts';
import { createServiceNames } from '../service-name/service-name.ts';
import { createDatabases } from './database.ts';
import { deployedDatabases } from './deployed.ts';
import { databaseRouters } from './handlers.ts';
import { databaseKind, databaseKinds } from './kinds.ts';
import { createAdmission } from './passwords.ts';
import { createDatabaseRuntime } from './runtime.ts';
import { majorOfImage } from './version.ts';

/** What the document says of each kind, written out beside the table it is held against. */
const documented: Record<
  DatabaseKindName,
  { image: string; create: string[]; own: object; least: string[]; updateLeast: boolean; empty: string[] }
> = {
  mariadb: {
    image: 'mariadb:11',
    create: [
      'name',
      'appName',
      'databaseName',
      'databaseUser',
      'databasePassword',
      'databaseRootPassword',
      'environmentId',
    ],
    own: { databaseName: 'shop', databaseUser: 'ann', databaseRootPassword: 'Root1' },
    least: ['name', 'appName', 'databaseName', 'databaseUser'],
    updateLeast: true,
    empty: [],
  },
  mysql: {
    image: 'mysql:8',
    create: [
      'name',
      'appName',
      'databaseName',
      'databaseUser',
      'databasePassword',
      'databaseRootPassword',
      'environmentId',
    ],
    own: { databaseName: 'shop', databaseUser: 'ann', databaseRootPassword: 'Root1' },
    least: ['name', 'appName'],
    updateLeast: true,
    empty: ['databaseName', 'databaseUser'],
  },
  postgres: {
    image: 'postgres:18',
    create: ['name', 'appName', 'databaseName', 'databaseUser', 'databasePassword', 'environmentId'],
    own: { databaseName: 'shop', databaseUser: 'ann' },
    least: ['appName'],
    updateLeast: false,
    empty: ['name', 'databaseName', 'databaseUser'],
  },
  mongo: {
    image: 'mongo:15',
    create: ['name', 'appName', 'databaseUser', 'databasePassword', 'environmentId'],
    own: { databaseUser: 'ann' },
    least: ['name', 'appName', 'databaseUser'],
    updateLeast: true,
    empty: [],
  },
  redis: {
    image: 'redis:8',
    create: ['name', 'appName', 'databasePassword', 'environmentId'],
    own: {},
    least: ['name', 'appName'],
    updateLeast: true,
    empty: [],
  },
};
const generated: unknown = expect.stringMatching(/^[a-zA-Z0-9]{32}$/);
const patternRefuses = ['a b', 'a"b', "a'b", 'a/b', 'a\\b', 'a!b', 'a$b', 'a`b', 'é', 'a\nb'];
const patternTakes = 'aZ9@#%^&*()_+-=[]{}|;:,.<>?~';

eachDatabase('databases', (test) => {
  const createWorld = worlds(test);
  const begin = (cloud = false): Promise<World> =>
    createWorld((database) => {
      const stores = createStores(database);
      const names = createServiceNames(stores.serviceNames);
      const databases = createDatabases(
        stores.databases,
        { names, published: createPublishedPorts(stores.ports, [3000]) },
        systemClock,
      );
      const queue = createQueue(stores.jobs, systemClock, () => undefined);
      const logs = createFileLogs(join(tmpdir(), 'berth-no-logs'), systemClock);
      const deployments = createDeployments(
        stores.deployments,
        { services: { database: deployedDatabases(databases) }, queue, logs },
        systemClock,
      );
      // Nobody listens there: what needs the engine says so.
      const engine = createSwarmEngine({ socketPath: join(tmpdir(), 'berth-no-engine') });
      const turns = createTurns();
      const notThere = async (): Promise<never> => {
        throw new Error('nothing is released here');
      };
      return databaseRouters({
        databases,
        queue,
        deployments,
        logs,
        turns,
        builds: { end: async () => undefined },
        admission: createAdmission(engine),
        isPortFree: async (port) => port !== 17_000,
        majorOf: async (kind, image) => majorOfImage(kind, image),
        runtime: createDatabaseRuntime({
          engine,
          databases,
          turns,
          liveSpec: async () => undefined,
          currentSpec: notThere,
          releaseNow: notThere,
          isWorking: async () => false,
        }),
        members: createMembers(stores.members),
        requireServer: async (serverId) => {
          if (cloud && !serverId) throw badField('serverId', 'is required');
        },
        environment: async (environmentId) => {
          const placement = await stores.applications.placement(environmentId);
          if (!placement) throw new Error('no such environment');
          return environmentOf(placement);
        },
        removeStoredBackups: async () => {
          throw new AppError('PRECONDITION_FAILED', 'The destination is full of water.');
        },
        mounts: async () => [],
        backups: createBackups(stores.backups, systemClock).byDatabase,
        serverAddress: async () => '203.0.113.7',
      });
    });
  const inputOf = (kind: DatabaseKindName, { place }: World): Record<string, unknown> => ({
    name: 'Main',
    appName: `main-${kind}`,
    ...documented[kind].own,
    databasePassword: 'Secret1',
    environmentId: place.environmentId,
  });

  it.each(databaseKindNames)('%s: is created, read, changed, moved and removed as a record', async (kind) => {
    const world = await begin();
    const { owner, place, foreign } = world;
    const { image, own } = documented[kind];
    const { id } = databaseKinds[kind];
    const { databaseRootPassword: root, ...shownOwn } = { databaseRootPassword: undefined, ...own };
    const created = await owner.mutate(`${kind}.create`, inputOf(kind, world));
    const answer = {
      [id]: expect.any(String),
      name: 'Main',
      appName: `main-${kind}`,
      ...shownOwn,
      containerImage: image,
      ...(kind === 'mongo' ? { replicaSets: false } : {}),
      applicationStatus: 'idle',
      createdAt: expect.any(String),
    };
    expect(created).toEqual(answer);
    const subject = { [id]: textOf(created, id) };
    const record = {
      ...answer,
      ...(root === undefined ? {} : { databaseRootPassword: root }),
      description: '',
      databasePassword: 'Secret1',
      environmentId: place.environmentId,
      serverId: null,
      env: '',
      command: null,
      args: [],
      externalPort: null,
      memoryLimit: null,
      memoryReservation: null,
      cpuLimit: null,
      cpuReservation: null,
      dataVersion: null,
      formerVolumes: [],
    };
    const environment = {
      environmentId: place.environmentId,
      name: 'production',
      projectId: place.projectId,
      project: {
        projectId: place.projectId,
        name: 'Shop',
        organizationId: world.people.owner.organizationId,
      },
    };
    expect(await owner.query(`${kind}.one`, subject)).toEqual({
      ...record,
      environment,
      mounts: [],
      backups: [],
      deployments: [],
      connection: { internal: expect.stringContaining(`main-${kind}:`), external: null },
    });

    const patch = {
      name: 'Other',
      appName: `Other-${kind}`,
      description: 'text',
      containerImage: 'example/db:2',
      memoryReservation: '256m',
      memoryLimit: '1g',
      cpuReservation: '0.5',
      cpuLimit: '1.5',
      command: 'run "a b"',
      args: ['-x'],
    };
    expect(await owner.mutate(`${kind}.update`, { ...subject, ...patch })).toEqual({ ...record, ...patch });
    const cleared = {
      description: null,
      memoryReservation: null,
      memoryLimit: null,
      cpuReservation: null,
      cpuLimit: null,
      command: null,
      args: null,
    };
    const now = { ...record, ...patch, ...cleared, description: '', args: [] };
    expect(await owner.mutate(`${kind}.update`, { ...subject, ...cleared })).toEqual(now);
    expect(await owner.mutate(`${kind}.update`, { ...subject })).toEqual(now);
    // Only mongo has it; elsewhere it is an unknown field, and ignored.
    const hasReplicaSets = 'replicaSets' in record;
    for (const replicaSets of [true, false])
      expect(await owner.mutate(`${kind}.update`, { ...subject, replicaSets })).toEqual({
        ...now,
        ...(hasReplicaSets ? { replicaSets } : {}),
      });
    expect(await owner.mutate(`${kind}.saveEnvironment`, { ...subject, env: 'A=1\nB="two words"' })).toEqual({
      ...now,
      env: 'A=1\nB="two words"',
    });
    expect(await owner.mutate(`${kind}.saveEnvironment`, subject)).toMatchObject({
      env: 'A=1\nB="two words"',
    });
    expect(await owner.mutate(`${kind}.saveEnvironment`, { ...subject, env: null })).toEqual(now);
    for (const applicationStatus of ['running', 'done', 'error', 'idle'])
      expect(await owner.mutate(`${kind}.changeStatus`, { ...subject, applicationStatus })).toEqual({
        ...now,
        applicationStatus,
      });

    await createStores(world.database).environments.insert({
      environmentId: 'staging',
      organizationId: world.people.owner.organizationId,
      projectId: place.projectId,
      name: 'staging',
      description: '',
      env: '',
      isDefault: false,
      networkIndex: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect(await owner.mutate(`${kind}.move`, { ...subject, targetEnvironmentId: 'staging' })).toEqual({
      ...now,
      environmentId: 'staging',
    });
    expect(
      await owner.mutate(`${kind}.move`, { ...subject, targetEnvironmentId: foreign.environmentId }),
    ).toMatchObject({ code: 'FORBIDDEN' });
    expect(await owner.mutate(`${kind}.move`, { ...subject, targetEnvironmentId: 'nowhere' })).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await owner.mutate(`${kind}.remove`, subject)).toEqual({ ...now, environmentId: 'staging' });
    expect(await owner.query(`${kind}.one`, subject)).toMatchObject({ code: 'NOT_FOUND' });
    expect(
      await owner.mutate(`${kind}.create`, { ...inputOf(kind, world), appName: `other-${kind}` }),
    ).toMatchObject({ appName: `other-${kind}` });
  });

  it.each(databaseKindNames)('%s: names the field of bad input', async (kind) => {
    const world = await begin();
    const { owner } = world;
    const { create, least, updateLeast, empty } = documented[kind];
    const { id } = databaseKinds[kind];
    const input = inputOf(kind, world);
    for (const field of create)
      expect(await owner.mutate(`${kind}.create`, { ...input, [field]: undefined }), field).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    for (const field of least)
      expect(await owner.mutate(`${kind}.create`, { ...input, [field]: '' }), field).toMatchObject({
        code: 'BAD_REQUEST',
        fields: expect.arrayContaining([field]),
      });
    for (const field of empty)
      expect(
        await owner.mutate(`${kind}.create`, { ...input, appName: `empty-${field}`, [field]: '' }),
        field,
      ).toMatchObject({ [field]: '' });
    const subject = { [id]: textOf(await owner.mutate(`${kind}.create`, input), id) };
    const texts = create.filter((field) => field !== 'environmentId' && field !== 'appName');
    for (const field of texts) {
      const answer = await owner.mutate(`${kind}.update`, { ...subject, [field]: '' });
      const taken = { [field]: field === 'databasePassword' ? generated : '' };
      expect(answer, field).toMatchObject(updateLeast ? { code: 'BAD_REQUEST', fields: [field] } : taken);
    }
    const faults: [string, unknown][] = [
      ['appName', 'a.b'],
      ['appName', '-a'],
      ['appName', 'a-'],
      ['appName', 'a'.repeat(64)],
      ['containerImage', 'A B'],
      ['containerImage', '--help'],
      ['memoryLimit', '512x'],
      ['cpuLimit', 'many'],
      ['command', 'run "a'],
      ['args', 'x'],
      ['externalPort', 0],
      ['externalPort', 65_536],
      ['externalPort', '5432'],
    ];
    for (const [field, value] of faults)
      expect(
        await owner.mutate(`${kind}.update`, { ...subject, [field]: value }),
        `${field} ${String(value)}`,
      ).toMatchObject({ code: 'BAD_REQUEST', fields: expect.arrayContaining([field]) });
    expect(
      await owner.mutate(`${kind}.update`, { ...subject, memoryLimit: '512m', memoryReservation: '1g' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['memoryReservation'] });
    expect(await owner.mutate(`${kind}.saveEnvironment`, { ...subject, env: '1 = x' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['env'],
    });
    expect(await owner.mutate(`${kind}.saveExternalPort`, subject)).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['externalPort'],
    });
    expect(
      await owner.mutate(`${kind}.changeStatus`, { ...subject, applicationStatus: 'sleeping' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['applicationStatus'] });
  });

  it.each(databaseKindNames)(
    "%s: takes passwords by the document's pattern; an empty one is generated",
    async (kind) => {
      const world = await begin();
      const { owner } = world;
      const { id } = databaseKinds[kind];
      const fields =
        kind === 'mariadb' || kind === 'mysql'
          ? ['databasePassword', 'databaseRootPassword']
          : ['databasePassword'];
      for (const [index, field] of fields.entries()) {
        for (const password of patternRefuses) {
          const answer = await owner.mutate(`${kind}.create`, {
            ...inputOf(kind, world),
            appName: `p${patternRefuses.indexOf(password)}`,
            [field]: password,
          });
          expect(answer, password).toMatchObject(
            kind === 'redis' && !password.includes('\n')
              ? { name: 'Main' }
              : { code: 'BAD_REQUEST', fields: [field] },
          );
        }
        const one = async (appName: string, password: string): Promise<unknown> =>
          owner.query(`${kind}.one`, {
            [id]: textOf(
              await owner.mutate(`${kind}.create`, { ...inputOf(kind, world), appName, [field]: password }),
              id,
            ),
          });
        expect(await one(`taken-${index}`, patternTakes)).toMatchObject({ [field]: patternTakes });
        expect(await one(`made-${index}`, '')).toMatchObject({ [field]: generated });
      }
    },
  );

  it.each(databaseKindNames)('%s: refuses what there is nothing to do it with', async (kind) => {
    const world = await begin();
    const { owner, database, people } = world;
    const { id } = databaseKinds[kind];
    const databaseId = textOf(await owner.mutate(`${kind}.create`, inputOf(kind, world)), id);
    const subject = { [id]: databaseId };
    const own = { ...subject, appName: `main-${kind}` };
    expect(await owner.mutate(`${kind}.reload`, { ...subject, appName: 'another' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['appName'],
    });
    for (const [name, input] of [
      ['start', subject],
      ['reload', own],
    ] as const)
      expect(await owner.mutate(`${kind}.${name}`, input)).toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringContaining('deploy first'),
      });
    const stores = createStores(database);
    expect(await owner.mutate(`${kind}.upgrade`, { ...subject, containerImage: 'x:99' })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('deploy first'),
    });
    await stores.databases.update(
      { databaseId },
      {
        releasedAppName: `main-${kind}`,
        dataVersion: '6.2',
        formerVolumes: [{ volumeName: 'former', dataVersion: '5', containerImage: 'x', since: '' }],
      },
    );
    expect(await owner.mutate(`${kind}.stop`, subject)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expectMajorKept(owner, kind, subject);
    expect(
      await owner.mutate(`${kind}.removeFormerVolume`, { ...subject, volumeName: 'another' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['volumeName'] });
    expect(
      await owner.mutate(`${kind}.removeFormerVolume`, { ...subject, volumeName: 'former' }),
    ).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await owner.mutate(`${kind}.update`, { ...subject, databasePassword: 'Other1' })).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await owner.query(`${kind}.one`, subject)).toMatchObject({ databasePassword: 'Secret1' });
    await stores.databases.update({ databaseId }, { isStopped: true });
    expect(await owner.mutate(`${kind}.update`, { ...subject, databasePassword: 'Other1' })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining(`${kind}.start`),
    });
    expect(await owner.query(`${kind}.one`, subject)).toMatchObject({
      applicationStatus: 'running',
      deployments: [
        { kind: 'upgrade', status: 'queued', image: `${kind}:7`, databaseId, applicationId: null },
      ],
    });
    const { organizationId } = people.owner;
    await tableStore(database, 'destination').insert({
      destinationId: 'd',
      organizationId,
      name: 'd',
      provider: 'local',
      accessKey: '',
      secretAccessKey: '',
      bucket: '',
      region: '',
      endpoint: '',
      path: '/srv',
      createdAt: '',
    });
    const row = {
      backupId: 'b',
      organizationId,
      sourceType: 'database' as const,
      databaseId,
      databaseType: kind,
      database: 'shop',
      destinationId: 'd',
      schedule: '@daily',
      timeZone: 'UTC',
      prefix: '',
      enabled: true,
      keepLatestCount: null,
      nextRunAt: null,
      verifySchedule: null,
      nextVerifyAt: null,
      alarmAfterHours: null,
      alarmSince: null,
      lastGoodAt: null,
      sealedKey: null,
      createdAt: '',
    };
    const hasBackups = databaseKind(kind).manualBackup !== undefined;
    if (hasBackups) await tableStore(database, 'backup').insert(row);
    expect(await owner.query(`${kind}.one`, subject)).toMatchObject({
      backups: hasBackups ? [{ backupId: 'b', ...databaseIds(kind, databaseId), schedule: '@daily' }] : [],
    });
    // What is stored goes first, or nothing does. And the engine may have something of what was deployed.
    expect(await owner.mutate(`${kind}.remove`, { ...subject, deleteBackups: true })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: 'The destination is full of water.',
    });
    expect(await owner.mutate(`${kind}.remove`, subject)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await stores.deployments.remove({ databaseId });
    expect(await owner.mutate(`${kind}.remove`, subject)).toMatchObject(subject);
    expect(await tableStore(database, 'backup').list({ databaseId })).toEqual([]);
  });

  it('have names that no other service has, in any case', async () => {
    const world = await begin();
    const { owner, database, place } = world;
    const stores = createStores(database);
    const { appName } = (await stores.applications.find({ applicationId: place.applicationId })) ?? {
      appName: '',
    };
    const input = inputOf('redis', world);
    const taken = { code: 'CONFLICT', fields: ['appName'] };
    expect(await owner.mutate('redis.create', { ...input, appName: appName.toUpperCase() })).toMatchObject(
      taken,
    );
    const redisId = textOf(await owner.mutate('redis.create', input), 'redisId');
    expect(
      await owner.mutate('mongo.create', { ...inputOf('mongo', world), appName: 'MAIN-redis' }),
    ).toMatchObject(taken);
    expect(await owner.mutate('redis.update', { redisId, appName: appName })).toMatchObject(taken);
    expect(await owner.mutate('redis.update', { redisId, appName: 'Main-Redis' })).toMatchObject({
      appName: 'Main-Redis',
    });
    expect(await owner.mutate('redis.update', { redisId, appName: 'berth-proxy' })).toMatchObject(taken);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => owner.mutate('redis.create', { ...input, appName: 'at-once' })),
    );
    expect(
      answers.filter((answer) => typeof answer === 'object' && answer !== null && 'redisId' in answer),
    ).toHaveLength(1);
    // What a database still runs under stays its own until the next deployment.
    await stores.databases.update({ databaseId: redisId }, { releasedAppName: 'Main-Redis' });
    await owner.mutate('redis.update', { redisId, appName: 'renamed' });
    expect(await owner.mutate('redis.create', { ...input, appName: 'main-redis' })).toMatchObject(taken);
  });

  it('are opened on ports that nobody has; the holder is named only within the organization', async () => {
    const world = await begin();
    const { owner, stranger, database, place, people, foreign } = world;
    const postgresId = textOf(
      await owner.mutate('postgres.create', inputOf('postgres', world)),
      'postgresId',
    );
    const redisId = textOf(await owner.mutate('redis.create', inputOf('redis', world)), 'redisId');
    expect(
      await owner.mutate('postgres.saveExternalPort', { postgresId, externalPort: 15_432 }),
    ).toMatchObject({ externalPort: 15_432 });
    expect(await owner.query('postgres.one', { postgresId })).toMatchObject({
      connection: { external: 'postgresql://ann:Secret1@203.0.113.7:15432/shop' },
    });
    expect(
      await owner.mutate('postgres.saveExternalPort', { postgresId, externalPort: 15_432 }),
    ).toMatchObject({ externalPort: 15_432 });
    for (const externalPort of [22, 80, 443, 2377, 4789, 7946, 3000])
      expect(await owner.mutate('redis.saveExternalPort', { redisId, externalPort })).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('reserved'),
      });
    const taken = {
      code: 'CONFLICT',
      fields: ['externalPort'],
      message: expect.stringContaining('the database Main'),
    };
    expect(await owner.mutate('redis.saveExternalPort', { redisId, externalPort: 15_432 })).toMatchObject(
      taken,
    );
    expect(await owner.mutate('redis.update', { redisId, externalPort: 15_432 })).toMatchObject(taken);
    await createStores(database).ports.insert({
      portId: 'p',
      organizationId: people.owner.organizationId,
      applicationId: place.applicationId,
      publishedPort: 15_000,
      targetPort: 80,
      protocol: 'tcp',
      publishMode: 'host',
      serverKey: 'local',
      createdAt: '',
    });
    await createStores(database).ports.insert({
      portId: 'u',
      organizationId: people.owner.organizationId,
      applicationId: place.applicationId,
      publishedPort: 15_001,
      targetPort: 80,
      protocol: 'udp',
      publishMode: 'host',
      serverKey: 'local',
      createdAt: '',
    });
    expect(await owner.mutate('redis.saveExternalPort', { redisId, externalPort: 15_000 })).toMatchObject({
      ...taken,
      message: expect.stringContaining('the application Shop'),
    });
    expect(await owner.mutate('redis.saveExternalPort', { redisId, externalPort: 15_001 })).toMatchObject({
      externalPort: 15_001,
    });
    const theirs = textOf(
      await stranger.mutate('redis.create', {
        ...inputOf('redis', world),
        appName: 'theirs',
        environmentId: foreign.environmentId,
      }),
      'redisId',
    );
    for (const externalPort of [15_000, 15_432])
      expect(
        await stranger.mutate('redis.saveExternalPort', { redisId: theirs, externalPort }),
      ).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(/by another service on this server/),
      });
    expect(await owner.mutate('postgres.saveExternalPort', { postgresId, externalPort: null })).toMatchObject(
      { externalPort: null },
    );
    expect(
      await stranger.mutate('redis.saveExternalPort', { redisId: theirs, externalPort: 15_432 }),
    ).toMatchObject({ externalPort: 15_432 });
    expect(await owner.mutate('redis.saveExternalPort', { redisId, externalPort: 17_000 })).toMatchObject({
      code: 'CONFLICT',
      fields: ['externalPort'],
      message: expect.stringContaining('another program of the server'),
    });
    const answers = await Promise.all([
      owner.mutate('redis.saveExternalPort', { redisId, externalPort: 16_000 }),
      owner.mutate('postgres.saveExternalPort', { postgresId, externalPort: 16_000 }),
    ]);
    expect(
      answers.filter((answer) => typeof answer === 'object' && answer !== null && 'code' in answer),
    ).toHaveLength(1);
  });

  it('stand on a server of the organization, and need one in a cloud installation', async () => {
    const world = await begin(true);
    const { owner, database, people, stranger, foreign } = world;
    const { servers } = createStores(database);
    const server = {
      name: 'Edge',
      description: null,
      ipAddress: '203.0.113.9',
      port: 22,
      username: 'root',
      sshKeyId: null,
      serverType: 'deploy' as const,
      status: 'active' as const,
      hostKeyFingerprint: null,
      buildsConcurrency: 1,
      metricsConfig: null,
      metricsToken: null,
      createdAt: '',
    };
    for (const [serverId, { organizationId }] of [
      ['ours', people.owner],
      ['theirs', people.stranger],
    ] as const)
      await servers.insert({ ...server, serverId, organizationId });
    const input = inputOf('mysql', world);
    expect(await owner.mutate('mysql.create', input)).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['serverId'],
    });
    expect(await owner.mutate('mysql.create', { ...input, serverId: 'theirs' })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await owner.mutate('mysql.create', { ...input, serverId: 'nowhere' })).toMatchObject({
      code: 'NOT_FOUND',
    });
    const mysqlId = textOf(await owner.mutate('mysql.create', { ...input, serverId: 'ours' }), 'mysqlId');
    expect(await owner.query('mysql.one', { mysqlId })).toMatchObject({ serverId: 'ours' });
    // The same port on two servers is two ports.
    const other = textOf(
      await stranger.mutate('mysql.create', {
        ...input,
        appName: 'theirs',
        environmentId: foreign.environmentId,
        serverId: 'theirs',
      }),
      'mysqlId',
    );
    expect(await owner.mutate('mysql.saveExternalPort', { mysqlId, externalPort: 13_306 })).toMatchObject({
      externalPort: 13_306,
    });
    expect(
      await stranger.mutate('mysql.saveExternalPort', { mysqlId: other, externalPort: 13_306 }),
    ).toMatchObject({ externalPort: 13_306 });
  });

  it.each(databaseKindNames)(
    '%s: is closed to nobody, to other organizations, to members without access, and under the name of another kind',
    async (kind) => {
      const world = await begin();
      const { owner, member, stranger, nobody, people, place } = world;
      const { id } = databaseKinds[kind];
      const databaseId = textOf(await owner.mutate(`${kind}.create`, inputOf(kind, world)), id);
      const calls = (door: Door, subject: object = { [id]: databaseId }): Promise<unknown>[] => [
        door.query(`${kind}.one`, subject),
        door.mutate(`${kind}.update`, { ...subject, name: 'x' }),
        door.mutate(`${kind}.saveEnvironment`, subject),
        door.mutate(`${kind}.saveExternalPort`, { ...subject, externalPort: null }),
        door.mutate(`${kind}.changeStatus`, { ...subject, applicationStatus: 'idle' }),
        door.mutate(`${kind}.move`, { ...subject, targetEnvironmentId: place.environmentId }),
        door.mutate(`${kind}.reload`, { ...subject, appName: 'x' }),
        ...['deploy', 'rebuild', 'start', 'stop', 'remove'].map((name) =>
          door.mutate(`${kind}.${name}`, subject),
        ),
      ];
      const create = (door: Door): Promise<unknown> =>
        door.mutate(`${kind}.create`, { ...inputOf(kind, world), appName: 'another' });
      for (const answer of await Promise.all([...calls(nobody), create(nobody)]))
        expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
      for (const answer of await Promise.all([...calls(member), create(member)]))
        expect(answer).toMatchObject({ code: 'FORBIDDEN' });
      for (const answer of await Promise.all([...calls(stranger), create(stranger)]))
        expect(answer).toMatchObject({ code: 'FORBIDDEN' });
      for (const answer of await Promise.all(calls(owner, { [id]: 'nowhere' })))
        expect(answer).toMatchObject({ code: 'NOT_FOUND' });
      const other = kind === 'redis' ? 'mongo' : 'redis';
      expect(await owner.query(`${other}.one`, { [databaseKinds[other].id]: databaseId })).toMatchObject({
        code: 'NOT_FOUND',
      });
      await people.grant({ accessedServices: [databaseId] });
      expect(await member.query(`${kind}.one`, { [id]: databaseId })).toMatchObject({ name: 'Main' });
      expect(
        await member.mutate(`${kind}.move`, { [id]: databaseId, targetEnvironmentId: place.environmentId }),
      ).toMatchObject({ code: 'FORBIDDEN' });
      expect(await member.mutate(`${kind}.remove`, { [id]: databaseId })).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('canDeleteServices'),
      });
      await people.grant({
        accessedEnvironments: [place.environmentId],
        canCreateServices: true,
        canDeleteServices: true,
      });
      const made = textOf(await create(member), id);
      expect(await member.mutate(`${kind}.remove`, { [id]: made })).toMatchObject({ appName: 'another' });
    },
  );
});

/** Over data of another major version an image is refused, whoever asks for it. */
async function expectMajorKept(owner: Door, kind: DatabaseKindName, subject: object): Promise<void> {
  const refused = { code: 'PRECONDITION_FAILED', message: expect.stringContaining(`${kind}.upgrade`) };
  expect(await owner.mutate(`${kind}.update`, { ...subject, containerImage: `${kind}:7.1` })).toMatchObject(
    refused,
  );
  for (const name of ['deploy', 'rebuild'])
    expect(await owner.mutate(`${kind}.${name}`, subject)).toMatchObject(refused);
  // Of an image that does not tell its version nothing is known until it is here.
  expect(
    await owner.mutate(`${kind}.update`, { ...subject, containerImage: 'registry.example.com/our/base:2' }),
  ).toMatchObject({ containerImage: 'registry.example.com/our/base:2' });
  for (const [image, why] of [
    [`${kind}:6`, `Set it with ${kind}.update`],
    [`library/${kind}:5.1`, 'no server can be given data of a newer version'],
  ] as const) {
    expect(await owner.mutate(`${kind}.upgrade`, { ...subject, containerImage: image })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining(why),
    });
  }
  expect(await owner.mutate(`${kind}.upgrade`, { ...subject, containerImage: `${kind}:7` })).toMatchObject({
    applicationStatus: 'running',
  });
}
