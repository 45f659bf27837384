import { expect, it } from 'vitest';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { keptRoutes, type KeptRoutes } from '../../../../test/http/kept-routes.ts';
import { statementsOf } from '../../../../test/http/statements-of.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { tableStore } from '../../db/table-store.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { redirectContract } from './contract.ts';
import { redirectHandlers } from './handlers.ts';
import { originsOf } from './redirect-loop.ts';
import { createRedirects } from './redirect.ts';

eachDatabase('redirects', (test) => {
  const createWorld = worlds(test);
  let proxy: KeptRoutes;
  const begin = (): Promise<World> =>
    createWorld((database) => {
      const stores = createStores(database);
      proxy = keptRoutes(database);
      return [
        router(
          'redirect',
          redirectContract,
          redirectHandlers(createRedirects(stores.redirects, systemClock, originsOf(stores.domains)), {
            serverOf: stores.ports.serverKeyOf,
            changeRoutes: proxy.changeRoutes,
          }),
        ),
      ];
    });
  const input = { regex: '^https?://www\\.(.+)', replacement: 'https://${1}', permanent: true };
  const shown = {
    redirectId: expect.any(String),
    applicationId: expect.any(String),
    ...input,
    createdAt: expect.any(String),
  };
  const atProxy = (): unknown =>
    proxy.routes.map(({ host, redirects }) => [host, redirects.map(({ regex }) => regex)]);

  it('that would lead in a circle name the field that was given', async () => {
    const { owner, people, place } = await begin();
    const { applicationId } = place;
    await proxy.addDomain({ ...people.owner, applicationId, host: 'a.test' });
    const circle = { regex: '^http', replacement: 'http://a.test/' };
    const refused = (answer: unknown, field: string): void =>
      expect(answer).toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining(`${field}: leads in a circle`),
      });
    refused(await owner.mutate('redirect.create', { applicationId, ...circle }), 'replacement');
    const made = await owner.mutate('redirect.create', { applicationId, ...circle, regex: '^/old' });
    const redirectId = textOf(made, 'redirectId');
    refused(await owner.mutate('redirect.update', { redirectId, regex: circle.regex }), 'regex');
    refused(await owner.mutate('redirect.update', { redirectId, ...circle }), 'replacement');
  });

  it(
    'are created, read, listed, changed and removed, each at the proxy at once for every domain of the ' +
      'application',
    async () => {
      const {
        owner,
        people,
        place: { applicationId },
      } = await begin();
      for (const host of ['a.test', 'b.test'])
        await proxy.addDomain({ ...people.owner, applicationId, host });
      const first = await owner.mutate('redirect.create', { applicationId, ...input });
      expect(first).toEqual({ ...shown, applicationId });
      const redirectId = textOf(first, 'redirectId');
      const second = await owner.mutate('redirect.create', {
        applicationId,
        regex: '^/old',
        replacement: '/new',
      });
      expect(second).toMatchObject({ regex: '^/old', permanent: false });
      expect(proxy.routes.map(({ host }) => host).toSorted()).toEqual(['a.test', 'b.test']);
      for (const { redirects } of proxy.routes)
        expect(redirects.map(({ regex }) => regex)).toEqual([input.regex, '^/old']);
      expect(await owner.query('redirect.one', { redirectId })).toEqual(first);
      expect(await owner.query('redirect.byApplicationId', { applicationId })).toHaveLength(2);
      expect(await owner.query('redirect.byApplicationId', { applicationId, limit: 1 })).toEqual({
        items: [expect.anything()],
        nextCursor: expect.any(String),
      });
      expect(await owner.mutate('redirect.delete', { redirectId: textOf(second, 'redirectId') })).toEqual(
        second,
      );
      expect(
        await owner.mutate('redirect.update', {
          redirectId,
          permanent: false,
          replacement: 'https://shop.$1',
        }),
      ).toEqual({ ...shown, applicationId, permanent: false, replacement: 'https://shop.$1' });
      expect(proxy.routes[0]?.redirects).toEqual([
        expect.objectContaining({ regex: input.regex, replacement: 'https://shop.$1', permanent: false }),
      ]);
      await owner.mutate('redirect.delete', { redirectId });
      expect(new Set(proxy.routes.flatMap(({ redirects }) => redirects))).toEqual(new Set());
      expect(await owner.query('redirect.one', { redirectId })).toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  it('are what the proxy can do; the rest is refused by the name of the field', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    for (const [field, value] of [
      ['regex', '(?=a)b'],
      ['regex', '(a)\\1'],
      ['regex', 'a*+'],
      ['regex', ''],
      ['regex', 'a'.repeat(501)],
      ['regex', '('],
      ['replacement', '{env.HOME}'],
      ['replacement', '$2'],
      ['replacement', ''],
      ['replacement', 'a b'],
    ] as const)
      expect(
        await owner.mutate('redirect.create', { applicationId, ...input, [field]: value }),
        value,
      ).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
    const redirectId = textOf(
      await owner.mutate('redirect.create', { applicationId, ...input }),
      'redirectId',
    );
    expect(await owner.mutate('redirect.update', { redirectId, regex: '/no-group' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['replacement'],
    });
    expect(await owner.query('redirect.one', { redirectId })).toMatchObject(input);
  });

  it('are in neither place when the proxy refuses them', async () => {
    const {
      owner,
      people,
      database,
      place: { applicationId },
    } = await begin();
    await proxy.addDomain({ ...people.owner, applicationId, host: 'a.test' });
    proxy.refusal = 'The proxy refused the new routes and keeps the former ones: no.';
    expect(await owner.mutate('redirect.create', { applicationId, ...input })).toMatchObject({
      code: 'BAD_REQUEST',
      message: proxy.refusal,
    });
    proxy.refusal = undefined;
    expect(await owner.query('redirect.byApplicationId', { applicationId })).toEqual([]);
    expect(atProxy()).toEqual([['a.test', []]]);
    expect(
      (await tableStore(database, 'audit').list({ procedure: 'redirect.create' })).map(
        ({ outcome }) => outcome,
      ),
    ).toEqual(['BAD_REQUEST']);
  });

  it('cost the same number of statements for one domain and for many', async () => {
    const {
      owner,
      people,
      database,
      place: { applicationId },
    } = await begin();
    const { domains } = createStores(database);
    const counted = (): Promise<number> => statementsOf(database, () => domains.routed('local'));
    await proxy.addDomain({ ...people.owner, applicationId, host: 'a.test' });
    const few = await counted();
    for (const host of ['b.test', 'c.test', 'd.test'])
      await proxy.addDomain({ ...people.owner, applicationId, host });
    await owner.mutate('redirect.create', { applicationId, ...input });
    expect(await counted()).toBe(few);
  });

  it('belong to their application: for its organization, and for members who reach it', async () => {
    const {
      owner,
      admin,
      member,
      stranger,
      nobody,
      people,
      place: { applicationId },
    } = await begin();
    const redirectId = textOf(
      await admin.mutate('redirect.create', { applicationId, ...input }),
      'redirectId',
    );
    const calls = (
      client: InterfaceClient,
      id = redirectId,
      ofApplication = applicationId,
    ): Promise<unknown>[] => [
      client.query('redirect.one', { redirectId: id }),
      client.mutate('redirect.update', { redirectId: id, permanent: true }),
      client.query('redirect.byApplicationId', { applicationId: ofApplication }),
      client.mutate('redirect.create', { applicationId: ofApplication, ...input }),
      client.mutate('redirect.delete', { redirectId: id }),
    ];
    for (const answer of await Promise.all(calls(nobody)))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const client of [member, stranger])
      for (const answer of await Promise.all(calls(client)))
        expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere', 'nowhere')))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    await people.grant({ accessedServices: [applicationId] });
    for (const call of [
      member.query('redirect.one', { redirectId }),
      member.query('redirect.byApplicationId', { applicationId }),
    ])
      expect(await call).not.toHaveProperty('code');
    expect(await member.mutate('redirect.delete', { redirectId })).toMatchObject({ redirectId });
  });
});
