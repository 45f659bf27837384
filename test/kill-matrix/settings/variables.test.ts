/** Variables as releases get them: secret ones, references to services, what previews inherit. */
import { expect, test } from 'vitest';
import type { TableRecord } from '../../../server/src/db/tables.ts';
import { composeRef, previewRef, type ServiceRef } from '../../../server/src/domain/names/service-ref.ts';
import { createServiceCopies } from '../../../server/src/modules/service/service-copies.ts';
import { createServiceNames } from '../../../server/src/modules/service-name/service-name.ts';
import { isoTime, randomId, systemClock } from '../../../server/src/ports/clock.ts';
import { webImage } from '../images.ts';
import { productInMemory } from '../product.ts';
import { plainServer } from '../../world/plain-server.ts';

const product = productInMemory();

const done = { status: 'done', errorMessage: null };

test('secret variables win at release, are in no file of a build, and in no log', async () => {
  const { run, deploy, logOf, envOf, addApplication, organizationId } = product();
  const service = await addApplication('safe', {
    env: 'MODE=plain\nADDRESS=at-${{TOKEN}}',
    secretEnv: 'TOKEN=hidden-for-good\nMODE=secret',
    preReleaseCommand: ['sh', '-c', 'true'],
  });
  const ended = await deploy(service);
  expect(envOf('safe')).toMatchObject({
    MODE: 'secret',
    TOKEN: 'hidden-for-good',
    ADDRESS: 'at-hidden-for-good',
  });
  expect(logOf(ended).join('\n')).not.toContain('hidden-for-good');
  await run(({ applications }) =>
    applications.update(service.serviceId, organizationId, {
      secretEnv: 'TOKEN=other',
      removeSecretEnv: ['MODE'],
    }),
  );
  const changed = await run(({ applications }) => applications.one(service.serviceId, organizationId));
  expect(await run(({ pending }) => pending.application(changed))).toEqual([
    'env',
    'env.ADDRESS',
    'env.MODE',
    'env.TOKEN',
  ]);
});

test('a compose service gets its secret variables by its file', async () => {
  const { run, deploy, envOf, organizationId, environmentId } = product();
  const { composeId } = await run(async ({ composes }) => {
    const created = await composes.create(
      { organizationId },
      {
        environmentId,
        name: 'Secretive',
        appName: 'secretive',
        composeType: 'compose',
        sourceType: 'raw',
        composeFile: `services:\n  web:\n    image: ${webImage}\n    environment:\n      KEY: $KEY\n`,
      },
    );
    return composes.update(created.composeId, { organizationId }, { env: 'KEY=a', secretEnv: 'KEY=b' });
  });
  expect(await deploy(composeRef(composeId))).toMatchObject(done);
  expect(envOf('secretive_web')).toMatchObject({ KEY: 'b' });
});

test('the log ends with where the application answers', async () => {
  const { run, deploy, logOf, addApplication, organizationId } = product();
  const service = await addApplication('found');
  await run(({ domains }) =>
    domains.create(
      organizationId,
      { applicationId: service.serviceId },
      { host: 'found.example.com', path: '/a' },
    ),
  );
  const ended = await deploy(service);
  expect(logOf(ended).at(-1)).toBe('Done. It is released at http://found.example.com/a');
});

const referring = [
  'URL=${{Shop store.URL}}',
  'PARTS="${{Shop store.USER}} ${{Shop store.PASSWORD}} ${{Shop store.DATABASE}}"',
  'AT=${{Shop store.HOST}}:${{Shop store.PORT}}',
  'OTHER=http://${{api.HOST}}:3000',
].join('\n');

