import { noDomainRules } from '../domain/route-rules.ts';
import { expect, it } from 'vitest';
import { afterChange } from '../../../../test/http/after-change.ts';
import { composeLogs, composeWorlds, harmless } from '../../../../test/http/worlds/compose-world.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { tableStore } from '../../db/table-store.ts';
import { createQueue } from '../../jobs/queue.ts';
import { systemClock } from '../../ports/clock.ts';
import { routesOf } from '../../reconcile/routes.ts';
import { createServiceNames } from '../service-name/service-name.ts';
import { createComposes } from './compose.ts';

eachDatabase('compose services', (test) => {
  const { begin, create } = composeWorlds(test);

  it('are created, read, changed, moved and deleted as records', async () => {
    const world = await begin();
    const { owner, place, database, people } = world;
    const created = await owner.mutate('compose.create', {
      name: 'My Stack',
      environmentId: place.environmentId,
    });
    const record = {
      composeId: expect.any(String),
      name: 'My Stack',
      appName: expect.stringMatching(/^my-stack-[a-z0-9]{6}$/),
      description: '',
      environmentId: place.environmentId,
      serverId: null,
      composeType: 'compose',
      sourceType: 'raw',
      composeFile: '',
      composePath: 'docker-compose.yml',
      env: '',
      createEnvFile: false,
      composeStatus: 'idle',
      refreshToken: expect.any(String),
      autoDeploy: true,
      randomize: false,
      suffix: '',
      revision: expect.any(Number),
      repository: null,
      owner: null,
      branch: null,
      gitHost: null,
      githubId: null,
      customGitUrl: null,
      customGitBranch: null,
      customGitSSHKeyId: null,
      enableSubmodules: true,
      watchPaths: [],
      triggerType: 'push',
      secretEnvNames: [],
      isPreviewDeploymentsActive: false,
      previewWildcard: null,
      previewLimit: 3,
      previewLabels: [],
      previewEnv: null,
      previewSecretEnvNames: [],
      previewInherits: [],
      previewDatabases: [],
      previewRequireCollaboratorPermissions: true,
      createdAt: expect.any(String),
    };
    expect(created).toEqual(record);
    const composeId = textOf(created, 'composeId');
    expect(await owner.query('compose.one', { composeId })).toEqual({
      ...record,
      approval: null,
      awaitsApproval: null,
      environment: expect.objectContaining({ name: 'production' }),
      domains: [],
      mounts: [],
      deployments: [],
      live: null,
      pendingChanges: [],
    });
    const patch = {
      name: 'Other',
      appName: 'other',
      description: 'text',
      composeType: 'stack',
      composeFile: harmless,
      composePath: 'deploy/compose.yaml',
      env: 'A=1',
      createEnvFile: true,
      autoDeploy: false,
      composeStatus: 'done',
      randomize: true,
      suffix: 'b1',
      watchPaths: ['web/**'],
      triggerType: 'tag',
    };
    expect(await owner.mutate('compose.update', { composeId, ...patch, webhookSecret: 'hidden' })).toEqual(
      afterChange({ ...record, ...patch }),
    );
    expect(await owner.mutate('compose.update', { composeId })).toEqual(afterChange({ ...record, ...patch }));
    expect(await owner.query('compose.one', { composeId })).toMatchObject({ ...record, ...patch });
    const cleared = { ...record, ...patch, description: '', composeFile: '', env: '', watchPaths: [] };
    expect(
      await owner.mutate('compose.update', {
        composeId,
        description: null,
        composeFile: null,
        env: null,
        watchPaths: null,
        webhookSecret: null,
      }),
    ).toEqual(cleared);
    expect(
      await owner.mutate('compose.saveEnvironment', { composeId, env: 'B=2', createEnvFile: false }),
    ).toEqual({ ...cleared, env: 'B=••••', createEnvFile: false });
    const token = async (): Promise<string> =>
      textOf(await owner.query('compose.one', { composeId }), 'refreshToken');
    const before = await token();
    await owner.mutate('compose.refreshToken', { composeId });
    expect(await token()).not.toBe(before);
    // A status set by hand ends with the next action; nothing of it runs.
    expect(await owner.mutate('compose.cleanQueues', { composeId })).toMatchObject({ composeStatus: 'idle' });
    const stores = createStores(database);
    await stores.environments.insert({
      environmentId: 'staging',
      organizationId: people.owner.organizationId,
      projectId: place.projectId,
      name: 'staging',
      description: '',
      env: '',
      isDefault: false,
      networkIndex: null,
      createdAt: '',
    });
    expect(await owner.mutate('compose.move', { composeId, targetEnvironmentId: 'staging' })).toMatchObject({
      environmentId: 'staging',
    });
    expect(await owner.mutate('compose.delete', { composeId, deleteVolumes: true })).toEqual(
      expect.objectContaining({ composeId, name: 'Other', keptVolumes: [] }),
    );
    expect(await owner.query('compose.one', { composeId })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await stores.serviceNames.list({ serviceId: composeId })).toEqual([]);
  });

  it('show the services of their file, in pages too', async () => {
    const world = await begin();
    const { owner } = world;
    const composeId = await create(world);
    expect(await owner.query('compose.loadServices', { composeId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await owner.mutate('compose.update', { composeId, composeFile: harmless });
    expect(await owner.query('compose.loadServices', { composeId })).toEqual(['web', 'db']);
    expect(await owner.query('compose.loadServices', { composeId, limit: 1 })).toEqual({
      items: ['web'],
      nextCursor: 'web',
    });
    await owner.mutate('compose.update', { composeId, sourceType: 'git' });
    expect(await owner.query('compose.loadServices', { composeId })).toEqual(['from', 'included']);
    await owner.mutate('compose.update', { composeId, composePath: 'none.yml' });
    expect(await owner.query('compose.loadServices', { composeId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
  });

  it('split user and password off an address, and never show them', async () => {
    const world = await begin();
    const { owner, database } = world;
    const composeId = await create(world);
    const stored = async (): Promise<unknown> => createStores(database).composes.find({ composeId });
    expect(
      await owner.mutate('compose.update', {
        composeId,
        sourceType: 'git',
        customGitUrl: 'https://ann:pass@git.example.com/a.git',
        customGitBranch: 'main',
      }),
    ).toMatchObject({ customGitUrl: 'https://git.example.com/a.git' });
    expect(await stored()).toMatchObject({ customGitUsername: 'ann', customGitPassword: 'pass' });
    await owner.mutate('compose.update', { composeId, customGitUrl: 'https://git.example.com/b.git' });
    expect(await stored()).toMatchObject({ customGitUsername: 'ann' });
    await owner.mutate('compose.update', { composeId, customGitUrl: 'https://evil.example.com/b.git' });
    expect(await stored()).toMatchObject({ customGitUsername: null, customGitPassword: null });
    expect(await owner.mutate('compose.update', { composeId, customGitUrl: '/etc' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['customGitUrl'],
    });
    expect(await owner.mutate('compose.update', { composeId, customGitUrl: '/srv/git/a' })).toMatchObject({
      customGitUrl: '/srv/git/a',
    });
  });

  it('have names that no other service has', async () => {
    const world = await begin();
    const { owner, database, place } = world;
    const { appName } = (await createStores(database).applications.find({
      applicationId: place.applicationId,
    })) ?? { appName: '' };
    const taken = { code: 'CONFLICT', fields: ['appName'] };
    expect(
      await owner.mutate('compose.create', {
        name: 'x',
        environmentId: place.environmentId,
        appName: appName.toUpperCase(),
      }),
    ).toMatchObject(taken);
    const composeId = await create(world, { appName: 'stack' });
    expect(
      await owner.mutate('compose.create', {
        name: 'x',
        environmentId: place.environmentId,
        appName: 'STACK',
      }),
    ).toMatchObject(taken);
    expect(await owner.mutate('compose.update', { composeId, appName })).toMatchObject(taken);
  });

  it('are given a suffix once, when their names are to be told apart', async () => {
    const world = await begin();
    const { owner } = world;
    const composeId = await create(world);
    const { suffix } = {
      suffix: textOf(await owner.mutate('compose.update', { composeId, randomize: true }), 'suffix'),
    };
    expect(suffix).toMatch(/^[a-z0-9]{6}$/);
    expect(await owner.mutate('compose.update', { composeId, randomize: true })).toMatchObject({ suffix });
    expect(await owner.mutate('compose.update', { composeId, suffix: 'b1' })).toMatchObject({ suffix: 'b1' });
  });

  it('have networks of their own, whose index nobody else has', async () => {
    const world = await begin();
    const { database, place } = world;
    const { composes: store, serviceNames, environments } = createStores(database);
    const composes = createComposes(
      store,
      { names: createServiceNames(serviceNames), localRepositoryPaths: async () => [] },
      systemClock,
    );
    await environments.update({ environmentId: place.environmentId }, { networkIndex: 1 });
    const [first, second] = [await create(world), await create(world)];
    const room = 4096;
    expect([
      await composes.networkIndex(first, { room }),
      await composes.networkIndex(second, { room }),
      await composes.networkIndex(first, { room }),
    ]).toEqual([2, 3, 2]);
    expect(await environments.freeNetworkIndex(world.people.owner.organizationId, { room })).toBe(4);
  });

  it('hold the names of their services: no application has one, nor any other that begins so', async () => {
    const world = await begin();
    const { owner, database } = world;
    const composeId = await create(world, { appName: 'stack', composeFile: harmless });
    const names = createStores(database).serviceNames;
    const held = async (): Promise<string[]> =>
      (await names.list({ serviceId: composeId })).map(({ nameKey }) => nameKey).toSorted();
    expect(await held()).toEqual(['stack', 'stack_db', 'stack_web']);
    await owner.mutate('compose.update', { composeId, randomize: true, suffix: 'b1' });
    expect(await held()).toEqual(['stack', 'stack_db-b1', 'stack_web-b1']);
    await owner.mutate('compose.update', { composeId, randomize: false, appName: 'other' });
    expect(await held()).toEqual(['other', 'other_db', 'other_web']);
    await createServiceNames(names).keep('an application', ['third_web']);
    expect(await owner.mutate('compose.update', { composeId, appName: 'third' })).toMatchObject({
      code: 'CONFLICT',
      fields: ['appName'],
    });
    await owner.mutate('compose.delete', { composeId });
    expect(await held()).toEqual([]);
  });

  it('end their schedules: runs that go on, and the logs of all', async () => {
    const world = await begin();
    const { database, owner, people } = world;
    const composeId = await create(world);
    const { schedules } = createStores(database);
    const own = { organizationId: people.owner.organizationId, createdAt: '' };
    const scheduleId = `schedule-of-${composeId}`;
    const scheduleRunId = `run-of-${composeId}`;
    await schedules.insert({
      ...own,
      scheduleId,
      applicationId: null,
      composeId,
      serviceName: 'web',
      name: 'tidy',
      cron: '@daily',
      timeZone: 'UTC',
      command: ['true'],
      limitMinutes: 1,
      enabled: true,
      nextRunAt: null,
    });
    await schedules.runs.insert({
      ...own,
      scheduleRunId,
      scheduleId,
      startedBy: 'person',
      status: 'done',
      exitCode: 0,
      errorMessage: null,
      dueAt: '',
      startedAt: '',
      finishedAt: '',
      sequence: 1,
      nanoCpus: null,
      memoryBytes: null,
    });
    const writer = composeLogs.writer(scheduleRunId, String);
    writer.line('tidied');
    await writer.close();
    const serviceKey = `schedule:${scheduleId}`;
    const job = { kind: 'schedule', payload: { scheduleRunId }, serviceKey, serverKey: 'local' };
    const { jobs } = createStores(database);
    await createQueue(jobs, systemClock, () => undefined).enqueue(job);
    await jobs.update({ serviceKey }, { state: 'running' });
    await owner.mutate('compose.delete', { composeId });
    expect(await jobs.list({ serviceKey })).toMatchObject([{ state: 'cancelled' }]);
    expect(await schedules.runs.list({ scheduleId })).toEqual([]);
    expect(await composeLogs.readEnd(scheduleRunId)).toEqual([]);
  });

  it('go with their domains, which lead to the service that they name', async () => {
    const world = await begin();
    const { owner, database, people } = world;
    const composeId = await create(world, { appName: 'stack' });
    const { composes, domains } = createStores(database);
    await tableStore(database, 'domain').insert({
      domainId: 'd',
      organizationId: people.owner.organizationId,
      host: 'a.example.com',
      asciiHost: 'a.example.com',
      path: '/',
      port: 80,
      ownPort: 80,
      https: false,
      certificateType: 'none',
      customCertResolver: null,
      applicationId: null,
      composeId,
      serviceName: 'web',
      domainType: 'compose',
      previewDeploymentId: null,
      internalPath: '/',
      stripPath: false,
      hstsMaxAge: null,
      requestHeaders: {},
      maxBodyBytes: null,
      ...noDomainRules,
      uniqueConfigKey: 1,
      serverKey: 'local',
      createdAt: '',
    });
    const services = async (): Promise<(string | null)[]> =>
      routesOf(
        await domains.routed('local'),
        {
          certificates: [],
          resolvers: [],
          settings: { acmeDirectory: null, acmeEmail: null, acmeRoots: null },
          withheld: new Set(),
          orders: [],
          base: null,
        },
        0,
      ).map(({ service }) => service);
    // Nothing before a release, and nothing that the release has not, whatever the domain says.
    expect(await services()).toEqual([null]);
    await composes.update(
      { composeId },
      { releasedAppName: 'former', releasedServices: { web: 'former_web-b1' } },
    );
    expect(await services()).toEqual(['former_web-b1']);
    for (const serviceName of ['db', 'constructor']) {
      await domains.update({ domainId: 'd' }, { serviceName });
      expect(await services()).toEqual([null]);
    }
    await domains.update({ domainId: 'd' }, { serviceName: 'web' });
    expect(await owner.query('compose.one', { composeId })).toMatchObject({
      domains: [{ domainId: 'd', serviceName: 'web' }],
    });
    expect(await owner.mutate('compose.delete', { composeId })).toMatchObject({ composeId });
    expect(await domains.list({ composeId })).toEqual([]);
  });
});
