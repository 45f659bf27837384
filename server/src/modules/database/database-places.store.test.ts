import { expect, it } from 'vitest';
import { databaseWorlds, inputOf } from '../../../../test/http/worlds/database-world.ts';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { serverRecord } from '../../../../test/kill-matrix/neighbours.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { databaseKindNames } from '../../domain/database-kind.ts';
import { databaseKinds } from './kinds.ts';
import { plainServer } from '../../../../test/world/plain-server.ts';

eachDatabase('names, ports and servers of databases', (test) => {
  const begin = databaseWorlds(test);

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
      ...plainServer,
      name: 'Edge',
      ipAddress: '203.0.113.9',
      createdAt: '',
    };
    for (const [serverId, { organizationId }] of [
      ['ours', people.owner],
      ['theirs', people.stranger],
    ] as const)
      await servers.insert({ ...server, serverId, organizationId });
    const builders = { ...server, serverId: 'builders', name: 'Builders', serverType: 'build' as const };
    await servers.insert({ ...builders, organizationId: people.owner.organizationId });
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
    expect(await owner.mutate('mysql.create', { ...input, serverId: 'builders' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['serverId'],
      message: expect.stringContaining('Builders, a build server'),
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

  it('take a port below 1024 to another server by whoever may reach the machine alone', async () => {
    const world = await begin();
    const { owner, database, people, stranger, foreign, place } = world;
    const { servers, databases } = createStores(database);
    const move = async (
      client: InterfaceClient,
      { organizationId }: { organizationId: string },
      { environmentId, port }: { environmentId: string; port: number },
    ): Promise<unknown> => {
      await servers.insert(serverRecord(organizationId, `of-${organizationId}`));
      const input = { ...inputOf('redis', world), appName: `of-${environmentId}`, environmentId };
      const redisId = textOf(await client.mutate('redis.create', input), 'redisId');
      // Of a time when its organization was trusted.
      await databases.update({ databaseId: redisId }, { externalPort: port });
      return client.mutate('redis.moveToServer', { redisId, serverId: `of-${organizationId}` });
    };
    expect(await move(stranger, people.stranger, { ...foreign, port: 53 })).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('Main publishes the port 53/tcp, below 1024'),
    });
    expect(await move(owner, people.owner, { ...place, port: 54 })).toMatchObject({ deploymentId: null });
  });

  it.each(databaseKindNames)(
    '%s: is closed to nobody, to other organizations, to members without access, and under the name of ' +
      'another kind',
    async (kind) => {
      const world = await begin();
      const { owner, member, stranger, nobody, people, place } = world;
      const { id } = databaseKinds[kind];
      const databaseId = textOf(await owner.mutate(`${kind}.create`, inputOf(kind, world)), id);
      const calls = (client: InterfaceClient, subject: object = { [id]: databaseId }): Promise<unknown>[] => [
        client.query(`${kind}.one`, subject),
        client.mutate(`${kind}.update`, { ...subject, name: 'x' }),
        client.mutate(`${kind}.saveEnvironment`, subject),
        client.mutate(`${kind}.saveExternalPort`, { ...subject, externalPort: null }),
        client.mutate(`${kind}.changeStatus`, { ...subject, applicationStatus: 'idle' }),
        client.mutate(`${kind}.move`, { ...subject, targetEnvironmentId: place.environmentId }),
        client.mutate(`${kind}.reload`, { ...subject, appName: 'x' }),
        ...['deploy', 'rebuild', 'start', 'stop', 'remove'].map((name) =>
          client.mutate(`${kind}.${name}`, subject),
        ),
      ];
      const create = (client: InterfaceClient): Promise<unknown> =>
        client.mutate(`${kind}.create`, { ...inputOf(kind, world), appName: 'another' });
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
