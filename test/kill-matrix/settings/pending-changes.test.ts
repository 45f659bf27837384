/** What the next deployment would take is what it then takes: every kind of service. */
import { expect, test } from 'vitest';
import { composeRef, previewRef, type ServiceRef } from '../../../server/src/domain/names/service-ref.ts';
import { isoTime, randomId, systemClock } from '../../../server/src/ports/clock.ts';
import { webImage } from '../images.ts';
import { productInMemory } from '../product.ts';
import type { World } from '../world.ts';

const product = productInMemory();

const file = (mountPath: string, content: string) => ({
  mountId: randomId(),
  type: 'file' as const,
  hostPath: null,
  volumeName: null,
  filePath: 'app.conf',
  content,
  mountPath,
  serviceType: 'application',
  applicationId: null,
  databaseId: null,
  composeId: null,
  approval: null,
  isSecret: false,
  createdAt: isoTime(systemClock),
});

/** As the record's own `one` asks. */
async function pendingOf(world: World, { kind, serviceId }: ServiceRef): Promise<string[]> {
  const { applications, composes, databases, pending, previews } = world;
  const application = await applications.find(serviceId);
  if (application) return pending.application(application);
  const database = await databases.find(serviceId);
  if (database) return pending.database(database);
  const compose = await composes.find(serviceId);
  if (compose) return pending.compose(compose);
  const preview = await previews.find(serviceId);
  const source = preview && (await applications.find(preview.applicationId));
  if (!preview || !source) throw new Error(`There is no ${kind} ${serviceId}.`);
  return pending.preview(source, preview);
}

async function asItsPageAsks(
  { applications, pending, stores }: World,
  { serviceId }: ServiceRef,
): Promise<string[]> {
  const application = await applications.find(serviceId);
  if (!application) throw new Error(`There is no application ${serviceId}.`);
  const [{ variables }, mounts, ports] = await Promise.all([
    applications.surroundings(application.environmentId),
    stores.mounts.list({ applicationId: serviceId }, { by: ['mountId'], direction: 'desc' }),
    stores.ports.list({ applicationId: serviceId }, { by: ['portId'], direction: 'desc' }),
  ]);
  expect(ports).toHaveLength(2);
  return pending.application(application, { variables, mounts, ports });
}

test('an application: its settings, variables of every place, mounts and ports', async () => {
  const { run, deploy, addApplication, organizationId, environmentId } = product();
  const service = await addApplication('web', { env: 'KEPT=1\nGONE=2\n# a note' });
  const pending = (): Promise<string[]> => run((world) => pendingOf(world, service));
  expect(await pending()).toEqual([]);
  expect(await deploy(service)).toMatchObject({ status: 'done', errorMessage: null });
  expect(await pending()).toEqual([]);
  await run(async ({ applications, stores }) => {
    const { projectId } = (await stores.environments.find({ environmentId })) ?? { projectId: '' };
    await stores.projects.update({ projectId }, { env: 'OF_PROJECT=1' });
    await stores.environments.update({ environmentId }, { env: 'OF_ENVIRONMENT=${{project.OF_PROJECT}}' });
    await applications.update(service.serviceId, organizationId, {
      env: '# another note\nKEPT="1"\nOWN=3',
      memoryLimit: '64m',
    });
    await stores.mounts.insert({
      ...file('/etc/app.conf', 'level=1'),
      organizationId,
      applicationId: service.serviceId,
    });
    for (const protocol of ['tcp', 'udp'] as const)
      await stores.ports.insert({
        portId: randomId(),
        organizationId,
        applicationId: service.serviceId,
        publishedPort: 9000,
        targetPort: 3000,
        protocol,
        publishMode: 'host',
        serverKey: 'local',
        createdAt: isoTime(systemClock),
      });
  });
  expect(await pending()).toEqual([
    'memoryLimit',
    'env',
    'env.GONE',
    'env.OF_ENVIRONMENT',
    'env.OF_PROJECT',
    'env.OWN',
    'mounts',
    'ports',
  ]);
  await run(async ({ applications, runtime }) => {
    const present = await applications.find(service.serviceId);
    if (present) await runtime.reload(present);
  });
  expect(await pending()).toEqual([]);
  // A page has read them already, in an order of its own; two ports may be the same but for the protocol.
  expect(await run((world) => asItsPageAsks(world, service))).toEqual([]);
  await run(({ applications }) =>
    applications.update(service.serviceId, organizationId, { env: 'A=${{NOT_THERE}}' }),
  );
  expect(await pending()).toEqual(['env']);
  await run(({ applications }) => applications.update(service.serviceId, organizationId, { env: 'KEPT=1' }));
  const { deploymentId } = await deploy(service);
  expect(await pending()).toEqual([]);
  await run(({ applications }) => applications.update(service.serviceId, organizationId, { env: 'KEPT=2' }));
  await deploy(service);
  const back = await deploy(service, { kind: 'rollback', sourceDeploymentId: deploymentId });
  expect(back.status).toBe('done');
  expect(await pending()).toEqual(['env', 'env.KEPT']);
});

