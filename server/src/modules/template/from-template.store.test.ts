import { expect, it } from 'vitest';
import { composeWorlds } from '../../../../test/http/worlds/compose-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { parseEnv } from '../../domain/variables/dotenv.ts';

eachDatabase('a service made of a template', (test) => {
  const { begin } = composeWorlds(test);

  it('has its file, its variables, a domain of the compose service, and a deployment', async () => {
    const { owner, place, database } = await begin();
    const { environmentId } = place;
    const made = await owner.mutate('template.create', {
      template: 'miniflux',
      environmentId,
      variables: { ADMIN_USER: 'nina' },
    });
    expect(made).toMatchObject({
      name: 'miniflux',
      address: expect.stringMatching(/^http:\/\/miniflux-.*sslip\.io/),
    });
    const { composeId, deploymentId, address } = made as Record<string, string>;
    const stores = createStores(database);
    const compose = await stores.composes.find({ composeId });
    expect(compose).toMatchObject({ sourceType: 'raw', composeStatus: 'running' });
    const env = Object.fromEntries(parseEnv(compose?.env ?? '').map(({ name, value }) => [name, value]));
    expect(env).toMatchObject({ APP_URL: address, ADMIN_USER: 'nina' });
    expect(env['ADMIN_PASSWORD']).toMatch(/^[A-Za-z0-9]{24}$/);
    expect(env['DB_PASSWORD']).not.toBe(env['ADMIN_PASSWORD']);
    expect(await stores.domains.list({ composeId })).toMatchObject([
      { domainType: 'compose', serviceName: 'app', port: 8080, https: false, composeId },
    ]);
    expect(await owner.query('deployment.latest', { composeId })).toMatchObject({
      deploymentId,
      kind: 'deploy',
      status: 'queued',
    });
  });

  it('answers over https at a host of yours, unless that leads to this machine alone', async () => {
    const { owner, place, database } = await begin();
    const asked = { template: 'ghost', environmentId: place.environmentId };
    const variables = async (made: unknown): Promise<string> => {
      const { composeId } = made as { composeId: string };
      return (await createStores(database).composes.find({ composeId }))?.env ?? '';
    };
    const near = await owner.mutate('template.create', { ...asked, host: 'blog.localhost' });
    expect(near).toMatchObject({ address: 'http://blog.localhost' });
    expect(await variables(near)).toContain('APP_URL=http://blog.localhost\n');
    const plain = await owner.mutate('template.create', { ...asked, host: 'blog.example.com', https: false });
    expect(plain).toMatchObject({ address: 'http://blog.example.com' });
    expect(await owner.mutate('template.create', { ...asked, https: true })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('https'),
    });
  });

  it('leaves nothing behind when a part of it is refused', async () => {
    const { owner, place, database } = await begin();
    const { environmentId } = place;
    await owner.mutate('template.create', { template: 'ghost', environmentId, host: 'blog.localhost' });
    const stores = createStores(database);
    const counts = async (): Promise<number[]> =>
      Promise.all([
        stores.composes.list({}).then(({ length }) => length),
        stores.domains.list({}).then(({ length }) => length),
        stores.deployments.list({}).then(({ length }) => length),
      ]);
    const before = await counts();
    expect(
      await owner.mutate('template.create', { template: 'umami', environmentId, host: 'blog.localhost' }),
    ).toMatchObject({ code: 'CONFLICT' });
    expect(
      await owner.mutate('template.create', { template: 'umami', environmentId, variables: { NONE: 'x' } }),
    ).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('variables.NONE') });
    expect(await owner.mutate('template.create', { template: 'no-such', environmentId })).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await counts()).toEqual(before);
  });

  const definition = {
    name: 'shop',
    title: 'Shop',
    description: 'Sells things.',
    website: 'https://shop.example.com',
    firstSignIn: 'Sign in as ADMIN_USER.',
    instructions: 'Open ${APP_URL} as ${ADMIN_USER}; ${ADMIN_PASSWORD} stands in the variables.',
    file:
      'services:\n  app:\n    image: shop:1.0\n    environment:\n      URL: ${APP_URL}\n' +
      '    volumes:\n      - ./shop.conf:/etc/shop.conf\n  api:\n    image: api:1.0\n',
    service: 'app',
    port: 8080,
    domains: [
      { name: 'api', service: 'api', port: 9000, path: '/api' },
      { name: 'hooks', service: 'api', port: 9001 },
    ],
    files: [
      { path: 'shop.conf', content: 'name ${ADMIN_USER}\nhost $host ${OTHER}\n' },
      { path: 'db.conf', mountPath: '/etc/db.conf', content: 'password ${ADMIN_PASSWORD}\n' },
    ],
    variables: [
      { name: 'APP_URL', description: 'Where it answers', generate: 'address' },
      { name: 'API_HOST', description: 'Of the API', generate: 'host', domain: 'api' },
      { name: 'HOOKS', description: 'Of the hooks', generate: 'address', domain: 'hooks' },
      { name: 'ADMIN_USER', description: 'Signs in', value: 'nina' },
      { name: 'ADMIN_PASSWORD', description: 'Of it', generate: 'password' },
      { name: 'EMAIL', description: 'Owner', required: true, pattern: '.+@.+', message: 'no address' },
    ],
  };
  const variables = { EMAIL: 'nina@example.com' };

  it('of your own has several domains, files with values, and instructions without secrets', async () => {
    const { owner, place, database } = await begin();
    const asked = { definition, environmentId: place.environmentId, variables };
    const made = await owner.mutate('template.create', {
      ...asked,
      host: 'shop.localhost',
      hosts: { hooks: 'hooks.localhost' },
    });
    expect(made).toMatchObject({
      address: 'http://shop.localhost',
      domains: [
        { name: 'web', address: 'http://shop.localhost' },
        { name: 'api', address: 'http://shop.localhost/api' },
        { name: 'hooks', address: 'http://hooks.localhost' },
      ],
      instructions: 'Open http://shop.localhost as nina; ${ADMIN_PASSWORD} stands in the variables.',
    });
    const { composeId } = made as { composeId: string };
    const stores = createStores(database);
    const compose = await stores.composes.find({ composeId });
    expect(compose?.description).toMatch(/^Sign in as ADMIN_USER\.\n\nOpen http:\/\/shop\.localhost as nina/);
    const env = Object.fromEntries(parseEnv(compose?.env ?? '').map(({ name, value }) => [name, value]));
    expect(env).toMatchObject({ API_HOST: 'shop.localhost', HOOKS: 'http://hooks.localhost', ...variables });
    const mounts = await stores.mounts.list({ composeId }, { by: ['filePath'], direction: 'asc' });
    expect(mounts).toMatchObject([
      {
        filePath: 'db.conf',
        mountPath: '/etc/db.conf',
        content: `password ${env['ADMIN_PASSWORD']}\n`,
        isSecret: true,
      },
      { filePath: 'shop.conf', content: 'name nina\nhost $host ${OTHER}\n', isSecret: false },
    ]);
  });

  it.each([
    ['variables.EMAIL', { variables: {} }],
    ['variables.EMAIL', { variables: { EMAIL: 'nobody' } }],
    ['hosts.hooks', { host: 'shop.localhost' }],
    ['hosts.none', { host: 'shop.localhost', hosts: { none: 'x.localhost' } }],
    ['host', { hosts: { hooks: 'hooks.localhost' } }],
    ['template', { definition: undefined }],
    ['definition', { template: 'ghost' }],
    ['definition.service', { definition: { ...definition, service: 'nothing' } }],
    [
      'definition.domains.0.service',
      { definition: { ...definition, domains: [{ name: 'api', service: 'nothing', port: 9000 }] } },
    ],
    [
      'definition.domains.0.path',
      { definition: { ...definition, domains: [{ ...definition.domains[0], path: '/{a}' }] } },
    ],
    [
      'definition.files.0.mountPath',
      { definition: { ...definition, files: [{ path: 'a', mountPath: 'etc/a', content: 'x' }] } },
    ],
    ['definition.files.0.path', { definition: { ...definition, files: [{ path: 'a/../b', content: 'x' }] } }],
    ['definition.icon', { definition: { ...definition, icon: '<svg onload="x()"/>' } }],
  ])('of your own names the field %s that is wrong, and makes nothing', async (field, change) => {
    const { owner, place, database } = await begin();
    const asked = { definition, environmentId: place.environmentId, variables, ...change };
    expect(await owner.mutate('template.create', asked)).toMatchObject({
      code: 'BAD_REQUEST',
      fields: [field],
    });
    const stores = createStores(database);
    expect(await stores.composes.list({ name: 'shop' })).toEqual([]);
    expect(await stores.mounts.list({})).toEqual([]);
  });
});
