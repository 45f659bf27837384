import { anyHost } from '../../../../test/http/any-host.ts';
import { expect, it } from 'vitest';
import { makeCertificate, makeChain } from '../../../../test/certificates/authority.ts';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { keptRoutes, type KeptRoutes } from '../../../../test/http/kept-routes.ts';
import { statementsOf } from '../../../../test/http/statements-of.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { badField } from '../../domain/errors.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { createDomains } from '../domain/domain.ts';
import { createCertificates } from './certificate.ts';
import { certificateContract } from './contract.ts';
import { certificateHandlers } from './handlers.ts';
import { createCertificateStore } from './store.ts';
import { plainServer } from '../../../../test/world/plain-server.ts';

const day = 24 * 3_600_000;
const { intermediate, leaf } = makeChain(['shop.test', '*.shop.test'], {
  notAfter: new Date(Date.now() + 90 * day),
});
const input = { name: 'Shop', certificateData: leaf.pem + intermediate.pem, privateKey: leaf.key };
const shown = {
  certificateId: expect.any(String),
  name: 'Shop',
  expirationDate: expect.stringMatching(/^\d{4}-.*Z$/),
  notBefore: expect.stringMatching(/^\d{4}-.*Z$/),
  commonName: 'shop.test',
  subjectAlternativeNames: ['shop.test', '*.shop.test'],
  issuer: 'CN=Test Intermediate',
  serverId: null,
  status: 'valid',
  domains: [],
};

