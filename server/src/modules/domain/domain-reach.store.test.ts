import { expect, it } from 'vitest';
import { domainWorlds, withCompose } from '../../../../test/http/domain-world.ts';
import { textOf } from '../../../../test/http/door.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';

eachDatabase('hosts', (test) => {
  const { begin } = domainWorlds(test);

  it('of a service that a member does not reach are no hosts for the member’s own', async () => {
    const world = await begin();
    const { owner, member, people, place } = world;
    const { applicationId } = place;
    const composeId = await withCompose(world, 'compose-1');
    await owner.mutate('domain.create', { host: 'shop.test', applicationId });
    await owner.mutate('domain.create', { host: '*.wild.test', applicationId });
    await people.grant({ accessedServices: [composeId] });
    const own = { composeId, domainType: 'compose', serviceName: 'web' };
    for (const host of ['shop.test', 'SHOP.test', 'admin.wild.test'])
      expect(await member.mutate('domain.create', { ...own, host, path: '/sign-in' })).toMatchObject({
        code: 'CONFLICT',
        fields: ['host'],
        message: expect.stringContaining('that you do not reach'),
      });
    const domainId = textOf(await member.mutate('domain.create', { ...own, host: 'mine.test' }), 'domainId');
    expect(
      await member.mutate('domain.update', { domainId, host: 'shop.test', path: '/sign-in' }),
    ).toMatchObject({ code: 'CONFLICT', fields: ['host'] });
    // What somebody who reaches both has put there may be changed by whoever reaches the one.
    const shared = { ...own, host: 'shop.test', path: '/api' };
    const sharedId = textOf(await owner.mutate('domain.create', shared), 'domainId');
    expect(await member.mutate('domain.update', { domainId: sharedId, port: 8080 })).toMatchObject({
      port: 8080,
    });
    await people.grant({ accessedServices: [composeId, applicationId] });
    expect(await member.mutate('domain.create', { ...own, host: 'shop.test', path: '/in' })).toMatchObject({
      host: 'shop.test',
    });
  });
});
