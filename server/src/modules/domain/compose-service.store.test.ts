import { expect, it } from 'vitest';
import { domainWorlds, withCompose } from '../../../../test/http/worlds/domain-world.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';

eachDatabase('domains of compose services', (test) => {
  const { begin } = domainWorlds(test);

  it('lead to a service that the file has, where the file is known', async () => {
    const world = await begin();
    const { owner, database } = world;
    const { composes } = createStores(database);
    const composeId = await withCompose(world, 'compose-1');
    const input = { host: 'c.test', domainType: 'compose', composeId, serviceName: 'wep' };
    // A compose service without a file yet.
    const domainId = textOf(await owner.mutate('domain.create', input), 'domainId');
    await composes.update(
      { composeId },
      { composeFile: 'services: {web: {image: nginx}, db: {image: postgres}}' },
    );
    const refused = {
      code: 'BAD_REQUEST',
      fields: ['serviceName'],
      message: expect.stringMatching(/is not a service of the file of .+, which has: web, db/),
    };
    expect(await owner.mutate('domain.create', { ...input, host: 'd.test' })).toMatchObject(refused);
    expect(
      await owner.mutate('domain.update', { domainId, host: 'c.test', serviceName: 'wep', port: 81 }),
    ).toMatchObject({
      port: 81,
    });
    expect(
      await owner.mutate('domain.update', { domainId, host: 'c.test', serviceName: 'db' }),
    ).toMatchObject({
      serviceName: 'db',
    });
    expect(
      await owner.mutate('domain.update', { domainId, host: 'c.test', serviceName: 'wep' }),
    ).toMatchObject(refused);
    // Which services a repository's file has is known when it is deployed.
    await composes.update({ composeId }, { sourceType: 'git' });
    expect(await owner.mutate('domain.create', { ...input, host: 'd.test' })).toMatchObject({
      serviceName: 'wep',
    });
  });
});
