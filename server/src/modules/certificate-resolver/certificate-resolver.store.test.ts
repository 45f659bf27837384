import { anyHost } from '../../../../test/http/any-host.ts';
import { expect, it } from 'vitest';
import { makeCertificate } from '../../../../test/certificates/authority.ts';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { keptRoutes } from '../../../../test/http/kept-routes.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { createDomains } from '../domain/domain.ts';
import { createCertificateResolvers } from './certificate-resolver.ts';
import { certificateResolverContract } from './contract.ts';
import { certificateResolverHandlers } from './handlers.ts';
import { createOutgoing } from '../../adapters/outgoing/outgoing.ts';
import { createResolverStore } from './store.ts';

const input = {
  name: 'internal',
  directoryUrl: 'https://acme.example.com/directory',
  email: 'ops@example.com',
};
const eab = { keyId: 'key-1', hmacKey: 'aG1hYy1zZWNyZXQ' };
const shown = {
  certificateResolverId: expect.any(String),
  ...input,
  eab: null,
  rootCertificates: null,
  createdAt: expect.any(String),
};

const outgoing = createOutgoing({
  policyOf: async () => ({ reachesPrivate: false, allowed: ['10.1.0.0/16'], platform: [] }),
  lookUp: async (name) => (name === 'inside.example.com' ? ['10.2.0.1'] : []),
});

