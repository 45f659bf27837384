import { expect, it } from 'vitest';
import { textOf, type Door } from '../../../../test/http/door.ts';
import { createPlace, otherServices } from '../../../../test/http/places.ts';
import { statementsOf } from '../../../../test/http/statements-of.ts';
import { worlds, type World } from '../../../../test/http/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { tableStore } from '../../db/table-store.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { environmentContract } from '../environment/contract.ts';
import { createEnvironments } from '../environment/environment.ts';
import { environmentHandlers } from '../environment/handlers.ts';
import { createMembers } from '../organization/member.ts';
import { createServiceCopies } from '../service/service-copies.ts';
import { createServiceNames } from '../service-name/service-name.ts';
import { projectContract } from './contract.ts';
import { projectHandlers } from './handlers.ts';
import { createProjects } from './project.ts';

const lists = ['applications', 'postgres', 'mysql', 'mariadb', 'mongo', 'redis', 'compose'] as const;

eachDatabase('projects and environments', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database) => {
      const stores = createStores(database);
      const members = createMembers(stores.members);
      const environments = createEnvironments(stores.environments, systemClock);
      const projects = createProjects(stores.projects, environments, systemClock);
      const copies = createServiceCopies(
        stores.serviceRows,
        createServiceNames(stores.serviceNames),
        systemClock,
      );
      const neighbours = { services: stores.services, copies, members, networksChanged: () => undefined };
      return [
        router('project', projectContract, projectHandlers(projects, { environments, ...neighbours })),
        router(
          'environment',
          environmentContract,
          environmentHandlers(environments, { project: projects.one, ...neighbours }),
        ),
      ];
    });

  /** One service of every kind, by its kind, in the place of the first organization. */
  async function everyKind({ database, people, place }: World): Promise<Record<string, string>> {
    return {
      application: place.applicationId,
      ...(await otherServices(database, people.owner.organizationId, place.environmentId)),
    };
  }
  const short = (kind: string, id: string | undefined, status = 'applicationStatus') => [
    { [`${kind}Id`]: id, name: expect.any(String), appName: expect.any(String), [status]: 'idle' },
  ];
  const shortLists = (ids: Record<string, string>) =>
    Object.fromEntries(
      lists.map((list) => {
        const kind = list === 'applications' ? 'application' : list;
        return [
          list,
          ids[kind] === undefined
            ? []
            : short(kind, ids[kind], kind === 'compose' ? 'composeStatus' : 'applicationStatus'),
        ];
      }),
    );

  it('show every service under its kind', async () => {
    const world = await begin();
    const { owner, place, people } = world;
    const ids = await everyKind(world);
    const [project] = [await owner.query('project.one', { projectId: place.projectId })];
    const environment = {
      environmentId: place.environmentId,
      name: 'production',
      description: '',
      projectId: place.projectId,
      env: '',
      isDefault: true,
      createdAt: expect.any(String),
    };
    const whole = {
      projectId: place.projectId,
      name: 'Shop',
      description: '',
      env: '',
      organizationId: people.owner.organizationId,
      createdAt: expect.any(String),
      environments: [{ ...environment, ...shortLists(ids) }],
    };
    expect(project).toEqual(whole);
    expect(await owner.query('project.all')).toEqual([whole]);
    const longer = Object.fromEntries(
      Object.entries(shortLists(ids)).map(([list, items]) => [
        list,
        items.map((item) => ({ ...item, description: '', createdAt: expect.any(String) })),
      ]),
    );
    expect(await owner.query('environment.one', { environmentId: place.environmentId })).toEqual({
      ...environment,
      project: { projectId: place.projectId, name: 'Shop', organizationId: people.owner.organizationId },
      ...longer,
    });
  });

  it('show a member only what is assigned, down to a single service', async () => {
    const world = await begin();
    const { member, people, place, owner } = world;
    const ids = await everyKind(world);
    const staging = textOf(
      await owner.mutate('environment.create', { projectId: place.projectId, name: 'staging' }),
      'environmentId',
    );
    expect(await member.query('project.all')).toEqual([]);
    expect(await member.query('project.one', { projectId: place.projectId })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await member.query('environment.byProjectId', { projectId: place.projectId })).toEqual([]);
    expect(await member.query('environment.one', { environmentId: place.environmentId })).toMatchObject({
      code: 'FORBIDDEN',
    });
    for (const [kind, serviceId] of Object.entries(ids)) {
      await people.grant({ accessedServices: [serviceId] });
      const seen = shortLists({ [kind]: serviceId });
      expect(await member.query('project.all')).toMatchObject([
        { environments: [{ environmentId: place.environmentId, ...seen }] },
      ]);
      expect(await member.query('project.all', { limit: 5 })).toMatchObject({
        items: [{ environments: [{ environmentId: place.environmentId, ...seen }] }],
        nextCursor: null,
      });
      expect(await member.query('project.one', { projectId: place.projectId })).toMatchObject({
        environments: [seen],
      });
      expect(await member.query('environment.one', { environmentId: place.environmentId })).toMatchObject(
        seen,
      );
      expect(await member.query('environment.byProjectId', { projectId: place.projectId })).toMatchObject([
        { environmentId: place.environmentId },
      ]);
    }
    await people.grant({ accessedEnvironments: [staging] });
    expect(await member.query('project.all')).toMatchObject([
      { environments: [{ environmentId: staging, ...shortLists({}) }] },
    ]);
    expect(await member.query('environment.byProjectId', { projectId: place.projectId })).toMatchObject([
      { environmentId: staging },
    ]);
    await people.grant({ accessedProjects: [place.projectId] });
    expect(await member.query('project.one', { projectId: place.projectId })).toMatchObject({
      environments: [{ environmentId: staging }, shortLists(ids)],
    });
  });

  it('are read in the same number of statements however many there are', async () => {
    const world = await begin();
    const { owner, database, people, place } = world;
    const reads: [string, object][] = [
      ['project.all', {}],
      ['project.all', { limit: 2 }],
      ['project.one', { projectId: place.projectId }],
      ['environment.one', { environmentId: place.environmentId }],
      ['environment.byProjectId', { projectId: place.projectId }],
    ];
    const count = async (): Promise<number[]> => {
      const counts = [];
      for (const [path, input] of reads)
        counts.push(await statementsOf(database, () => owner.query(path, input)));
      return counts;
    };
    const few = await count();
    for (let index = 0; index < 5; index += 1) {
      const { environmentId } = await createPlace(database, people.owner, `More ${index}`);
      await otherServices(database, people.owner.organizationId, environmentId);
      await otherServices(database, people.owner.organizationId, place.environmentId);
    }
    await owner.mutate('environment.create', { projectId: place.projectId, name: 'staging' });
    expect(await count()).toEqual(few);
  });

  it('come in pages that together are the whole list', async () => {
    const { owner, database, people, stranger } = await begin();
    for (let index = 0; index < 6; index += 1) await createPlace(database, people.owner, `P${index}`);
    const all = await owner.query('project.all');
    const seen: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 4; page += 1) {
      const answer = Object(
        await owner.query('project.all', { limit: 3, ...(cursor === undefined ? {} : { cursor }) }),
      );
      seen.push(...answer.items);
      if (answer.nextCursor === null) break;
      cursor = answer.nextCursor;
    }
    expect(seen).toEqual(all);
    expect(seen).toHaveLength(7);
    expect(await owner.query('project.all', { limit: 3, cursor: 'gone' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['cursor'],
    });
    expect(await stranger.query('project.all', { limit: 3, cursor })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['cursor'],
    });
  });

  it('stay while any kind of service stands in them', async () => {
    const world = await begin();
    const { owner, database, people, place } = world;
    const stores = createStores(database);
    const staging = textOf(
      await owner.mutate('environment.create', { projectId: place.projectId, name: 'staging' }),
      'environmentId',
    );
    await otherServices(database, people.owner.organizationId, staging);
    expect(await owner.mutate('environment.remove', { environmentId: staging })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('6 services'),
    });
    await tableStore(database, 'compose').remove({ environmentId: staging });
    expect(await owner.mutate('environment.remove', { environmentId: staging })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('5 services'),
    });
    await stores.applications.remove({ applicationId: place.applicationId });
    expect(await owner.mutate('project.remove', { projectId: place.projectId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await stores.databases.remove({ environmentId: staging });
    expect(await owner.mutate('environment.remove', { environmentId: staging })).toMatchObject({
      environmentId: staging,
    });
    expect(await owner.mutate('project.remove', { projectId: place.projectId })).toMatchObject({
      projectId: place.projectId,
    });
  });

  it('are copied with the configuration of every service, under new ids, names and tokens, and nothing of what runs', async () => {
    const world = await begin();
    const {
      owner,
      database,
      people: {
        owner: { organizationId },
      },
      place,
    } = world;
    const ids = await everyKind(world);
    const rows = createStores(database).serviceRows;
    const { applicationId, environmentId, projectId } = place;
    await rows.application.update(
      { applicationId },
      {
        env: 'SECRET=1',
        memoryLimit: '512m',
        customGitPassword: 'hidden',
        applicationStatus: 'done',
        releasedAppName: 'former',
        uploadPath: '/x',
        isStopped: true,
        networks: [environmentId],
        liveDeploymentId: 'x',
      },
    );
    await rows.database.update(
      { databaseId: ids['postgres'] ?? '' },
      {
        env: 'A=1',
        externalPort: 15_432,
        applicationStatus: 'done',
        releasedAppName: 'pg',
        memoryLimit: '1g',
      },
    );
    await rows.compose.update(
      { composeId: ids['compose'] ?? '' },
      { composeFile: 'services: {}', composeStatus: 'error' },
    );
    const mount = {
      organizationId,
      hostPath: null,
      volumeName: null,
      filePath: null,
      content: null,
      createdAt: '',
      applicationId: null,
      databaseId: null,
      composeId: null,
    };
    await rows.mount.insert({
      ...mount,
      mountId: 'v',
      type: 'volume',
      volumeName: 'data',
      mountPath: '/data',
      serviceType: 'postgres',
      databaseId: ids['postgres'] ?? '',
    });
    await rows.mount.insert({
      ...mount,
      mountId: 'f',
      type: 'file',
      filePath: 'a',
      content: 'text',
      mountPath: '/a',
      serviceType: 'application',
      applicationId,
    });
    await rows.mount.insert({
      ...mount,
      mountId: 'b',
      type: 'bind',
      hostPath: '/srv',
      mountPath: '/b',
      serviceType: 'application',
      applicationId,
    });
    await rows.redirect.insert({
      redirectId: 'r',
      organizationId,
      applicationId,
      regex: 'a',
      replacement: 'b',
      permanent: true,
      createdAt: '',
    });
    await rows.basicAuth.insert({
      basicAuthId: 'u',
      organizationId,
      applicationId,
      username: 'ann',
      passwordHash: 'hash',
      createdAt: '',
    });
    await createStores(database).ports.insert({
      portId: 'p',
      organizationId,
      applicationId,
      publishedPort: 15_000,
      targetPort: 80,
      protocol: 'tcp',
      publishMode: 'host',
      serverKey: 'local',
      createdAt: '',
    });
    await owner.mutate('environment.update', { environmentId, env: 'SHARED=1', description: 'live' });

    const copy = await owner.mutate('environment.duplicate', { environmentId, name: 'staging' });
    expect(copy).toMatchObject({
      name: 'staging',
      description: 'live',
      env: 'SHARED=1',
      isDefault: false,
      projectId,
    });
    const copied = textOf(copy, 'environmentId');
    await expectCopies(copied);
    const [application] = await rows.application.list({ environmentId: copied });
    expect(application).toMatchObject({ networks: [copied] });

    const project = await owner.mutate('project.duplicate', {
      projectId,
      name: 'Shop 2',
      description: 'second',
    });
    expect(project).toMatchObject({ name: 'Shop 2', description: 'second', organizationId });
    const environments = await createStores(database).environments.list(
      { projectId: textOf(project, 'projectId') },
      { by: ['name'], direction: 'asc' },
    );
    expect(environments).toMatchObject([
      { name: 'production', isDefault: true, env: 'SHARED=1', description: 'live' },
      { name: 'staging', isDefault: false, env: 'SHARED=1' },
    ]);
    for (const one of environments) await expectCopies(one.environmentId);

    async function expectCopies(target: string): Promise<void> {
      const [original] = await rows.application.list({ environmentId });
      const [app] = await rows.application.list({ environmentId: target });
      expect(app).toEqual({
        ...original,
        applicationId: expect.any(String),
        environmentId: target,
        appName: expect.stringMatching(/^shop-[a-z0-9]{6}$/),
        refreshToken: expect.any(String),
        applicationStatus: 'idle',
        liveDeploymentId: null,
        releasedAppName: null,
        uploadPath: null,
        isStopped: false,
        networks: [target],
        createdAt: expect.any(String),
      });
      expect([app?.applicationId, app?.refreshToken]).not.toEqual(
        expect.arrayContaining([original?.applicationId, original?.refreshToken]),
      );
      const originals = await rows.database.list({ environmentId }, { by: ['kind'], direction: 'asc' });
      expect(await rows.database.list({ environmentId: target }, { by: ['kind'], direction: 'asc' })).toEqual(
        originals.map((one) => ({
          ...one,
          databaseId: expect.any(String),
          environmentId: target,
          appName: expect.stringMatching(/^the-[a-z]+-[a-z0-9]{6}$/),
          applicationStatus: 'idle',
          externalPort: null,
          releasedAppName: null,
          dataVolume: expect.stringMatching(/^berth-data-/),
          createdAt: expect.any(String),
        })),
      );
      expect(await rows.compose.list({ environmentId: target })).toMatchObject([
        { composeFile: 'services: {}', composeStatus: 'idle' },
      ]);
      expect(await rows.mount.list({ applicationId: app?.applicationId ?? '' })).toMatchObject([
        { type: 'file', content: 'text', mountPath: '/a' },
      ]);
      const postgres = await rows.database.find({ environmentId: target, kind: 'postgres' });
      expect(await rows.mount.list({ databaseId: postgres?.databaseId ?? '' })).toMatchObject([
        { type: 'volume', volumeName: 'data', serviceType: 'postgres' },
      ]);
      expect(await rows.redirect.list({ applicationId: app?.applicationId ?? '' })).toMatchObject([
        { regex: 'a', replacement: 'b', permanent: true },
      ]);
      expect(await rows.basicAuth.list({ applicationId: app?.applicationId ?? '' })).toMatchObject([
        { username: 'ann', passwordHash: 'hash' },
      ]);
      expect(await createStores(database).ports.list({ applicationId: app?.applicationId ?? '' })).toEqual(
        [],
      );
      expect(
        await createStores(database).serviceNames.list({ serviceId: app?.applicationId ?? '' }),
      ).toMatchObject([{ nameKey: app?.appName }]);
    }
  });

  it('are copied whole or not at all', async () => {
    const world = await begin();
    const { owner, database, place } = world;
    await everyKind(world);
    await database.script('DROP TABLE "basic_auth"');
    expect(
      await owner.mutate('project.duplicate', { projectId: place.projectId, name: 'Half' }),
    ).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
    expect(await owner.query('project.all')).toMatchObject([{ name: 'Shop' }]);
    expect(
      await createStores(database).applications.list({ organizationId: world.people.owner.organizationId }),
    ).toHaveLength(1);
  });

  it('are copied by those who reach the original and may create; bad input is named', async () => {
    const world = await begin();
    const { owner, member, stranger, nobody, people, place } = world;
    const calls = (door: Door, ids: object = place): Promise<unknown>[] => [
      door.mutate('project.duplicate', { ...ids, name: 'copy' }),
      door.mutate('environment.duplicate', { ...ids, name: 'copy' }),
    ];
    for (const answer of await Promise.all(calls(nobody)))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all(calls(stranger)))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, { projectId: 'nowhere', environmentId: 'nowhere' })))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    for (const grants of [
      {},
      { canCreateProjects: true, canCreateEnvironments: true },
      { canCreateServices: true },
    ]) {
      await people.grant({ accessedProjects: [place.projectId], ...grants });
      for (const answer of await Promise.all(calls(member)))
        expect(answer).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('permission') });
    }
    // A single service of it does not open the whole.
    await people.grant({
      accessedServices: [place.applicationId],
      canCreateProjects: true,
      canCreateEnvironments: true,
      canCreateServices: true,
    });
    for (const answer of await Promise.all(calls(member)))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    await people.grant({
      accessedProjects: [place.projectId],
      canCreateProjects: true,
      canCreateEnvironments: true,
      canCreateServices: true,
    });
    const projectId = textOf(
      await member.mutate('project.duplicate', { projectId: place.projectId, name: 'Mine' }),
      'projectId',
    );
    expect(await member.query('project.one', { projectId })).toMatchObject({
      name: 'Mine',
      environments: [{ applications: [{ name: 'Shop' }] }],
    });
    for (const name of ['production', 'Production', ''])
      expect(
        await owner.mutate('environment.duplicate', { environmentId: place.environmentId, name }),
      ).toMatchObject({ code: 'BAD_REQUEST', fields: ['name'] });
    expect(await owner.mutate('project.duplicate', { projectId: place.projectId, name: '' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['name'],
    });
  });
});
