import { expect, it } from 'vitest';
import { domainWorlds, withCompose, withPreview } from '../../../../test/http/worlds/domain-world.ts';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
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
    expect(
      await member.mutate('domain.update', { domainId: sharedId, host: 'shop.test', port: 8080 }),
    ).toMatchObject({
      port: 8080,
    });
    await people.grant({ accessedServices: [composeId, applicationId] });
    expect(await member.mutate('domain.create', { ...own, host: 'shop.test', path: '/in' })).toMatchObject({
      host: 'shop.test',
    });
  });

  it('are closed to others, as is what they name', async () => {
    const world = await begin();
    const {
      owner,
      member,
      stranger,
      nobody,
      people,
      place: { applicationId },
    } = world;
    const domainId = textOf(
      await owner.mutate('domain.create', { host: 'Shop.Example.COM', applicationId }),
      'domainId',
    );
    const calls = (
      client: InterfaceClient,
      ids: { domainId: string; applicationId: string; composeId?: string },
    ): Promise<unknown>[] => [
      client.query('domain.one', ids),
      client.query('domain.requests', ids),
      client.query('domain.accessLog', ids),
      client.mutate('domain.update', { ...ids, host: 'x.test' }),
      client.mutate('domain.delete', ids),
      client.query('domain.byApplicationId', ids),
      client.mutate('domain.create', { host: 'y.test', applicationId: ids.applicationId }),
    ];
    for (const answer of await Promise.all([
      ...calls(nobody, { domainId, applicationId }),
      nobody.mutate('domain.generateDomain', { appName: 'a' }),
      nobody.mutate('domain.validateDomain', { domain: 'a.test' }),
    ]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const client of [member, stranger])
      for (const answer of await Promise.all(calls(client, { domainId, applicationId })))
        expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, { domainId: 'nowhere', applicationId: 'nowhere' })))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    const [composeId, previewDeploymentId] = [
      await withCompose(world, 'compose-2', true),
      await withPreview(world, 'preview-2', true),
    ];
    for (const [owned, code] of [
      [{ composeId, serviceName: 'web' }, 'FORBIDDEN'],
      [{ composeId: 'nowhere', serviceName: 'web' }, 'NOT_FOUND'],
      [{ previewDeploymentId }, 'FORBIDDEN'],
      [{ previewDeploymentId: 'nowhere' }, 'NOT_FOUND'],
    ] as const) {
      expect(
        await owner.mutate('domain.create', {
          host: 'z.test',
          domainType: 'composeId' in owned ? 'compose' : 'preview',
          ...owned,
        }),
      ).toMatchObject({ code });
    }
    for (const [id, code] of [
      [composeId, 'FORBIDDEN'],
      ['nowhere', 'NOT_FOUND'],
    ])
      expect(await owner.query('domain.byComposeId', { composeId: id })).toMatchObject({ code });
    await people.grant({ accessedServices: [applicationId] });
    expect(await member.query('domain.one', { domainId })).toMatchObject({ domainId });
  });
});
