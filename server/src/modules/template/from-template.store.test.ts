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
});