eachDatabase('certificate resolvers', (test) => {
  let forgotten: string[] = [];
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database) => [
      router(
        'certificateResolver',
        certificateResolverContract,
        certificateResolverHandlers(
          createCertificateResolvers(createResolverStore(database), {
            clock: systemClock,
            outgoing,
            forgetAccount: async (id) => void forgotten.push(id),
          }),
          keptRoutes(database).changeRoutes,
        ),
      ),
    ]);

  it('are created, read, listed, changed and removed, their secret never shown', async () => {
    const { owner, database } = await begin();
    const plain = await owner.mutate('certificateResolver.create', input);
    expect(plain).toEqual(shown);
    const bound = await owner.mutate('certificateResolver.create', { ...input, name: 'bound', eab });
    expect(bound).toEqual({ ...shown, name: 'bound', eab: { keyId: 'key-1' } });
    const certificateResolverId = textOf(bound, 'certificateResolverId');
    expect(await owner.query('certificateResolver.one', { certificateResolverId })).toEqual(bound);
    expect(await owner.query('certificateResolver.all')).toEqual([bound, plain]);
    expect(await owner.query('certificateResolver.all', { limit: 1 })).toEqual({
      items: [bound],
      nextCursor: certificateResolverId,
    });
    expect(await createStores(database).certificateResolvers.find({ certificateResolverId })).toMatchObject({
      eabHmacKey: eab.hmacKey,
    });
    expect(
      await owner.mutate('certificateResolver.update', { certificateResolverId, email: 'new@example.com' }),
    ).toEqual({ ...shown, name: 'bound', email: 'new@example.com', eab: { keyId: 'key-1' } });
    expect(
      await owner.mutate('certificateResolver.update', { certificateResolverId, eab: null }),
    ).toMatchObject({ eab: null });
    expect(await owner.mutate('certificateResolver.remove', { certificateResolverId })).toMatchObject({
      name: 'bound',
    });
    expect(await owner.query('certificateResolver.one', { certificateResolverId })).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('have a new account when its binding changes, and only then', async () => {
    const { owner } = await begin();
    forgotten = [];
    const certificateResolverId = textOf(
      await owner.mutate('certificateResolver.create', { ...input, eab }),
      'certificateResolverId',
    );
    const update = (patch: object): Promise<unknown> =>
      owner.mutate('certificateResolver.update', { certificateResolverId, ...patch });
    await update({ email: 'new@example.com' });
    await update({ eab });
    await update({ eab: { ...eab, hmacKey: 'bmV3' } });
    expect(forgotten).toEqual([]);
    await update({ eab: { ...eab, keyId: 'key-2' } });
    await update({ eab: null });
    await update({ eab: null });
    expect(forgotten).toEqual([certificateResolverId, certificateResolverId]);
  });

  it("keep the roots that an authority of one's own is checked with", async () => {
    const { owner } = await begin();
    const { pem } = makeCertificate({ name: 'House', isAuthority: true });
    const made = await owner.mutate('certificateResolver.create', { ...input, rootCertificates: pem });
    expect(made).toEqual({ ...shown, rootCertificates: pem });
    const certificateResolverId = textOf(made, 'certificateResolverId');
    expect(
      await owner.mutate('certificateResolver.update', { certificateResolverId, rootCertificates: 'no PEM' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['rootCertificates'] });
    expect(
      await owner.mutate('certificateResolver.update', { certificateResolverId, rootCertificates: null }),
    ).toEqual(shown);
  });

  it('have names of their own in the organization', async () => {
    const { owner } = await begin();
    await owner.mutate('certificateResolver.create', input);
    expect(await owner.mutate('certificateResolver.create', input)).toMatchObject({
      code: 'CONFLICT',
      fields: ['name'],
    });
    const certificateResolverId = textOf(
      await owner.mutate('certificateResolver.create', { ...input, name: 'second' }),
      'certificateResolverId',
    );
    expect(
      await owner.mutate('certificateResolver.update', { certificateResolverId, name: 'internal' }),
    ).toMatchObject({ code: 'CONFLICT', fields: ['name'] });
    expect(
      await owner.mutate('certificateResolver.update', { certificateResolverId, name: 'second' }),
    ).toMatchObject({ name: 'second' });
  });

  it('are stored and changed by people of the installation alone, as the proxy asks them', async () => {
    const { owner, stranger } = await begin();
    const certificateResolverId = textOf(
      await owner.mutate('certificateResolver.create', input),
      'certificateResolverId',
    );
    for (const refused of [
      await stranger.mutate('certificateResolver.create', input),
      await stranger.mutate('certificateResolver.update', { certificateResolverId, email: 'a@example.com' }),
    ])
      expect(refused).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('stay while a domain or previews name them, and those follow a new name', async () => {
    const { owner, database, people, place } = await begin();
    const { domains: store, applications } = createStores(database);
    const certificateResolverId = textOf(
      await owner.mutate('certificateResolver.create', input),
      'certificateResolverId',
    );
    // Of a tenant, from before only people of the installation could store one.
    await createStores(database).certificateResolvers.insert({
      ...input,
      certificateResolverId: 'theirs',
      organizationId: people.stranger.organizationId,
      rootCertificates: null,
      eabKeyId: null,
      eabHmacKey: null,
      createdAt: '2026-11-01T00:00:00.000Z',
    });
    const domains = createDomains(store, systemClock, anyHost);
    const { domainId } = await domains.create(
      people.owner.organizationId,
      { applicationId: place.applicationId },
      { host: 'a.test', https: true, certificateType: 'custom', customCertResolver: 'internal' },
    );
    await applications.update(
      { applicationId: place.applicationId },
      { previewCustomCertResolver: 'internal' },
    );
    expect(await owner.mutate('certificateResolver.remove', { certificateResolverId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('2 domains'),
    });
    await owner.mutate('certificateResolver.update', { certificateResolverId, name: 'house' });
    expect(await store.find({ domainId })).toMatchObject({ customCertResolver: 'house' });
    expect(await applications.find({ applicationId: place.applicationId })).toMatchObject({
      previewCustomCertResolver: 'house',
    });
    await domains.remove(domainId, people.owner.organizationId);
    expect(await owner.mutate('certificateResolver.remove', { certificateResolverId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('1 domain '),
    });
    await applications.update({ applicationId: place.applicationId }, { previewCustomCertResolver: null });
    expect(await owner.mutate('certificateResolver.remove', { certificateResolverId })).toMatchObject({
      name: 'house',
    });
  });

  it('are for Owner and Admin of their organization; bad input is named', async () => {
    const { owner, admin, member, stranger, nobody } = await begin();
    const certificateResolverId = textOf(
      await admin.mutate('certificateResolver.create', input),
      'certificateResolverId',
    );
    const calls = (client: InterfaceClient, id = certificateResolverId): Promise<unknown>[] => [
      client.query('certificateResolver.one', { certificateResolverId: id }),
      client.mutate('certificateResolver.update', { certificateResolverId: id }),
      client.mutate('certificateResolver.remove', { certificateResolverId: id }),
    ];
    const general = (client: InterfaceClient): Promise<unknown>[] => [
      client.query('certificateResolver.all'),
      client.mutate('certificateResolver.create', { ...input, name: 'x' }),
    ];
    for (const answer of await Promise.all([...calls(nobody), ...general(nobody)]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all([...calls(member), ...general(member)]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(stranger)))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere')))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    for (const [field, value, fault = field] of [
      ['name', ' a'],
      ['name', 'a\nb'],
      ['directoryUrl', 'http://acme.example.com'],
      ['directoryUrl', 'acme'],
      // What the organization may not reach, the proxy does not ask for it.
      ['directoryUrl', 'https://inside.example.com/directory'],
      ['directoryUrl', 'https://127.1/directory'],
      ['directoryUrl', 'https://[::ffff:169.254.169.254]/directory'],
      ['email', 'ops'],
      ['eab', { keyId: '', hmacKey: 'x' }, 'eab.keyId'],
      ['eab', { keyId: 'x', hmacKey: 'not base64!' }, 'eab.hmacKey'],
    ] as const) {
      expect(await owner.mutate('certificateResolver.create', { ...input, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [fault],
      });
    }
    expect(await owner.mutate('certificateResolver.create', { ...input, name: '' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: expect.arrayContaining(['name']),
    });
  });
});
