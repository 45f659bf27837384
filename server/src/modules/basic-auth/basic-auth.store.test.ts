import { compare } from 'bcryptjs';
import { expect, it } from 'vitest';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { keptRoutes, type KeptRoutes } from '../../../../test/http/kept-routes.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { tableStore } from '../../db/table-store.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { createBasicAuths } from './basic-auth.ts';
import { basicAuthContract } from './contract.ts';
import { basicAuthHandlers } from './handlers.ts';

eachDatabase('users of a sign-in', (test) => {
  const createWorld = worlds(test);
  let proxy: KeptRoutes;
  const begin = (): Promise<World> =>
    createWorld((database) => {
      const stores = createStores(database);
      proxy = keptRoutes(database);
      return [
        router(
          'basicAuth',
          basicAuthContract,
          basicAuthHandlers(createBasicAuths(stores.basicAuths, systemClock), {
            serverOf: stores.ports.serverKeyOf,
            changeRoutes: proxy.changeRoutes,
          }),
        ),
      ];
    });
  const input = { username: 'ann', password: 'correct horse' };
  const shown = { basicAuthId: expect.any(String), username: 'ann', createdAt: expect.any(String) };
  const opens = async (username: string, password: string): Promise<boolean> => {
    const account = proxy.routes[0]?.accounts.find((each) => each.username === username);
    return account !== undefined && compare(password, account.passwordHash);
  };

  it('are created, read, listed, changed and removed, at the proxy too; no password is shown', async () => {
    const {
      owner,
      people,
      place: { applicationId },
    } = await begin();
    await proxy.addDomain({ ...people.owner, applicationId, host: 'a.test' });
    const created = await owner.mutate('basicAuth.create', { applicationId, ...input });
    expect(created).toEqual({ ...shown, applicationId });
    const basicAuthId = textOf(created, 'basicAuthId');
    expect(await opens('ann', 'correct horse')).toBe(true);
    expect(await opens('ann', 'correct horses')).toBe(false);
    expect(await owner.query('basicAuth.one', { basicAuthId })).toEqual(created);
    expect(await owner.query('basicAuth.byApplicationId', { applicationId })).toEqual([created]);
    expect(await owner.query('basicAuth.byApplicationId', { applicationId, limit: 5 })).toEqual({
      items: [created],
      nextCursor: null,
    });
    expect(await owner.mutate('basicAuth.update', { basicAuthId, username: 'bob' })).toEqual({
      ...shown,
      applicationId,
      username: 'bob',
    });
    expect(await opens('bob', 'correct horse')).toBe(true);
    await owner.mutate('basicAuth.update', { basicAuthId, password: 'battery staple' });
    expect([await opens('bob', 'correct horse'), await opens('bob', 'battery staple')]).toEqual([
      false,
      true,
    ]);
    expect(await owner.mutate('basicAuth.delete', { basicAuthId })).toMatchObject({
      basicAuthId,
      username: 'bob',
    });
    expect(proxy.routes[0]?.accounts).toEqual([]);
    expect(await owner.query('basicAuth.one', { basicAuthId })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('leave no password anywhere: not in the tables, not in the audit', async () => {
    const {
      owner,
      database,
      place: { applicationId },
    } = await begin();
    const basicAuthId = textOf(
      await owner.mutate('basicAuth.create', { applicationId, ...input }),
      'basicAuthId',
    );
    await owner.mutate('basicAuth.update', { basicAuthId, password: 'battery staple' });
    const audit = JSON.stringify(await tableStore(database, 'audit').list({}));
    const kept = JSON.stringify(await createStores(database).basicAuths.list({}));
    expect(kept).toContain('$2b$10$');
    expect(audit).toContain('basicAuth.update');
    expect(kept + audit).not.toMatch(/correct horse|battery staple/);
    expect(audit).not.toContain('$2b$10$');
  });

  it('have names of their own in an application', async () => {
    const {
      owner,
      stranger,
      place: { applicationId },
      foreign,
    } = await begin();
    await owner.mutate('basicAuth.create', { applicationId, ...input });
    const other = textOf(
      await owner.mutate('basicAuth.create', { applicationId, ...input, username: 'Ann' }),
      'basicAuthId',
    );
    expect(await owner.mutate('basicAuth.create', { applicationId, ...input })).toMatchObject({
      code: 'CONFLICT',
      fields: ['username'],
    });
    expect(await owner.mutate('basicAuth.update', { basicAuthId: other, username: 'ann' })).toMatchObject({
      code: 'CONFLICT',
      fields: ['username'],
    });
    expect(
      await stranger.mutate('basicAuth.create', { applicationId: foreign.applicationId, ...input }),
    ).toEqual({ ...shown, applicationId: foreign.applicationId });
  });

  it('have names and passwords that the proxy can tell apart; the rest is refused by field', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    for (const [field, value] of [
      ['username', ''],
      ['username', 'a:b'],
      ['username', '{env.HOME}'],
      ['username', 'a'.repeat(101)],
      ['password', ''],
      ['password', 'a'.repeat(73)],
      ['password', 'ä'.repeat(40)],
      ['password', 'a\nb'],
    ] as const) {
      expect(
        await owner.mutate('basicAuth.create', { applicationId, ...input, [field]: value }),
        value,
      ).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
    }
  });

  it('belong to their application: for its organization, and for members who reach it', async () => {
    const {
      owner,
      member,
      stranger,
      nobody,
      people,
      place: { applicationId },
    } = await begin();
    const basicAuthId = textOf(
      await owner.mutate('basicAuth.create', { applicationId, ...input }),
      'basicAuthId',
    );
    const calls = (
      client: InterfaceClient,
      id = basicAuthId,
      ofApplication = applicationId,
    ): Promise<unknown>[] => [
      client.query('basicAuth.one', { basicAuthId: id }),
      client.mutate('basicAuth.update', { basicAuthId: id, username: 'eve' }),
      client.query('basicAuth.byApplicationId', { applicationId: ofApplication }),
      client.mutate('basicAuth.create', { applicationId: ofApplication, ...input, username: 'eve' }),
      client.mutate('basicAuth.delete', { basicAuthId: id }),
    ];
    for (const answer of await Promise.all(calls(nobody)))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const client of [member, stranger])
      for (const answer of await Promise.all(calls(client)))
        expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere', 'nowhere')))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    await people.grant({ accessedServices: [applicationId] });
    expect(await member.query('basicAuth.one', { basicAuthId })).not.toHaveProperty('code');
    expect(await member.mutate('basicAuth.delete', { basicAuthId })).toMatchObject({ basicAuthId });
  });
});
