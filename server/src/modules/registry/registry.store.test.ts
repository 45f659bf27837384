import { expect, it } from 'vitest';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createOutgoing } from '../../adapters/outgoing/outgoing.ts';
import { createStores } from '../../composition/stores.ts';
import { AppError } from '../../domain/errors.ts';
import { systemClock } from '../../ports/clock.ts';
import type { RegistryAuth } from '../../ports/engine/registry-auth.ts';
import { router } from '../../procedure/registry.ts';
import { registryContract } from './contract.ts';
import { registryHandlers } from './handlers.ts';
import { createRegistries } from './registry.ts';
import { createRegistryStore } from './store.ts';

/** An engine as its port says: one password opens every registry. */
const engine = {
  asked: [] as string[],
  async checkRegistry({ username, password, serverAddress }: RegistryAuth): Promise<void> {
    engine.asked.push(`${username}@${serverAddress}`);
    if (password.reveal() !== 'right')
      throw new AppError(
        'BAD_REQUEST',
        `The registry ${serverAddress} refused the sign-in of ${username}: unauthorized`,
      );
  },
};

/** Every name leads to a public address here, but for those that say otherwise. */
const { registry: reached } = createOutgoing({
  policyOf: async () => ({ reachesPrivate: false, allowed: ['10.1.0.0/16'], platform: [] }),
  lookUp: async (name) => (name === 'none.example.com' ? [] : ['1.1.1.1']),
});