test('references name databases and applications of the environment, and follow a password', async () => {
  const { run, deploy, logOf, envOf, addApplication, addDatabase, organizationId } = product();
  const store = await addDatabase('postgres', 'pg', { name: 'Shop store' });
  await addApplication('api');
  const service = await addApplication('front', { env: referring });
  const ended = await deploy(service);
  expect(ended).toMatchObject(done);
  expect(envOf('front')).toMatchObject({
    URL: 'postgresql://keeper:very%3Asecret@pg:5432/shop',
    PARTS: 'keeper very:secret shop',
    AT: 'pg:5432',
    OTHER: 'http://api:3000',
  });
  expect(logOf(ended).join('\n')).not.toMatch(/very(:|%3A)secret/);
  const pending = async (): Promise<string[]> =>
    run(async (world) =>
      world.pending.application(await world.applications.one(service.serviceId, organizationId)),
    );
  expect(await pending()).toEqual([]);
  await run(({ databases }) => databases.patch(store.serviceId, { databasePassword: 'changed' }));
  expect(await pending()).toEqual(['env', 'env.PARTS', 'env.URL']);
  await deploy(service);
  expect(envOf('front')).toMatchObject({ URL: 'postgresql://keeper:changed@pg:5432/shop' });
  expect(await pending()).toEqual([]);
});

test('a reference fails the deployment with its name and why', async () => {
  const { run, deploy, addApplication, addDatabase, organizationId, environmentId } = product();
  const failing = async (env: string): Promise<string | null> => {
    const service = await addApplication(`fails-${randomId(6)}`, { env });
    return (await deploy(service)).errorMessage;
  };
  await addDatabase('redis', 'twin');
  await addApplication('twin-2');
  await run(({ applications, stores }) =>
    stores.applications
      .list({ organizationId })
      .then((all) => all.find(({ name }) => name === 'twin-2'))
      .then((found) => applications.patch(found?.applicationId ?? '', { name: 'twin' })),
  );
  const elsewhere = await run(({ environments, stores }) =>
    stores.environments
      .find({ environmentId })
      .then((here) =>
        environments.create({ organizationId, projectId: here?.projectId ?? '', name: 'elsewhere' }),
      ),
  );
  const far = await addDatabase('redis', 'far');
  await run(({ databases }) => databases.patch(far.serviceId, { environmentId: elsewhere.environmentId }));
  expect(await failing('A=${{nobody.URL}}')).toContain('A refers to ${{nobody.URL}}, which is not defined');
  // Never of another environment.
  expect(await failing('A=${{far.URL}}')).toContain('A refers to ${{far.URL}}, which is not defined');
  expect(await failing('A=${{twin.HOST}}')).toContain('services of this environment are called twin');
  await addApplication('single');
  expect(await failing('A=${{single.URL}}')).toContain('single is an application, which has only HOST');
});

test('a database of another server is its published address; else the failure names both', async () => {
  const { run, deploy, envOf, addApplication, addDatabase, organizationId } = product();
  const serverId = randomId();
  await run(({ stores }) =>
    stores.servers.insert({
      ...plainServer,
      serverId,
      organizationId,
      name: 'frankfurt',
      ipAddress: '203.0.113.9',
      createdAt: isoTime(systemClock),
    }),
  );
  const store = await addDatabase('postgres', 'abroad', { serverId });
  const service = await addApplication('home', { env: 'URL=${{abroad.URL}}\nPORT=${{abroad.PORT}}' });
  expect((await deploy(service)).errorMessage).toContain(
    "the database abroad is on the server frankfurt and home on Berth's own server",
  );
  await run(({ databases }) => databases.patch(store.serviceId, { externalPort: 15432 }));
  expect(await deploy(service)).toMatchObject(done);
  expect(envOf('home')).toMatchObject({
    URL: 'postgresql://keeper:very%3Asecret@203.0.113.9:15432/shop',
    PORT: '15432',
  });
});

