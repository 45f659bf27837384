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
import { AppError, badField } from '../../domain/errors.ts';
import { createQueue } from '../../jobs/queue.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { routesOf } from '../../reconcile/routes.ts';
import { deploymentContract } from '../deployment/contract.ts';
import { createDeployments } from '../deployment/deployment.ts';
import { deploymentHandlers } from '../deployment/handlers.ts';
import { createDomains } from '../domain/domain.ts';
import { createMembers } from '../organization/member.ts';
import { environmentOf } from '../service/service.ts';
import { createTurns } from '../service/turns.ts';
import { createServiceNames } from '../service-name/service-name.ts';
import { createComposes } from './compose.ts';
import { composeContract } from './contract.ts';
import { deployedComposes } from './deployed.ts';
import { composeHandlers } from './handlers.ts';
import { createComposeRuntime } from './runtime.ts';

const harmless = 'services:\n  web:\n    image: nginx\n  db:\n    image: postgres\n';
const risky = 'services:\n  web:\n    image: nginx\n    volumes: ["/etc:/x"]\n';
const byVariable = 'services:\n  web:\n    image: nginx\n    volumes: ["${DIR}:/x"]\n';

eachDatabase('compose services', (test) => {
  const createWorld = worlds(test);
  const begin = (cloud = false): Promise<World> =>
    createWorld((database) => {
      const stores = createStores(database);
      const composes = createComposes(
        stores.composes,
        { names: createServiceNames(stores.serviceNames), localRepositoryPaths: async () => ['/srv/git'] },
        systemClock,
      );
      const queue = createQueue(stores.jobs, systemClock, () => undefined);
      const logs = createFileLogs(join(tmpdir(), 'berth-no-logs'), systemClock);
      const deployments = createDeployments(
        stores.deployments,
        { services: { compose: deployedComposes(composes) }, queue, logs },
        systemClock,
      );
      // Nobody listens there: what needs the engine says so.
      const engine = createSwarmEngine({ socketPath: join(tmpdir(), 'berth-no-engine'), clock: systemClock });
      const turns = createTurns();
      return [
        router('deployment', deploymentContract, deploymentHandlers(deployments, { logs, queue })),
        router(
          'compose',
          composeContract,
          composeHandlers({
            composes,
            deployments,
            queue,
            logs,
            turns,
            builds: { killBuild: async () => false, end: async () => undefined },
            members: createMembers(stores.members),
            runtime: createComposeRuntime({
              engine,
              composes,
              turns,
              liveServices: async () => [],
              networkOf: (composeId) => composeId,
              removeCopies: async () => undefined,
            }),
            envBlocks: async () => ({ project: 'TEAM=blue', environment: '' }),
            repositoryFile: async ({ composePath }) => {
              if (composePath === 'none.yml')
                throw new AppError('PRECONDITION_FAILED', 'There is no file none.yml in the repository.');
              return 'services:\n  from: {image: repository}\n';
            },
            requireServer: async (serverId) => {
              if (cloud && !serverId) throw badField('serverId', 'is required');
            },
            environment: async (environmentId) => {
              const placement = await stores.applications.placement(environmentId);
              if (!placement) throw new Error('no such environment');
              return environmentOf(placement);
            },
            domains: createDomains(stores.domains, systemClock).byCompose,
            mounts: async () => [],
            changeRoutes: (write, change) => write(change),
          }),
        ),
      ];
    });
  const create = async ({ owner, place }: World, input: object = {}): Promise<string> =>
    textOf(
      await owner.mutate('compose.create', { name: 'Stack', environmentId: place.environmentId, ...input }),
      'composeId',
    );

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
      repository: null,
      owner: null,
      branch: null,
      gitHost: null,
      githubId: null,
      customGitUrl: null,
      customGitBranch: null,
      customGitSSHKeyId: null,
      enableSubmodules: false,
      watchPaths: [],
      triggerType: 'push',
      createdAt: expect.any(String),
    };
    expect(created).toEqual(record);
    const composeId = textOf(created, 'composeId');
    expect(await owner.query('compose.one', { composeId })).toEqual({
      ...record,
      environment: expect.objectContaining({ name: 'production' }),
      domains: [],
      mounts: [],
      deployments: [],
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
    expect(await owner.mutate('compose.update', { composeId, ...patch, webhookSecret: 'hidden' })).toEqual({
      ...record,
      ...patch,
    });
    expect(await owner.mutate('compose.update', { composeId })).toEqual({ ...record, ...patch });
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
    ).toEqual({ ...cleared, env: 'B=2', createEnvFile: false });
    const before = textOf(created, 'refreshToken');
    const after = textOf(await owner.mutate('compose.refreshToken', { composeId }), 'refreshToken');
    expect(after).not.toBe(before);
    expect(await owner.mutate('compose.cleanQueues', { composeId })).toMatchObject({ composeStatus: 'done' });
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
    expect(await owner.query('compose.loadServices', { composeId })).toEqual(['from']);
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

  it('of members reach nothing outside themselves, neither by the file nor by a variable in it', async () => {
    const world = await begin();
    const { owner, admin, member, people, place } = world;
    await people.grant({ accessedEnvironments: [place.environmentId], canCreateServices: true });
    const input = { name: 'Mine', environmentId: place.environmentId };
    for (const composeFile of [risky, byVariable])
      expect(await member.mutate('compose.create', { ...input, composeFile })).toMatchObject({
        code: 'FORBIDDEN',
        fields: ['composeFile'],
        message: expect.stringContaining('services.web.volumes'),
      });
    const composeId = textOf(
      await member.mutate('compose.create', { ...input, composeFile: harmless }),
      'composeId',
    );
    expect(await member.mutate('compose.update', { composeId, composeFile: risky })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await member.query('compose.one', { composeId })).toMatchObject({ composeFile: harmless });
    // What an Owner or Admin wrote stays theirs; a member goes on with the rest, but decides nothing in it by a variable.
    for (const door of [owner, admin])
      expect(await door.mutate('compose.update', { composeId, composeFile: risky })).toMatchObject({
        composeFile: risky,
      });
    expect(await member.mutate('compose.update', { composeId, name: 'Renamed', env: 'A=1' })).toMatchObject({
      name: 'Renamed',
      env: 'A=1',
    });
    await admin.mutate('compose.update', { composeId, composeFile: byVariable, env: 'DIR=/srv/mine' });
    for (const call of ['compose.update', 'compose.saveEnvironment'])
      expect(await member.mutate(call, { composeId, env: 'DIR=/' })).toMatchObject({
        code: 'FORBIDDEN',
        fields: ['env'],
      });
    expect(await member.mutate('compose.update', { composeId, name: 'Again' })).toMatchObject({
      name: 'Again',
      env: 'DIR=/srv/mine',
    });
    expect(await member.mutate('compose.update', { composeId, composeFile: null })).toMatchObject({
      composeFile: '',
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

  it('are deployed by jobs, whose records everybody reads by composeId', async () => {
    const world = await begin();
    const { owner, database } = world;
    const composeId = await create(world);
    const { jobs, deployments, composes } = createStores(database);
    expect(await owner.mutate('compose.deploy', { composeId })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('composeFile'),
    });
    await owner.mutate('compose.update', { composeId, composeFile: harmless });
    expect(await owner.mutate('compose.redeploy', { composeId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    expect(await owner.mutate('compose.deploy', { composeId, title: 'First', description: 'of all' })).toBe(
      true,
    );
    expect(await owner.query('compose.one', { composeId })).toMatchObject({
      composeStatus: 'running',
      deployments: [{ title: 'First', status: 'queued' }],
    });
    const [deployment] = await deployments.list({ composeId });
    const { deploymentId = '' } = deployment ?? {};
    expect(await owner.query('deployment.all', { composeId })).toEqual([
      expect.objectContaining({
        deploymentId,
        composeId,
        applicationId: null,
        kind: 'deploy',
        title: 'First',
        description: 'of all',
        status: 'queued',
      }),
    ]);
    expect(await owner.query('deployment.one', { deploymentId })).toMatchObject({ composeId });
    expect(await jobs.list({})).toMatchObject([
      {
        kind: 'deployment',
        payload: { deploymentId },
        serviceKey: `compose:${composeId}`,
        serverKey: 'local',
        state: 'queued',
      },
    ]);
    expect(await owner.mutate('deployment.rollback', { deploymentId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('applications'),
    });
    expect(await owner.mutate('compose.killBuild', { composeId })).toMatchObject({
      composeStatus: 'running',
    });
    expect(await owner.mutate('compose.cleanQueues', { composeId })).toMatchObject({ composeStatus: 'idle' });
    expect(await owner.query('deployment.one', { deploymentId })).toMatchObject({ status: 'cancelled' });
    expect(await owner.mutate('compose.start', { composeId })).toMatchObject({ code: 'PRECONDITION_FAILED' });
    await composes.update({ composeId }, { liveDeploymentId: deploymentId });
    expect(await owner.mutate('compose.redeploy', { composeId })).toBe(true);
    expect(await deployments.list({ composeId, kind: 'redeploy' })).toMatchObject([
      { title: 'Rebuild deployment', status: 'queued' },
    ]);
    // After a release the engine decides what the status returns to.
    for (const call of ['compose.cleanQueues', 'compose.stop', 'compose.delete'])
      expect(await owner.mutate(call, { composeId })).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await owner.query('compose.readLogs', { composeId })).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });

  it('are refused at once with service and key for what cannot be done, and for another server', async () => {
    const world = await begin();
    const { owner, database } = world;
    const composeId = await create(world);
    const refused = async (composeFile: string, env: string | null = null): Promise<unknown> => {
      await owner.mutate('compose.update', { composeId, composeFile, env });
      return owner.mutate('compose.deploy', { composeId });
    };
    for (const [composeFile, says] of [
      ['services:\n  web: {image: nginx, privileged: true}\n', 'services.web.privileged'],
      ['services:\n  web: {build: .}\n', 'services.web.build needs a repository'],
      ['services:\n  web: {image: "${IMAGE:?name it}"}\n', 'needs the variable IMAGE: name it'],
      [
        'services:\n  web: {image: nginx, environment: {A: "${{project.NONE}}"}}\n',
        'services.web.environment.A refers to ${{project.NONE}}',
      ],
      ['services: {}\n', 'no service'],
    ] as const)
      expect(await refused(composeFile)).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['composeFile'],
        message: expect.stringContaining(says),
      });
    expect(await refused('services:\n  web: {image: nginx}\n', 'A=${{project.NONE}}')).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['env'],
    });
    expect(
      await refused(
        'services:\n  web: {image: "nginx:${TAG}", environment: {A: "${{project.TEAM}}"}}\n',
        'TAG=1',
      ),
    ).toBe(true);
    await createStores(database).composes.update({ composeId }, { serverId: null, sourceType: 'git' });
    expect(await owner.mutate('compose.deploy', { composeId })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('customGitUrl'),
    });
  });

  it('of a repository may reach the server only when an Owner or Admin decided its source and deployed it last', async () => {
    const world = await begin();
    const { owner, admin, member, people, place, database } = world;
    await people.grant({ accessedEnvironments: [place.environmentId], canCreateServices: true });
    const composeId = await create(world);
    const mayReach = async (): Promise<unknown> =>
      (await createStores(database).composes.find({ composeId }))?.mayReachServer;
    const source = {
      composeId,
      sourceType: 'git',
      customGitUrl: 'https://git.example.com/a.git',
      customGitBranch: 'main',
    };
    await owner.mutate('compose.update', source);
    expect(await mayReach()).toBe(true);
    for (const [door, call, input, may] of [
      [member, 'compose.update', { composeId, name: 'Renamed' }, true],
      [member, 'compose.update', { composeId, customGitBranch: 'other' }, false],
      [admin, 'compose.update', { composeId, name: 'Again' }, false],
      [admin, 'compose.deploy', { composeId }, true],
      [member, 'compose.deploy', { composeId }, false],
      [owner, 'compose.deploy', { composeId }, true],
      [member, 'compose.saveEnvironment', { composeId, env: 'A=1' }, false],
      [admin, 'compose.update', source, true],
    ] as const) {
      expect(await door.mutate(call, input)).not.toMatchObject({ code: expect.any(String) });
      expect(await mayReach()).toBe(may);
    }
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
    expect([
      await composes.networkIndex(first),
      await composes.networkIndex(second),
      await composes.networkIndex(first),
    ]).toEqual([2, 3, 2]);
    expect(await environments.freeNetworkIndex()).toBe(4);
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
      uniqueConfigKey: 1,
      serverKey: 'local',
      createdAt: '',
    });
    const services = async (): Promise<string[]> =>
      routesOf(
        await domains.routed(),
        {
          certificates: [],
          resolvers: [],
          settings: { acmeDirectory: null, acmeEmail: null, acmeRoots: null },
          withheld: new Set(),
        },
        0,
      ).map(({ service }) => service);
    expect(await services()).toEqual(['stack_web']);
    await composes.update({ composeId }, { releasedAppName: 'former', releasedSuffix: 'b1' });
    expect(await services()).toEqual(['former_web-b1']);
    expect(await owner.query('compose.one', { composeId })).toMatchObject({
      domains: [{ domainId: 'd', serviceName: 'web' }],
    });
    expect(await owner.mutate('compose.delete', { composeId })).toMatchObject({ composeId });
    expect(await domains.list({ composeId })).toEqual([]);
  });

  it('are closed to nobody, to other organizations and to members without access; bad input is named', async () => {
    const world = await begin(true);
    const { owner, member, stranger, nobody, people, place, foreign, database } = world;
    await createStores(database).servers.insert({
      serverId: 's',
      organizationId: people.owner.organizationId,
      name: 's',
      description: null,
      ipAddress: '203.0.113.9',
      port: 22,
      username: 'root',
      sshKeyId: null,
      serverType: 'deploy',
      status: 'active',
      hostKeyFingerprint: null,
      buildsConcurrency: 1,
      metricsConfig: null,
      metricsToken: null,
      createdAt: '',
    });
    const input = { name: 'x', environmentId: place.environmentId, serverId: 's' };
    const composeId = await create(world, { serverId: 's' });
    const calls = (door: Door, id = composeId): Promise<unknown>[] => [
      ...['one', 'loadServices', 'readLogs'].map((name) => door.query(`compose.${name}`, { composeId: id })),
      door.mutate('compose.move', { composeId: id, targetEnvironmentId: place.environmentId }),
      ...[
        'update',
        'saveEnvironment',
        'refreshToken',
        'deploy',
        'redeploy',
        'start',
        'stop',
        'killBuild',
        'cleanQueues',
        'delete',
      ].map((name) => door.mutate(`compose.${name}`, { composeId: id })),
    ];
    for (const answer of await Promise.all([...calls(nobody), nobody.mutate('compose.create', input)]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all([...calls(member), member.mutate('compose.create', input)]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all([...calls(stranger), stranger.mutate('compose.create', input)]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere')))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    expect(
      await owner.mutate('compose.move', { composeId, targetEnvironmentId: foreign.environmentId }),
    ).toMatchObject({ code: 'FORBIDDEN' });
    expect(await owner.mutate('compose.create', { ...input, serverId: null })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['serverId'],
    });
    for (const [field, value] of [
      ['name', ''],
      ['appName', 'a.b'],
      ['composeType', 'other'],
      ['sourceType', 'drop'],
      ['composeFile', 'a: ['],
      ['composeFile', '- a'],
      ['composeFile', 'x'.repeat(65_537)],
    ] as const) {
      expect(await owner.mutate('compose.create', { ...input, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
      expect(await owner.mutate('compose.update', { composeId, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
    for (const [field, value] of [
      ['composePath', '../x'],
      ['suffix', 'A B'],
      ['env', '1 = x'],
      ['composeStatus', 'asleep'],
      ['branch', '--upload-pack=x'],
    ] as const) {
      expect(await owner.mutate('compose.update', { composeId, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
    for (const [sshKeyId, code] of [['nowhere', 'NOT_FOUND']] as const)
      expect(await owner.mutate('compose.update', { composeId, customGitSSHKeyId: sshKeyId })).toMatchObject({
        code,
      });
    await people.grant({ accessedServices: [composeId] });
    expect(await member.mutate('compose.delete', { composeId })).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('canDeleteServices'),
    });
  });
});
