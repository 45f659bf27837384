import { expect, it } from 'vitest';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { newApplication } from '../application/defaults.ts';
import { portContract } from './contract.ts';
import { portHandlers } from './handlers.ts';
import { createPorts } from './port.ts';
import { createPortStore } from './store.ts';
import { plainServer } from '../../../../test/world/plain-server.ts';

eachDatabase('ports', (test) => {
  const createWorld = worlds(test);
  const begin = (meshWorks = true): Promise<World> =>
    createWorld((database) => {
      const ports = createPorts(createPortStore(database), {
        clock: systemClock,
        ownPorts: [3000],
        meshWorks: async () => meshWorks,
      });
      return [router('port', portContract, portHandlers(ports))];
    });

  it('are created with their defaults, read, listed, changed and deleted', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    const created = await owner.mutate('port.create', { applicationId, publishedPort: 8080, targetPort: 80 });
    const record = {
      portId: expect.any(String),
      applicationId,
      publishedPort: 8080,
      targetPort: 80,
      protocol: 'tcp',
      publishMode: 'ingress',
      createdAt: expect.any(String),
    };
    expect(created).toEqual({ ...record, notice: null });
    const portId = textOf(created, 'portId');
    expect(await owner.query('port.one', { portId })).toEqual(record);
    expect(await owner.mutate('port.update', { portId, targetPort: 81, publishMode: 'host' })).toEqual({
      ...record,
      targetPort: 81,
      publishMode: 'host',
      notice: null,
    });
    await owner.mutate('port.create', {
      applicationId,
      publishedPort: 8080,
      targetPort: 53,
      protocol: 'udp',
    });
    expect(await owner.query('port.byApplicationId', { applicationId })).toMatchObject([
      { protocol: 'udp' },
      { portId },
    ]);
    expect(await owner.query('port.byApplicationId', { applicationId, limit: 1 })).toMatchObject({
      items: [{ protocol: 'udp' }],
      nextCursor: expect.any(String),
    });
    expect(await owner.mutate('port.delete', { portId })).toEqual({
      ...record,
      targetPort: 81,
      publishMode: 'host',
    });
    expect(await owner.query('port.one', { portId })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('on one target are both kept; in host mode, where the engine drops one, refused', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    const [first, second] = [8080, 8081].map((publishedPort) => ({
      applicationId,
      publishedPort,
      targetPort: 80,
    }));
    await owner.mutate('port.create', first);
    const created = await owner.mutate('port.create', second);
    expect(created).toMatchObject({ publishedPort: 8081, publishMode: 'ingress' });
    const portId = textOf(created, 'portId');
    const third = { applicationId, publishedPort: 8082, targetPort: 80, publishMode: 'host' };
    expect(await owner.mutate('port.create', third)).toMatchObject({ publishMode: 'host' });
    expect(await owner.mutate('port.create', { ...third, publishedPort: 8083 })).toMatchObject({
      code: 'CONFLICT',
      fields: ['targetPort'],
      message: expect.stringMatching(/published as 8082 in host mode already/),
    });
    expect(await owner.mutate('port.update', { portId, publishMode: 'host' })).toMatchObject({
      code: 'CONFLICT',
    });
    expect(
      await owner.mutate('port.create', { ...third, publishedPort: 8083, protocol: 'udp' }),
    ).toMatchObject({
      publishedPort: 8083,
    });
  });

  it('become host mode where the routing mesh does not work, and the answer says so', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin(false);
    const created = await owner.mutate('port.create', { applicationId, publishedPort: 8080, targetPort: 80 });
    expect(created).toMatchObject({ publishMode: 'host', notice: expect.stringContaining('routing mesh') });
    const portId = textOf(created, 'portId');
    expect(await owner.mutate('port.update', { portId, publishMode: 'ingress' })).toMatchObject({
      publishMode: 'host',
      notice: expect.stringContaining('routing mesh'),
    });
    expect(await owner.mutate('port.update', { portId, targetPort: 90 })).toMatchObject({
      publishMode: 'host',
      notice: null,
    });
    expect(
      await owner.mutate('port.create', {
        applicationId,
        publishedPort: 8081,
        targetPort: 80,
        publishMode: 'host',
      }),
    ).toMatchObject({ publishMode: 'host', notice: null });
  });

  it('that are reserved or taken are refused; the holder is named only within the organization', async () => {
    const {
      owner,
      stranger,
      place: { applicationId },
      foreign,
    } = await begin();
    for (const publishedPort of [22, 80, 443, 2377, 4789, 7946, 3000]) {
      expect(
        await owner.mutate('port.create', { applicationId, publishedPort, targetPort: 80 }),
      ).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('reserved') });
    }
    const mine = await owner.mutate('port.create', { applicationId, publishedPort: 9000, targetPort: 80 });
    expect(
      await owner.mutate('port.create', { applicationId, publishedPort: 9000, targetPort: 81 }),
    ).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('the application Shop'),
      fields: ['publishedPort'],
    });
    const refused = await stranger.mutate('port.create', {
      applicationId: foreign.applicationId,
      publishedPort: 9000,
      targetPort: 80,
    });
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.not.stringContaining('Shop') });
    const other = await owner.mutate('port.create', { applicationId, publishedPort: 9001, targetPort: 80 });
    expect(
      await owner.mutate('port.update', { portId: textOf(other, 'portId'), publishedPort: 9000 }),
    ).toMatchObject({ code: 'CONFLICT' });
    expect(
      await owner.mutate('port.update', { portId: textOf(mine, 'portId'), publishedPort: 9000 }),
    ).toMatchObject({ publishedPort: 9000 });
    expect(
      await owner.mutate('port.update', { portId: textOf(mine, 'portId'), publishedPort: 443 }),
    ).toMatchObject({ code: 'CONFLICT' });
  });

  it('are taken on their server only', async () => {
    const {
      owner,
      database,
      place: { applicationId, environmentId },
      people,
    } = await begin();
    const { applications, servers } = createStores(database);
    const own = { organizationId: people.owner.organizationId, createdAt: '' };
    await servers.insert({
      ...own,
      ...plainServer,
      serverId: 'far',
      name: 'far',
      status: 'inactive',
    });
    for (const name of ['one', 'two'])
      await applications.insert({
        ...newApplication({
          ...own,
          environmentId,
          applicationId: name,
          name,
          appName: name,
          description: '',
          refreshToken: name,
        }),
        serverId: 'far',
      });
    const publish = (id: string): Promise<unknown> =>
      owner.mutate('port.create', { applicationId: id, publishedPort: 9000, targetPort: 80 });
    expect(await publish(applicationId)).toMatchObject({ publishedPort: 9000 });
    const there = await publish('one');
    expect(there).toMatchObject({ publishedPort: 9000 });
    expect(await publish('two')).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('the application one'),
    });
    expect(
      await owner.mutate('port.update', { portId: textOf(there, 'portId'), targetPort: 81 }),
    ).toMatchObject({ publishedPort: 9000, targetPort: 81 });
  });

  it('given to two at once go to one', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        owner.mutate('port.create', { applicationId, publishedPort: 7000, targetPort: 80 }),
      ),
    );
    expect(
      answers.filter((answer) => typeof answer === 'object' && answer !== null && 'portId' in answer),
    ).toHaveLength(1);
    expect(
      answers.filter(
        (answer) =>
          typeof answer === 'object' && answer !== null && 'code' in answer && answer.code === 'CONFLICT',
      ),
    ).toHaveLength(7);
  });

  it('are closed to other organizations and to members without access; bad input is named', async () => {
    const {
      owner,
      member,
      stranger,
      nobody,
      people,
      place: { applicationId },
      foreign,
    } = await begin();
    const portId = textOf(
      await owner.mutate('port.create', { applicationId, publishedPort: 8080, targetPort: 80 }),
      'portId',
    );
    const create = { applicationId, publishedPort: 8081, targetPort: 80 };
    const calls = (client: InterfaceClient, ids = { applicationId, portId }): Promise<unknown>[] => [
      client.mutate('port.create', { ...create, ...ids }),
      client.query('port.one', ids),
      client.query('port.byApplicationId', ids),
      client.mutate('port.update', { ...ids, targetPort: 1 }),
      client.mutate('port.delete', ids),
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
    for (const answer of await Promise.all(calls(owner, { applicationId: 'nowhere', portId: 'nowhere' })))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    expect(
      await owner.mutate('port.create', { ...create, applicationId: foreign.applicationId }),
    ).toMatchObject({ code: 'FORBIDDEN' });
    for (const [field, value] of [
      ['publishedPort', 0],
      ['publishedPort', 65_536],
      ['targetPort', 1.5],
      ['targetPort', '80'],
      ['protocol', 'sctp'],
      ['publishMode', 'mesh'],
    ] as const) {
      expect(await owner.mutate('port.create', { ...create, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
      expect(await owner.mutate('port.update', { portId, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
    await people.grant({ accessedServices: [applicationId] });
    expect(await member.mutate('port.delete', { portId })).toMatchObject({ portId });
  });
});