test('a database: its settings, variables and mounts, and not what takes effect at once', async () => {
  const { run, deploy, addDatabase, organizationId } = product();
  const service = await addDatabase('redis', 'cache');
  const pending = (): Promise<string[]> => run((world) => pendingOf(world, service));
  expect(await deploy(service)).toMatchObject({ status: 'done', errorMessage: null });
  expect(await pending()).toEqual([]);
  await run(({ databases }) =>
    databases.update(service.serviceId, organizationId, {
      env: 'NEW=1',
      args: ['--maxmemory', '1mb'],
      databasePassword: 'another',
      externalPort: 16379,
    }),
  );
  expect(await pending()).toEqual(['args', 'env', 'env.NEW']);
  expect(await deploy(service)).toMatchObject({ status: 'done' });
  expect(await pending()).toEqual([]);
});

test('a compose service: its file with what references in it give, variables, mounts', async () => {
  const { run, deploy, organizationId, environmentId } = product();
  const actor = { organizationId };
  const text =
    `services:\n  web:\n    image: ${webImage}\n    environment:\n` + '      WHO: ${{project.WHO}}-$OWN\n';
  const { composeId } = await run(async ({ composes, stores }) => {
    const { projectId } = (await stores.environments.find({ environmentId })) ?? { projectId: '' };
    await stores.projects.update({ projectId }, { env: 'OF_PROJECT=1\nWHO=me' });
    return composes.create(actor, {
      environmentId,
      name: 'Stack',
      appName: 'stack',
      composeType: 'compose',
      sourceType: 'raw',
      composeFile: text,
    });
  });
  const service = composeRef(composeId);
  const pending = (): Promise<string[]> => run((world) => pendingOf(world, service));
  expect(await deploy(service)).toMatchObject({ status: 'done', errorMessage: null });
  expect(await pending()).toEqual([]);
  await run(async ({ composes, stores }) => {
    await composes.update(composeId, actor, { env: 'OWN=1', composeFile: `${text}# a note\n` });
    const { projectId } = (await stores.environments.find({ environmentId })) ?? { projectId: '' };
    await stores.projects.update({ projectId }, { env: 'OF_PROJECT=1\nWHO=you' });
    await stores.mounts.insert({ ...file('/etc/app.conf', 'level=1'), organizationId, composeId });
  });
  expect(await pending()).toEqual(['composeFile', 'env', 'env.OWN', 'composeFile.project.WHO', 'mounts']);
  expect(await deploy(service)).toMatchObject({ status: 'done' });
  expect(await pending()).toEqual([]);
});

test('a preview: the settings of its application that it takes, and those of previews', async () => {
  const { run, deploy, addApplication, organizationId } = product();
  const { serviceId } = await addApplication('reviewed', { previewEnv: 'COLOR=red' });
  const { previewDeploymentId } = await run(async ({ applications, previews }) => {
    const application = await applications.one(serviceId, organizationId);
    return previews.create(
      application,
      {
        number: 7,
        name: null,
        image: null,
        expiresAt: null,
        headBranch: 'feature',
        commit: 'a'.repeat(40),
        repository: 'shop/shop',
        provider: 'github',
        isTrusted: true,
        isFork: false,
      },
      'preview.example.com',
    );
  });
  const service = previewRef(previewDeploymentId);
  const pending = (): Promise<string[]> => run((world) => pendingOf(world, service));
  expect(await deploy(service)).toMatchObject({ status: 'done', errorMessage: null });
  expect(await pending()).toEqual([]);
  await run(({ applications }) =>
    applications.update(serviceId, organizationId, {
      previewEnv: 'COLOR=blue',
      env: 'MINE=1',
      cpuLimit: '0.5',
    }),
  );
  expect(await pending()).toEqual(['cpuLimit', 'env', 'env.COLOR']);
});
