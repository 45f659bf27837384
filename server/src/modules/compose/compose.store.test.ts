import { expect, it } from 'vitest';
import { textOf, type Door } from '../../../../test/http/door.ts';
import { worlds, type World } from '../../../../test/http/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { tableStore } from '../../db/table-store.ts';
import { badField } from '../../domain/errors.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { createDomains } from '../domain/domain.ts';
import { createMembers } from '../organization/member.ts';
import { environmentOf } from '../service/service.ts';
import { createServiceNames } from '../service-name/service-name.ts';
import { createComposes } from './compose.ts';
import { composeContract } from './contract.ts';
import { composeHandlers } from './handlers.ts';

const harmless = 'services:\n  web:\n    image: nginx\n  db:\n    image: postgres\n';
const risky = 'services:\n  web:\n    image: nginx\n    volumes: ["/etc:/x"]\n';
const byVariable = 'services:\n  web:\n    image: nginx\n    volumes: ["${DIR}:/x"]\n';

eachDatabase('compose services', (test) => {
  const createWorld = worlds(test);
  const begin = (cloud = false): Promise<World> => createWorld((database) => {
    const stores = createStores(database);
    return [router('compose', composeContract, composeHandlers({
      composes: createComposes(stores.composes, { names: createServiceNames(stores.serviceNames), localRepositoryPaths: async () => ['/srv/git'] }, systemClock), members: createMembers(stores.members),
      requireServer: async (serverId) => {
        if (cloud && !serverId) throw badField('serverId', 'is required');
      },
      environment: async (environmentId) => {
        const placement = await stores.applications.placement(environmentId);
        if (!placement) throw new Error('no such environment');
        return environmentOf(placement);
      },
      domains: createDomains(stores.domains, systemClock).byCompose, mounts: async () => [], changeRoutes: (write, change) => write(change),
    }))];
  });
  const create = async ({ owner, place }: World, input: object = {}): Promise<string> => textOf(await owner.mutate('compose.create', { name: 'Stack', environmentId: place.environmentId, ...input }), 'composeId');

  it('are created, read, changed, moved and deleted as records', async () => {
    const world = await begin();
    const { owner, place, database, people } = world;
    const created = await owner.mutate('compose.create', { name: 'My Stack', environmentId: place.environmentId });
    const record = {
      composeId: expect.any(String), name: 'My Stack', appName: expect.stringMatching(/^my-stack-[a-z0-9]{6}$/), description: '', environmentId: place.environmentId, serverId: null, composeType: 'compose', sourceType: 'raw',
      composeFile: '', composePath: 'docker-compose.yml', env: '', createEnvFile: false, composeStatus: 'idle', refreshToken: expect.any(String), autoDeploy: true, randomize: false, suffix: '', repository: null, owner: null,
      branch: null, gitHost: null, githubId: null, customGitUrl: null, customGitBranch: null, customGitSSHKeyId: null, enableSubmodules: false, watchPaths: [], triggerType: 'push', createdAt: expect.any(String),
    };
    expect(created).toEqual(record);
    const composeId = textOf(created, 'composeId');
    expect(await owner.query('compose.one', { composeId })).toEqual({ ...record, environment: expect.objectContaining({ name: 'production' }), domains: [], mounts: [] });
    const patch = { name: 'Other', appName: 'other', description: 'text', composeType: 'stack', composeFile: harmless, composePath: 'deploy/compose.yaml', env: 'A=1', createEnvFile: true, autoDeploy: false, composeStatus: 'done', randomize: true, suffix: 'b1', watchPaths: ['web/**'], triggerType: 'tag' };
    expect(await owner.mutate('compose.update', { composeId, ...patch, webhookSecret: 'hidden' })).toEqual({ ...record, ...patch });
    expect(await owner.mutate('compose.update', { composeId })).toEqual({ ...record, ...patch });
    const cleared = { ...record, ...patch, description: '', composeFile: '', env: '', watchPaths: [] };
    expect(await owner.mutate('compose.update', { composeId, description: null, composeFile: null, env: null, watchPaths: null, webhookSecret: null })).toEqual(cleared);
    expect(await owner.mutate('compose.saveEnvironment', { composeId, env: 'B=2', createEnvFile: false })).toEqual({ ...cleared, env: 'B=2', createEnvFile: false });
    const before = textOf(created, 'refreshToken');
    const after = textOf(await owner.mutate('compose.refreshToken', { composeId }), 'refreshToken');
    expect(after).not.toBe(before);
    expect(await owner.mutate('compose.cleanQueues', { composeId })).toMatchObject({ composeStatus: 'done' });
    const stores = createStores(database);
    await stores.environments.insert({ environmentId: 'staging', organizationId: people.owner.organizationId, projectId: place.projectId, name: 'staging', description: '', env: '', isDefault: false, networkIndex: null, createdAt: '' });
    expect(await owner.mutate('compose.move', { composeId, targetEnvironmentId: 'staging' })).toMatchObject({ environmentId: 'staging' });
    expect(await owner.mutate('compose.delete', { composeId, deleteVolumes: true })).toMatchObject({ composeId, name: 'Other' });
    expect(await owner.query('compose.one', { composeId })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await stores.serviceNames.list({ serviceId: composeId })).toEqual([]);
  });

  it('show the services of their file, in pages too', async () => {
    const world = await begin();
    const { owner } = world;
    const composeId = await create(world);
    expect(await owner.query('compose.loadServices', { composeId })).toMatchObject({ code: 'PRECONDITION_FAILED' });
    await owner.mutate('compose.update', { composeId, composeFile: harmless });
    expect(await owner.query('compose.loadServices', { composeId })).toEqual(['web', 'db']);
    expect(await owner.query('compose.loadServices', { composeId, limit: 1 })).toEqual({ items: ['web'], nextCursor: 'web' });
    await owner.mutate('compose.update', { composeId, sourceType: 'git' });
    expect(await owner.query('compose.loadServices', { composeId })).toMatchObject({ code: 'NOT_IMPLEMENTED' });
  });

  it('split user and password off an address, and never show them', async () => {
    const world = await begin();
    const { owner, database } = world;
    const composeId = await create(world);
    const stored = async (): Promise<unknown> => createStores(database).composes.find({ composeId });
    expect(await owner.mutate('compose.update', { composeId, sourceType: 'git', customGitUrl: 'https://ann:pass@git.example.com/a.git', customGitBranch: 'main' })).toMatchObject({ customGitUrl: 'https://git.example.com/a.git' });
    expect(await stored()).toMatchObject({ customGitUsername: 'ann', customGitPassword: 'pass' });
    await owner.mutate('compose.update', { composeId, customGitUrl: 'https://git.example.com/b.git' });
    expect(await stored()).toMatchObject({ customGitUsername: 'ann' });
    await owner.mutate('compose.update', { composeId, customGitUrl: 'https://evil.example.com/b.git' });
    expect(await stored()).toMatchObject({ customGitUsername: null, customGitPassword: null });
    expect(await owner.mutate('compose.update', { composeId, customGitUrl: '/etc' })).toMatchObject({ code: 'BAD_REQUEST', fields: ['customGitUrl'] });
    expect(await owner.mutate('compose.update', { composeId, customGitUrl: '/srv/git/a' })).toMatchObject({ customGitUrl: '/srv/git/a' });
  });

  it('of members reach nothing outside themselves, neither by the file nor by a variable in it', async () => {
    const world = await begin();
    const { owner, admin, member, people, place } = world;
    await people.grant({ accessedEnvironments: [place.environmentId], canCreateServices: true });
    const input = { name: 'Mine', environmentId: place.environmentId };
    for (const composeFile of [risky, byVariable]) expect(await member.mutate('compose.create', { ...input, composeFile })).toMatchObject({ code: 'FORBIDDEN', fields: ['composeFile'], message: expect.stringContaining('services.web.volumes') });
    const composeId = textOf(await member.mutate('compose.create', { ...input, composeFile: harmless }), 'composeId');
    expect(await member.mutate('compose.update', { composeId, composeFile: risky })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await member.query('compose.one', { composeId })).toMatchObject({ composeFile: harmless });
    // What an Owner or Admin wrote stays theirs; a member goes on with the rest, but decides nothing in it by a variable.
    for (const door of [owner, admin]) expect(await door.mutate('compose.update', { composeId, composeFile: risky })).toMatchObject({ composeFile: risky });
    expect(await member.mutate('compose.update', { composeId, name: 'Renamed', env: 'A=1' })).toMatchObject({ name: 'Renamed', env: 'A=1' });
    await admin.mutate('compose.update', { composeId, composeFile: byVariable, env: 'DIR=/srv/mine' });
    for (const call of ['compose.update', 'compose.saveEnvironment']) expect(await member.mutate(call, { composeId, env: 'DIR=/' })).toMatchObject({ code: 'FORBIDDEN', fields: ['env'] });
    expect(await member.mutate('compose.update', { composeId, name: 'Again' })).toMatchObject({ name: 'Again', env: 'DIR=/srv/mine' });
    expect(await member.mutate('compose.update', { composeId, composeFile: null })).toMatchObject({ composeFile: '' });
  });

  it('have names that no other service has', async () => {
    const world = await begin();
    const { owner, database, place } = world;
    const { appName } = (await createStores(database).applications.find({ applicationId: place.applicationId })) ?? { appName: '' };
    const taken = { code: 'CONFLICT', fields: ['appName'] };
    expect(await owner.mutate('compose.create', { name: 'x', environmentId: place.environmentId, appName: appName.toUpperCase() })).toMatchObject(taken);
    const composeId = await create(world, { appName: 'stack' });
    expect(await owner.mutate('compose.create', { name: 'x', environmentId: place.environmentId, appName: 'STACK' })).toMatchObject(taken);
    expect(await owner.mutate('compose.update', { composeId, appName })).toMatchObject(taken);
  });

  it('say what a later version does after every refusal', async () => {
    const world = await begin();
    const { owner, database, people } = world;
    const composeId = await create(world);
    for (const name of ['deploy', 'redeploy']) expect(await owner.mutate(`compose.${name}`, { composeId })).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('composeFile') });
    await owner.mutate('compose.update', { composeId, composeFile: harmless });
    for (const name of ['deploy', 'redeploy', 'start', 'stop', 'killBuild']) expect(await owner.mutate(`compose.${name}`, { composeId })).toMatchObject({ code: 'NOT_IMPLEMENTED' });
    expect(await owner.query('compose.readLogs', { composeId })).toMatchObject({ code: 'NOT_IMPLEMENTED' });
    const { composes, domains } = createStores(database);
    await composes.update({ composeId }, { releasedAppName: 'stack' });
    expect(await owner.mutate('compose.delete', { composeId })).toMatchObject({ code: 'NOT_IMPLEMENTED' });
    await composes.update({ composeId }, { releasedAppName: null });
    await tableStore(database, 'domain').insert({
      domainId: 'd', organizationId: people.owner.organizationId, host: 'a.example.com', asciiHost: 'a.example.com', path: '/', port: 80, https: false, certificateType: 'none', customCertResolver: null, applicationId: null, composeId,
      serviceName: 'web', domainType: 'compose', previewDeploymentId: null, internalPath: '/', stripPath: false, hstsMaxAge: null, requestHeaders: {}, maxBodyBytes: null, uniqueConfigKey: 1, serverKey: 'local', createdAt: '',
    });
    expect(await owner.query('compose.one', { composeId })).toMatchObject({ domains: [{ domainId: 'd', serviceName: 'web' }] });
    expect(await owner.mutate('compose.delete', { composeId })).toMatchObject({ composeId });
    expect(await domains.list({ composeId })).toEqual([]);
  });

  it('are closed to nobody, to other organizations and to members without access; bad input is named', async () => {
    const world = await begin(true);
    const { owner, member, stranger, nobody, people, place, foreign, database } = world;
    await createStores(database).servers.insert({ serverId: 's', organizationId: people.owner.organizationId, name: 's', description: null, ipAddress: '203.0.113.9', port: 22, username: 'root', sshKeyId: null, serverType: 'deploy', status: 'active', hostKeyFingerprint: null, buildsConcurrency: 1, metricsConfig: null, metricsToken: null, createdAt: '' });
    const input = { name: 'x', environmentId: place.environmentId, serverId: 's' };
    const composeId = await create(world, { serverId: 's' });
    const calls = (door: Door, id = composeId): Promise<unknown>[] => [
      ...['one', 'loadServices', 'readLogs'].map((name) => door.query(`compose.${name}`, { composeId: id })), door.mutate('compose.move', { composeId: id, targetEnvironmentId: place.environmentId }),
      ...['update', 'saveEnvironment', 'refreshToken', 'deploy', 'redeploy', 'start', 'stop', 'killBuild', 'cleanQueues', 'delete'].map((name) => door.mutate(`compose.${name}`, { composeId: id })),
    ];
    for (const answer of await Promise.all([...calls(nobody), nobody.mutate('compose.create', input)])) expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all([...calls(member), member.mutate('compose.create', input)])) expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all([...calls(stranger), stranger.mutate('compose.create', input)])) expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere'))) expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    expect(await owner.mutate('compose.move', { composeId, targetEnvironmentId: foreign.environmentId })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await owner.mutate('compose.create', { ...input, serverId: null })).toMatchObject({ code: 'BAD_REQUEST', fields: ['serverId'] });
    for (const [field, value] of [['name', ''], ['appName', 'a.b'], ['composeType', 'other'], ['sourceType', 'drop'], ['composeFile', 'a: ['], ['composeFile', '- a'], ['composeFile', 'x'.repeat(65_537)]] as const) {
      expect(await owner.mutate('compose.create', { ...input, [field]: value })).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
      expect(await owner.mutate('compose.update', { composeId, [field]: value })).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
    }
    for (const [field, value] of [['composePath', '../x'], ['suffix', 'A B'], ['env', '1 = x'], ['composeStatus', 'asleep'], ['branch', '--upload-pack=x']] as const) {
      expect(await owner.mutate('compose.update', { composeId, [field]: value })).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
    }
    for (const [sshKeyId, code] of [['nowhere', 'NOT_FOUND']] as const) expect(await owner.mutate('compose.update', { composeId, customGitSSHKeyId: sshKeyId })).toMatchObject({ code });
    await people.grant({ accessedServices: [composeId] });
    expect(await member.mutate('compose.delete', { composeId })).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('canDeleteServices') });
  });
});