eachDatabase('registries', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database) => [
      router(
        'registry',
        registryContract,
        registryHandlers(
          createRegistries(createRegistryStore(database), engine.checkRegistry, reached, systemClock),
        ),
      ),
    ]);
  const input = {
    name: 'Team',
    registryUrl: 'https://registry.example.com:5000/Apps'.toLowerCase(),
    username: 'ci',
    password: 'right',
    imagePrefix: 'shop',
  };
  const shown = {
    registryId: expect.any(String),
    name: 'Team',
    registryUrl: 'registry.example.com:5000/apps',
    username: 'ci',
    imagePrefix: 'shop',
    createdAt: expect.any(String),
  };

  it('are created, read, listed and removed, their password never shown', async () => {
    const { owner, database, people } = await begin();
    const created = await owner.mutate('registry.create', input);
    expect(created).toEqual(shown);
    const registryId = textOf(created, 'registryId');
    expect(await owner.query('registry.one', { registryId })).toEqual(shown);
    expect(await owner.query('registry.all')).toEqual([shown]);
    expect(await owner.query('registry.all', { limit: 5 })).toEqual({ items: [shown], nextCursor: null });
    const access = await createRegistries(
      createRegistryStore(database),
      engine.checkRegistry,
      reached,
      systemClock,
    ).access(registryId, people.owner.organizationId);
    expect([
      access.repository,
      access.auth.serverAddress,
      access.auth.username,
      access.auth.password.reveal(),
    ]).toEqual(['registry.example.com:5000/apps/shop/', 'registry.example.com:5000', 'ci', 'right']);
    expect(await owner.mutate('registry.remove', { registryId })).toEqual(shown);
    expect(await owner.query('registry.one', { registryId })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are changed field by field; the stored password never reaches another address', async () => {
    const { owner } = await begin();
    const registryId = textOf(await owner.mutate('registry.create', input), 'registryId');
    expect(await owner.mutate('registry.update', { registryId, name: 'Renamed' })).toEqual({
      ...shown,
      name: 'Renamed',
    });
    expect(
      await owner.mutate('registry.update', { registryId, registryUrl: 'evil.example.com' }),
    ).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['password'],
      message: expect.stringMatching(/registry\.example\.com:5000\/apps.* evil\.example\.com/),
    });
    expect(
      await owner.mutate('registry.update', {
        registryId,
        registryUrl: input.registryUrl,
        imagePrefix: null,
      }),
    ).toEqual({ ...shown, name: 'Renamed', imagePrefix: '' });
    expect(
      await owner.mutate('registry.update', {
        registryId,
        registryUrl: 'other.example.com',
        username: 'me',
        password: 'wrong',
      }),
    ).toMatchObject({ registryUrl: 'other.example.com', username: 'me' });
    expect(await owner.mutate('registry.test', { registryId })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('unauthorized'),
    });
    expect(await owner.mutate('registry.update', { registryId, password: 'right' })).toMatchObject({
      registryUrl: 'other.example.com',
    });
    expect(await owner.mutate('registry.test', { registryId })).toEqual({ success: true });
    for (const [field, value] of [
      ['registryUrl', 'http://x'],
      ['imagePrefix', 'A'],
      ['username', ''],
      ['password', ''],
      ['name', ''],
    ] as const) {
      expect(await owner.mutate('registry.update', { registryId, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
  });

  it('are tested by what is stored or by what is given, never by a mixture', async () => {
    const { owner } = await begin();
    const registryId = textOf(await owner.mutate('registry.create', input), 'registryId');
    engine.asked.length = 0;
    expect(await owner.mutate('registry.test', { registryId })).toEqual({ success: true });
    expect(
      await owner.mutate('registry.test', {
        registryUrl: 'https://other.example.com/x',
        username: 'me',
        password: 'right',
      }),
    ).toEqual({ success: true });
    expect(engine.asked).toEqual(['ci@registry.example.com:5000', 'me@other.example.com']);
    expect(
      await owner.mutate('registry.test', {
        registryUrl: 'other.example.com',
        username: 'me',
        password: 'wrong',
      }),
    ).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('unauthorized') });
    expect(
      await owner.mutate('registry.test', { registryId, registryUrl: 'evil.example.com' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['registryUrl'] });
    expect(await owner.mutate('registry.test', {})).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['registryUrl', 'username', 'password'],
    });
    expect(engine.asked).toHaveLength(3);
  });

  it('are no way to learn what is behind addresses that are not public', async () => {
    const { owner } = await begin();
    engine.asked.length = 0;
    const test = async (registryUrl: string): Promise<unknown> =>
      owner.mutate('registry.test', { registryUrl, username: 'me', password: 'right' });
    for (const host of ['10.9.9.9:5000', '127.0.0.1', '169.254.169.254:80', '192.168.1.1:22'])
      expect(await test(host)).toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringMatching(
          /^[0-9.]+ cannot be reached: .*its address is not public and not open/,
        ),
      });
    expect(await test('none.example.com')).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('did not resolve'),
    });
    expect(engine.asked).toEqual([]);
    expect(await test('10.1.2.3:5000')).toEqual({ success: true });
  });

  it('stay while an application uses them, and the refusal tells how many', async () => {
    const {
      owner,
      database,
      place: { applicationId },
    } = await begin();
    const registryId = textOf(await owner.mutate('registry.create', input), 'registryId');
    await createStores(database).applications.update({ applicationId }, { registryId });
    expect(await owner.mutate('registry.remove', { registryId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('1 application'),
    });
    expect(await owner.query('registry.one', { registryId })).toEqual(shown);
  });

  it('are for Owner and Admin of their organization; bad input is named', async () => {
    const { owner, admin, member, stranger, nobody } = await begin();
    const registryId = textOf(await admin.mutate('registry.create', input), 'registryId');
    const calls = (client: InterfaceClient, id = registryId): Promise<unknown>[] => [
      client.query('registry.one', { registryId: id }),
      client.mutate('registry.test', { registryId: id }),
      client.mutate('registry.update', { registryId: id, name: 'x' }),
      client.mutate('registry.remove', { registryId: id }),
    ];
    const general = (client: InterfaceClient): Promise<unknown>[] => [
      client.query('registry.all'),
      client.mutate('registry.create', input),
    ];
    for (const answer of await Promise.all([...calls(nobody), ...general(nobody)]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all([...calls(member), ...general(member)]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(stranger)))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere')))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    expect(await stranger.query('registry.all')).toEqual([]);
    for (const [field, value] of [
      ['registryUrl', 'http://x'],
      ['imagePrefix', 'A'],
      ['username', ''],
      ['password', ''],
      ['name', ''],
    ] as const) {
      expect(await owner.mutate('registry.create', { ...input, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
  });
});