test('a duplicated environment refers to its own copies', async () => {
  const { run, deploy, envOf, addApplication, addDatabase, organizationId, environmentId } = product();
  await addDatabase('redis', 'kept');
  await addApplication('copied', { env: 'AT=${{kept.HOST}}' });
  const copies = await run(async ({ environments, stores }) => {
    const here = await stores.environments.find({ environmentId });
    const copy = await environments.create({
      organizationId,
      projectId: here?.projectId ?? '',
      name: 'copy',
    });
    await createServiceCopies(stores.serviceRows, createServiceNames(stores.serviceNames), systemClock).make(
      organizationId,
      new Map([[environmentId, copy.environmentId]]),
    );
    const place = { organizationId, environmentId: copy.environmentId };
    const named = <R extends { name: string }>(all: R[], name: string): R | undefined =>
      all.find((one) => one.name === name);
    return {
      application: named(await stores.applications.list(place), 'copied'),
      database: named(await stores.databases.list(place), 'kept'),
    };
  });
  const { application, database } = copies;
  const service: ServiceRef = { kind: 'application', serviceId: application?.applicationId ?? '' };
  expect(await deploy(service)).toMatchObject(done);
  expect(database?.appName).not.toBe('kept');
  expect(envOf(application?.appName ?? '')).toMatchObject({ AT: database?.appName });
});

async function preview(
  serviceId: string,
  number: number,
  isTrusted: boolean,
): Promise<TableRecord<'preview_deployment'>> {
  const { run, organizationId } = product();
  return run(async ({ applications, previews }) =>
    previews.create(
      await applications.one(serviceId, organizationId),
      {
        number,
        name: null,
        image: null,
        expiresAt: null,
        headBranch: 'feature',
        commit: 'a'.repeat(40),
        repository: 'shop/shop',
        provider: 'github',
        isTrusted,
        isFork: false,
      },
      `preview-${number}.example.com`,
    ),
  );
}

test('a preview gets and tells what previewInherits names; a stranger gets nothing', async () => {
  const { run, deploy, logOf, envOf, addApplication, organizationId } = product();
  const { serviceId } = await addApplication('source', {
    env: 'SHARED=yes\nOWN=private\nCOLOR=own',
    secretEnv: 'API_KEY=k-e-y\nOWN_KEY=private',
    previewEnv: 'COLOR=preview',
    previewSecretEnv: 'PREVIEW_KEY=p-k-e-y',
  });
  const trusted = await preview(serviceId, 1, true);
  const ref = previewRef(trusted.previewDeploymentId);
  await deploy(ref);
  // Off unless somebody marks them.
  expect(Object.keys(envOf(trusted.appName))).not.toContain('SHARED');
  expect(envOf(trusted.appName)).toMatchObject({ COLOR: 'preview', PREVIEW_KEY: 'p-k-e-y' });
  await run(({ applications }) =>
    applications.update(serviceId, organizationId, {
      previewInherits: ['SHARED', 'COLOR', 'API_KEY', 'GONE'],
    }),
  );
  const ended = await deploy(ref);
  expect(ended).toMatchObject(done);
  const env = envOf(trusted.appName);
  expect(env).toMatchObject({ SHARED: 'yes', COLOR: 'preview', API_KEY: 'k-e-y', PREVIEW_KEY: 'p-k-e-y' });
  expect(Object.keys(env)).not.toContain('OWN');
  expect(Object.keys(env)).not.toContain('OWN_KEY');
  expect(logOf(ended).join('\n')).toContain('(previewInherits): SHARED, COLOR, API_KEY.');
  expect(logOf(ended).join('\n')).toContain('does not have: GONE.');

  const stranger = await preview(serviceId, 2, false);
  const strange = await deploy(previewRef(stranger.previewDeploymentId));
  expect(strange).toMatchObject(done);
  for (const name of ['SHARED', 'COLOR', 'API_KEY', 'PREVIEW_KEY', 'OWN'])
    expect(Object.keys(envOf(stranger.appName))).not.toContain(name);
  expect(logOf(strange).join('\n')).not.toContain('SHARED');
});
