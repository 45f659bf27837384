import { expect, it } from 'vitest';
import { z } from 'zod';
import { accountRoutersOf } from '../../../test/http/worlds/account-world.ts';
import { inputQuery, send } from '../../../test/http/call.ts';
import { clientOf, type InterfaceClient } from '../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../test/store/each-database.ts';
import { createStores } from '../composition/stores.ts';
import { noGrants } from '../domain/access/permissions.ts';
import { systemClock } from '../ports/clock.ts';
import type { CallContext } from './context.ts';
import { listOf } from './input/page.ts';
import { mutation, query, subscription, type Handlers } from './procedure.ts';
import { router } from './registry.ts';
import { secretLines, secretText } from './secret-fields.ts';

const record = z.object({
  name: z.string(),
  password: secretText(),
  env: secretLines(),
  empty: secretText().nullable(),
  inside: z.record(z.string(), z.object({ token: secretText().optional() })),
});
const open = { class: 'protected', resources: [] } as const;
const given = {
  name: 'main',
  password: 'hunter2',
  env: '# hunter3\nA=hunter4\nB="hunter5\nhunter6"',
  empty: null,
  inside: { a: { token: 'hunter7' }, b: {} },
};
const masked = {
  ...given,
  password: '••••',
  env: 'A=••••\nB=••••',
  inside: { a: { token: '••••' }, b: {} },
};

const contract = {
  one: query({ summary: 'One', access: open, input: z.object({}), output: record }),
  all: query({ summary: 'All', access: open, input: z.object({}), output: listOf(record) }),
  watch: subscription({ summary: 'Stream', access: open, input: z.object({}), output: record }),
  contents: query({
    summary: 'Is a secret as a whole',
    access: { ...open, grant: 'canReadSecrets', action: 'readSecrets' },
    input: z.object({}),
    output: z.array(z.string()),
  }),
  update: mutation({
    summary: 'Changes',
    access: open,
    input: z.object({ env: z.string().nullish(), list: z.array(z.object({ text: z.string() })).optional() }),
    output: record,
  }),
};

eachDatabase('secrets in answers', (test) => {
  const createWorld = worlds(test);
  const seen: unknown[] = [];
  const handlers: Handlers<typeof contract, CallContext> = {
    one: async () => given,
    all: async () => [given],
    async *watch() {
      yield { id: '1', data: given };
    },
    contents: async () => ['hunter8'],
    update: async (_context, input) => {
      seen.push(input);
      return given;
    },
  };
  const begin = (): Promise<World> =>
    createWorld((database) => [
      router('vault', contract, handlers),
      ...accountRoutersOf(systemClock)(database),
    ]);
  const take = ({ database }: World, userId: string): Promise<number> =>
    createStores(database).members.update({ userId }, { grants: { ...noGrants, canReadSecrets: false } });

  it('are read by every role, until it is taken from a person', async () => {
    const world = await begin();
    const { owner, admin, member } = world;
    for (const client of [owner, admin, member]) expect(await client.query('vault.one')).toEqual(given);
    for (const userId of ['user-owner', 'user-admin', 'user-member']) await take(world, userId);
    for (const client of [owner, admin, member]) {
      expect(await client.query('vault.one')).toEqual(masked);
      expect(await client.query('vault.all')).toEqual([masked]);
      expect(await client.query('vault.watch')).toMatchObject({ lines: [masked] });
      expect(await client.query('user.get')).toMatchObject({ grants: { canReadSecrets: false } });
    }
    const { headers } = world.people.member;
    const answers = await Promise.all(
      ['/api/trpc/vault.one', `/api/trpc/vault.one,vault.all${inputQuery({})}&batch=1`].map((path) =>
        send(world.server.url + path, { headers }),
      ),
    );
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toContain('hunter');
    }
  });

  it('are refused as a whole to every role from which the grant was taken', async () => {
    const world = await begin();
    const { owner, admin, member } = world;
    for (const client of [owner, admin, member])
      expect(await client.query('vault.contents')).toEqual(['hunter8']);
    for (const userId of ['user-owner', 'user-admin', 'user-member']) await take(world, userId);
    for (const client of [owner, admin, member])
      expect(await client.query('vault.contents')).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('You lack the permission canReadSecrets'),
      });
  });

  it('are taken and given with the grants of a member', async () => {
    const { admin, member } = await begin();
    const set = (canReadSecrets: boolean): Promise<unknown> =>
      admin.mutate('organization.updateMember', { userId: 'user-member', grants: { canReadSecrets } });
    expect(await set(false)).toMatchObject({ grants: { canReadSecrets: false } });
    expect(await member.query('vault.one')).toEqual(masked);
    await set(true);
    expect(await member.query('vault.one')).toEqual(given);
  });

  it('are read with a narrowed key that names the action for the router, and by its user alone', async () => {
    const world = await begin();
    const { people, server } = world;
    const clientWith = async (permissions: Record<string, string[]>): Promise<InterfaceClient> =>
      clientOf(server, await people.newKey(people.member, { permissions }));
    const plain = await clientWith({ vault: ['read'], user: ['readSecrets'] });
    const named = await clientWith({ vault: ['read', 'readSecrets'] });
    expect(await plain.query('vault.one')).toEqual(masked);
    expect(await named.query('vault.one')).toEqual(given);
    await take(world, 'user-member');
    expect(await named.query('vault.one')).toEqual(masked);
  });

  it('the action is one of the routers that have secrets, and of no other', async () => {
    const { people, session } = await begin();
    const client = await session(people.owner);
    const make = (permissions: object): Promise<unknown> =>
      client.mutate('user.createApiKey', {
        name: 'x',
        metadata: { organizationId: people.owner.organizationId },
        permissions,
      });
    for (const router of [
      'application',
      'compose',
      'postgres',
      'project',
      'environment',
      'mount',
      'container',
    ])
      expect([router, await make({ [router]: ['read', 'readSecrets'] })]).toMatchObject([
        router,
        { name: 'x' },
      ]);
    expect(await make({ audit: ['readSecrets'] })).toMatchObject({ fields: ['permissions.audit.0'] });
  });

  it('come with no answer of a change, whoever asks', async () => {
    const { owner } = await begin();
    expect(await owner.mutate('vault.update', { env: 'A=1' })).toEqual(masked);
  });

  it('are never stored as dots', async () => {
    const { owner, member } = await begin();
    seen.length = 0;
    for (const client of [owner, member])
      for (const [input, field] of [
        [{ env: '••••' }, 'env'],
        [{ env: 'A=1\nB=••••' }, 'env'],
        [{ list: [{ text: 'fine' }, { text: 'a ••••' }] }, 'list.1.text'],
      ] as const)
        expect(await client.mutate('vault.update', input)).toMatchObject({
          code: 'BAD_REQUEST',
          fields: [field],
          message: expect.stringContaining('leave the field out'),
        });
    expect(seen).toEqual([]);
    // What nobody takes may hold them: clients send whole records back.
    expect(await owner.mutate('vault.update', { env: 'A=1', refreshToken: '••••' })).toEqual(masked);
    expect(seen).toEqual([{ env: 'A=1' }]);
  });
});
