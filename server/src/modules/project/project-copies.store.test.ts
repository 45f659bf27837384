import { expect, it } from 'vitest';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { everyKind, projectWorlds } from '../../../../test/http/worlds/project-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';

eachDatabase('copies of projects and environments', (test) => {
  const begin = projectWorlds(test);

  it(
    'are copied with the configuration of every service, under new ids, names and tokens, and nothing ' +
      'of what runs',
    async () => {
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
        approval: null,
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
        isSecret: false,
        mountId: 'v',
        type: 'volume',
        volumeName: 'data',
        mountPath: '/data',
        serviceType: 'postgres',
        databaseId: ids['postgres'] ?? '',
      });
      await rows.mount.insert({
        ...mount,
        isSecret: false,
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
        isSecret: false,
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
        expect(
          await rows.database.list({ environmentId: target }, { by: ['kind'], direction: 'asc' }),
        ).toEqual(
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
    },
  );

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
    const calls = (client: InterfaceClient, ids: object = place): Promise<unknown>[] => [
      client.mutate('project.duplicate', { ...ids, name: 'copy' }),
      client.mutate('environment.duplicate', { ...ids, name: 'copy' }),
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
