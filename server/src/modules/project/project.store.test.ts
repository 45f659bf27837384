import { expect, it } from 'vitest';
import { textOf } from '../../../../test/http/interface-client.ts';
import { createPlace, otherServices } from '../../../../test/http/places.ts';
import { everyKind, projectWorlds } from '../../../../test/http/worlds/project-world.ts';
import { statementsOf } from '../../../../test/http/statements-of.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { tableStore } from '../../db/table-store.ts';

const lists = ['applications', 'postgres', 'mysql', 'mariadb', 'mongo', 'redis', 'compose'] as const;

eachDatabase('projects and environments', (test) => {
  const begin = projectWorlds(test);
  const short = (kind: string, id: string | undefined, status = 'applicationStatus') => [
    {
      [`${kind}Id`]: id,
      name: expect.any(String),
      appName: expect.any(String),
      [status]: 'idle',
      live: null,
    },
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
      revision: 0,
      createdAt: expect.any(String),
    };
    const whole = {
      projectId: place.projectId,
      revision: 0,
      name: 'Shop',
      description: '',
      env: '',
      baseDomain: null,
      organizationId: people.owner.organizationId,
      createdAt: expect.any(String),
      environments: [{ ...environment, ...shortLists(ids) }],
    };
    expect(project).toEqual(whole);
    const { env: _env, ...listed } = whole;
    const { env: _its, ...listedInside } = environment;
    const inside = [{ ...listedInside, ...shortLists(ids) }];
    // Variables are not in lists: a page of projects would be as large as all of them together.
    expect(await owner.query('project.all')).toEqual([{ ...listed, environments: inside }]);
    expect(await owner.query('project.all', { limit: 1 })).toEqual({
      items: [{ ...listed, environments: inside }],
      nextCursor: null,
    });
    expect(await owner.query('environment.byProjectId', { projectId: place.projectId })).toEqual([
      listedInside,
    ]);
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
});