eachDatabase('certificates', (test) => {
  const createWorld = worlds(test);
  const cloud = { is: false };
  async function requireServer(serverId: string | null | undefined): Promise<void> {
    if (cloud.is && !serverId) throw badField('serverId', 'is required');
  }
  let proxy: KeptRoutes;
  const begin = (): Promise<World> =>
    createWorld((database) => {
      proxy = keptRoutes(database);
      return [
        router(
          'certificate',
          certificateContract,
          certificateHandlers(createCertificates(createCertificateStore(database), systemClock), {
            forgetOrder: async () => undefined,
            requireServer,
            changeRoutes: proxy.changeRoutes,
          }),
        ),
      ];
    });
  const upload = async ({ owner }: World, change: object = {}): Promise<string> =>
    textOf(await owner.mutate('certificate.create', { ...input, ...change }), 'certificateId');

  async function withDomain(
    { database, place, people }: World,
    host: string,
    change: object = {},
  ): Promise<{ domainId: string; host: string; path: string }> {
    const { domainId, path } = await createDomains(
      createStores(database).domains,
      systemClock,
      anyHost,
    ).create(
      people.owner.organizationId,
      { applicationId: place.applicationId },
      { host, https: true, certificateType: 'none', ...change },
    );
    return { domainId, host, path };
  }
  const domainsOf = async ({ owner }: World, certificateId: string): Promise<unknown> =>
    Reflect.get(Object(await owner.query('certificate.one', { certificateId })), 'domains');

  it('are stored, read, listed and removed, the private key never shown', async () => {
    const world = await begin();
    const { owner, database } = world;
    const created = await owner.mutate('certificate.create', {
      ...input,
      certificateData: leaf.pem,
      certificateChain: intermediate.pem,
    });
    expect(created).toEqual(shown);
    const certificateId = textOf(created, 'certificateId');
    expect(await owner.query('certificate.one', { certificateId })).toEqual(created);
    const soon = makeCertificate({
      name: 'soon',
      hosts: ['soon.test'],
      notAfter: new Date(Date.now() + 29 * day),
    });
    const second = await owner.mutate('certificate.create', {
      name: 'Soon',
      certificateData: soon.pem,
      privateKey: soon.key,
    });
    expect(second).toMatchObject({ status: 'expiring soon', issuer: 'CN=soon' });
    expect(await owner.query('certificate.all')).toEqual([second, created]);
    expect(await owner.query('certificate.all', { limit: 1 })).toEqual({
      items: [second],
      nextCursor: textOf(second, 'certificateId'),
    });
    expect(await owner.mutate('certificate.remove', { certificateId })).toEqual(created);
    expect(await owner.query('certificate.one', { certificateId })).toMatchObject({ code: 'NOT_FOUND' });
    expect(JSON.stringify(await createStores(database).audit.all('organization-first'))).not.toContain(
      'PRIVATE KEY',
    );
  });

  it('serve the hosts they cover from the moment they come to the moment they go', async () => {
    const world = await begin();
    const {
      people: { owner },
      place: { applicationId },
    } = world;
    for (const host of ['shop.test', 'other.test'])
      await proxy.addDomain({ ...owner, applicationId, host, https: true });
    const served = (): unknown =>
      Object.fromEntries(
        proxy.routes.map(({ host, certificate }) => [
          host,
          certificate?.source === 'uploaded' ? certificate.certificateId : certificate?.source,
        ]),
      );
    expect(served()).toEqual({ 'shop.test': 'internal', 'other.test': 'internal' });
    const certificateId = await upload(world);
    expect(served()).toEqual({ 'shop.test': certificateId, 'other.test': 'internal' });
    const [given] = proxy.routes.flatMap(({ certificate }) =>
      certificate?.source === 'uploaded' ? [certificate] : [],
    );
    expect([given?.chain, given?.privateKey.reveal()]).toEqual([
      (leaf.pem + intermediate.pem).trim(),
      leaf.key,
    ]);
    const longer = makeChain(['shop.test'], { notAfter: new Date(Date.now() + 300 * day) });
    const successor = await upload(world, {
      certificateData: longer.leaf.pem + longer.intermediate.pem,
      privateKey: longer.leaf.key,
    });
    expect(served()).toEqual({ 'shop.test': successor, 'other.test': 'internal' });
    expect(await world.owner.mutate('certificate.remove', { certificateId })).toMatchObject({
      certificateId,
    });
    expect(served()).toEqual({ 'shop.test': successor, 'other.test': 'internal' });
  });

  it('wait for a proxy that is away, and are refused with one that refuses them', async () => {
    const world = await begin();
    proxy.isAway = true;
    await upload(world);
    proxy.isAway = false;
    proxy.refusal = 'The proxy refused the new routes and keeps the former ones: no.';
    expect(await world.owner.mutate('certificate.create', input)).toMatchObject({
      code: 'BAD_REQUEST',
      message: proxy.refusal,
    });
    expect(await world.owner.query('certificate.all')).toHaveLength(1);
  });

  it('keep their key encrypted, and out of everything that is told', async () => {
    const world = await begin();
    const certificateId = await upload(world);
    const secret = leaf.key.split('\n')[1] ?? '';
    const { builder, run } = world.database;
    const [row] = await run(builder.selectFrom('certificate').selectAll().compile());
    expect(row?.privateKey).not.toContain(secret);
    const answers = [
      await world.owner.query('certificate.one', { certificateId }),
      await world.owner.query('certificate.all'),
      await world.owner.mutate('certificate.create', { ...input, certificateData: intermediate.pem }),
    ];
    expect(
      JSON.stringify([
        answers,
        world.server.faults,
        await run(builder.selectFrom('audit').selectAll().compile()),
      ]),
    ).not.toContain(secret);
  });

  it('are refused flatly when they are not good', async () => {
    const { owner } = await begin();
    const old = makeCertificate({
      name: 'old',
      notBefore: new Date(Date.now() - 2 * day),
      notAfter: new Date(Date.now() - day),
    });
    for (const [change, code] of [
      [{ certificateData: 'no certificate' }, 'Invalid certificate'],
      [{ certificateChain: 'no chain' }, 'Invalid certificate'],
      [{ certificateData: intermediate.pem + leaf.pem }, 'Invalid certificate'],
      [{ privateKey: intermediate.key }, 'Key mismatch'],
      [{ privateKey: 'no key' }, 'Key mismatch'],
      [{ certificateData: old.pem, privateKey: old.key }, 'Certificate expired'],
    ] as const)
      expect(await owner.mutate('certificate.create', { ...input, ...change })).toEqual({
        code,
        message: expect.any(String),
        fields: [],
      });
    expect(await owner.query('certificate.all')).toEqual([]);
  });

  it('tell which domains use them: https without an issuer, and a name that covers the host', async () => {
    const world = await begin();
    const [first, below] = [
      await withDomain(world, 'shop.test'),
      await withDomain(world, 'www.shop.test', { path: '/x' }),
    ];
    await withDomain(world, 'a.b.shop.test');
    await withDomain(world, 'plain.shop.test', { https: false });
    await withDomain(world, 'issued.shop.test', { certificateType: 'acme' });
    const certificateId = await upload(world);
    expect(await domainsOf(world, certificateId)).toEqual([below, first]);
    expect(await world.owner.mutate('certificate.remove', { certificateId })).toEqual({
      code: 'Certificate in use',
      message: expect.stringContaining('www.shop.test/x, shop.test'),
      fields: [],
    });
    expect(await world.owner.query('certificate.one', { certificateId })).toMatchObject({ name: 'Shop' });
  });

  it('give way to a successor, and can then be removed', async () => {
    const world = await begin();
    const domain = await withDomain(world, 'www.shop.test');
    const first = await upload(world);
    const renewed = makeCertificate({
      name: 'renewed',
      hosts: ['*.shop.test'],
      notAfter: new Date(Date.now() + 180 * day),
    });
    const second = await upload(world, {
      name: 'Renewed',
      certificateData: renewed.pem,
      privateKey: renewed.key,
    });
    expect([await domainsOf(world, first), await domainsOf(world, second)]).toEqual([[], [domain]]);
    expect(await world.owner.mutate('certificate.remove', { certificateId: first })).toMatchObject({
      certificateId: first,
    });
    expect(await world.owner.mutate('certificate.remove', { certificateId: second })).toMatchObject({
      code: 'Certificate in use',
    });
  });

  it('serve their own organization and server only', async () => {
    const world = await begin();
    const { database, people, foreign, place } = world;
    const stores = createStores(database);
    for (const [serverId, organizationId] of [
      ['server-1', people.owner.organizationId],
      ['server-2', people.stranger.organizationId],
    ] as const) {
      await stores.servers.insert({
        ...plainServer,
        serverId,
        organizationId,
        name: serverId,
        createdAt: '2026-01-01',
      });
    }
    await createDomains(stores.domains, systemClock, anyHost).create(
      people.stranger.organizationId,
      { applicationId: foreign.applicationId },
      { host: 'shop.test', https: true, certificateType: 'none' },
    );
    await stores.applications.update({ applicationId: place.applicationId }, { serverId: 'server-1' });
    const far = await withDomain(world, 'www.shop.test');
    const [here, there] = [await upload(world), await upload(world, { serverId: 'server-1' })];
    expect([await domainsOf(world, here), await domainsOf(world, there)]).toEqual([[], [far]]);
    expect(await world.owner.mutate('certificate.create', { ...input, serverId: 'server-2' })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await world.owner.mutate('certificate.create', { ...input, serverId: 'nowhere' })).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('are listed in the same number of statements however many there are', async () => {
    const world = await begin();
    const measured = (): Promise<number> =>
      statementsOf(world.database, () => world.owner.query('certificate.all'));
    const none = await measured();
    for (const host of ['a', 'b', 'c', 'd']) await withDomain(world, `${host}.shop.test`);
    await upload(world);
    await upload(world);
    expect(await measured()).toBe(none);
  });

  it('need a server in a cloud installation', async () => {
    const { owner } = await begin();
    cloud.is = true;
    expect(await owner.mutate('certificate.create', input)).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['serverId'],
    });
    cloud.is = false;
    expect(await owner.mutate('certificate.create', { ...input, serverId: null })).toEqual(shown);
  });

  it('are for Owner and Admin of their organization; bad input is named in the envelope', async () => {
    const world = await begin();
    const { owner, admin, member, stranger, nobody } = world;
    const certificateId = textOf(await admin.mutate('certificate.create', input), 'certificateId');
    const calls = (client: InterfaceClient, id = certificateId): Promise<unknown>[] => [
      client.query('certificate.one', { certificateId: id }),
      client.mutate('certificate.remove', { certificateId: id }),
    ];
    const general = (client: InterfaceClient): Promise<unknown>[] => [
      client.query('certificate.all'),
      client.mutate('certificate.create', input),
    ];
    for (const answer of await Promise.all([...calls(nobody), ...general(nobody)]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all([...calls(member), ...general(member)]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(stranger)))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere')))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    expect(await stranger.query('certificate.all')).toEqual([]);
    for (const [field, value] of [
      ['name', ''],
      ['certificateData', ''],
      ['certificateData', 1],
      ['privateKey', undefined],
      ['certificateData', 'x'.repeat(200_001)],
    ] as const) {
      expect(await owner.mutate('certificate.create', { ...input, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
  });
});
