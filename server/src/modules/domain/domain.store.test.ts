import { expect, it } from 'vitest';
import {
  domainWorlds,
  withCompose,
  withPreview,
  withServer,
} from '../../../../test/http/worlds/domain-world.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { AppError } from '../../domain/errors.ts';
import { noDomainRules } from './route-rules.ts';

const input = { host: 'Shop.Example.COM' };
const refusedHosts = '127.0.0.1 127.1.2.3 localhost ::1 192.0.2.9 203.0.113.7 MACHINE berth.own.test'
  .concat(' *.own.test *.com *.co.uk *.sslip.io')
  .split(' ');

eachDatabase('domains', (test) => {
  const { begin, scene } = domainWorlds(test);
  const record = (change: object = {}): object => ({
    domainId: expect.any(String),
    host: 'Shop.Example.COM',
    path: '/',
    port: 3000,
    https: false,
    certificateType: 'none',
    customCertResolver: null,
    applicationId: expect.any(String),
    composeId: null,
    serviceName: null,
    domainType: 'application',
    previewDeploymentId: null,
    internalPath: '/',
    stripPath: false,
    hstsMaxAge: null,
    requestHeaders: {},
    maxBodyBytes: null,
    ...noDomainRules,
    ownPort: null,
    uniqueConfigKey: 1,
    createdAt: expect.any(String),
    ...change,
  });

  it('are created, read, listed, changed and removed, on the proxy at once', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    const created = await owner.mutate('domain.create', { ...input, applicationId });
    expect(created).toEqual(record({ applicationId }));
    const domainId = textOf(created, 'domainId');
    expect(await owner.query('domain.one', { domainId })).toEqual({
      ...record({ applicationId }),
      certificate: scene.certificate,
      refusedNames: [],
    });
    expect(scene.prepared).toEqual([]);
    const second = await owner.mutate('domain.create', {
      ...input,
      applicationId,
      path: '/api',
      internalPath: '/v1',
      stripPath: true,
      port: 80,
      https: true,
      certificateType: 'acme',
    });
    expect(second).toMatchObject({
      uniqueConfigKey: 2,
      path: '/api',
      internalPath: '/v1',
      stripPath: true,
      port: 80,
      https: true,
      certificateType: 'acme',
    });
    // Whether an authority would find the host is looked up before it is asked.
    expect(scene.prepared).toEqual(['shop.example.com']);
    expect(await owner.query('domain.byApplicationId', { applicationId })).toEqual([second, created]);
    expect(await owner.query('domain.byApplicationId', { applicationId, limit: 1 })).toMatchObject({
      items: [second],
      nextCursor: textOf(second, 'domainId'),
    });
    expect(
      await owner.mutate('domain.update', { domainId, host: 'new.test', port: 8080, internalPath: null }),
    ).toEqual(record({ applicationId, host: 'new.test', port: 8080, ownPort: 8080 }));
    expect(scene.routes.at(-1)).toHaveLength(2);
    expect(scene.routes.at(-1)).toContain('new.test/');
    expect(await owner.mutate('domain.delete', { domainId })).toMatchObject({ domainId });
    expect(scene.routes.at(-1)).toEqual(['shop.example.com/api']);
  });

  it('have rules at the proxy, and paths beyond ASCII', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    const rules = {
      allowedAddresses: ['192.0.2.0/24'],
      deniedAddresses: ['192.0.2.7'],
      maintenance: true,
      maintenancePage: '<p>soon</p>',
      errorPages: { '5xx': '<p>five</p>' },
      responseHeaders: { 'X-Frame-Options': 'DENY' },
      compression: true,
      trustedProxies: [],
    };
    const created = await owner.mutate('domain.create', {
      ...input,
      applicationId,
      path: '/caf%C3%A9',
      ...rules,
    });
    expect(created).toEqual(record({ applicationId, path: '/café', ...rules }));
    const domainId = textOf(created, 'domainId');
    expect(await owner.mutate('domain.create', { ...input, applicationId, path: '/café' })).toMatchObject({
      code: 'CONFLICT',
    });
    expect(
      await owner.mutate('domain.update', {
        domainId,
        host: input.host,
        maintenance: false,
        trustedProxies: null,
      }),
    ).toMatchObject({ ...rules, maintenance: false, trustedProxies: null });
  });

  it('are taken back when the proxy refuses them', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    scene.refusal = new AppError('SERVICE_UNAVAILABLE', 'The proxy does not answer.');
    expect(await owner.mutate('domain.create', { ...input, applicationId })).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await owner.query('domain.byApplicationId', { applicationId })).toEqual([]);
  });

  it('have each host and path once on a server, whatever the case', async () => {
    const world = await begin();
    const {
      owner,
      stranger,
      place: { applicationId },
      foreign,
      database,
    } = world;
    const domainId = textOf(await owner.mutate('domain.create', { ...input, applicationId }), 'domainId');
    expect(await owner.mutate('domain.create', { host: 'shop.example.com', applicationId })).toMatchObject({
      code: 'CONFLICT',
      fields: ['host'],
      message: expect.stringContaining(domainId),
    });
    expect(
      await stranger.mutate('domain.create', {
        host: 'SHOP.example.com',
        applicationId: foreign.applicationId,
      }),
    ).toMatchObject({ code: 'CONFLICT', message: expect.not.stringContaining(domainId) });
    // Nor anything below it: it would take what is meant for its holder.
    expect(
      await stranger.mutate('domain.create', {
        host: 'SHOP.example.com',
        path: '/admin',
        applicationId: foreign.applicationId,
      }),
    ).toMatchObject({
      code: 'CONFLICT',
      fields: ['host'],
      message: expect.stringContaining('another organization'),
    });
    await owner.mutate('domain.create', { host: '*.wild.test', applicationId });
    expect(
      await stranger.mutate('domain.create', {
        host: 'admin.wild.test',
        applicationId: foreign.applicationId,
      }),
    ).toMatchObject({ code: 'CONFLICT', fields: ['host'] });
    const own = textOf(
      await stranger.mutate('domain.create', { host: 'a.b.wild.test', applicationId: foreign.applicationId }),
      'domainId',
    );
    expect(await stranger.mutate('domain.update', { domainId: own, host: 'b.wild.test' })).toMatchObject({
      code: 'CONFLICT',
      fields: ['host'],
    });
    expect(
      await owner.mutate('domain.create', { host: 'own.wild.test', path: '/x', applicationId }),
    ).toMatchObject({ host: 'own.wild.test' });
    await withServer(world, 'far', '203.0.113.9');
    await createStores(database).applications.update({ applicationId }, { serverId: 'far' });
    expect(await owner.mutate('domain.create', { ...input, applicationId })).toMatchObject({
      host: input.host,
    });
    // Another server's proxy is not this one's.
    expect(scene.routes.at(-1)).toEqual(['shop.example.com/']);
    expect(scene.routes.at(-2)?.toSorted()).toEqual([
      '*.wild.test/',
      'a.b.wild.test/',
      'own.wild.test/x',
      'shop.example.com/',
    ]);
  });

  it('follow the documented rules, each named by its field', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    const faults: [string, object][] = [
      ['host', { host: ' shop.test' }],
      ['host', { host: '' }],
      ['host', { host: 'https://a.test' }],
      ['host', { host: `${'a'.repeat(64)}.test` }],
      ...refusedHosts.map((host): [string, object] => ['host', { host }]),
      ['port', { port: 0 }],
      ['port', { port: 65_536 }],
      ['path', { path: 'x' }],
      ['path', { path: '/{x}' }],
      ['path', { path: '/../x' }],
      ['internalPath', { internalPath: 'x' }],
      ['stripPath', { stripPath: true }],
      ['certificateType', { https: true }],
      ['customCertResolver', { https: true, certificateType: 'custom' }],
      ['customCertResolver', { https: true, certificateType: 'custom', customCertResolver: 'unknown' }],
      ['certificateType', { host: '*.shop.test', https: true, certificateType: 'acme' }],
      ['hstsMaxAge', { hstsMaxAge: 60 }],
      ['hstsMaxAge', { hstsMaxAge: -1, https: true, certificateType: 'none' }],
      ['requestHeaders', { requestHeaders: { 'X A': 'b' } }],
      ['requestHeaders', { requestHeaders: { 'X-A': '{env.HOME}' } }],
      ['maxBodyBytes', { maxBodyBytes: 0 }],
      ['path', { path: '/100%' }],
      ['internalPath', { internalPath: '/a%2Fb' }],
      ['allowedAddresses', { allowedAddresses: ['10.0.0'] }],
      ['deniedAddresses', { deniedAddresses: ['a.test'] }],
      ['errorPages', { errorPages: { '200': 'x' } }],
      ['maintenancePage', { maintenancePage: 'a'.repeat(32_769) }],
      ['responseHeaders', { responseHeaders: { 'Content-Length': '1' } }],
      ['trustedProxies', { trustedProxies: ['akamai'] }],
      ['allowedAddresses', { allowedAddresses: ['10.0.0.1'], trustedProxies: ['cloudflare'] }],
      ['certificateType', { certificateType: 'letsencrypt' }],
      ['domainType', { domainType: 'other' }],
      ['applicationId', { applicationId: undefined }],
      ['composeId', { domainType: 'compose', applicationId: undefined }],
      ['previewDeploymentId', { domainType: 'preview', applicationId: undefined }],
    ];
    for (const [field, change] of faults)
      expect(
        await owner.mutate('domain.create', { host: 'shop.test', applicationId, ...change }),
      ).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
    expect(scene.routes).toEqual([]);
    const domainId = textOf(
      await owner.mutate('domain.create', { host: 'shop.test', applicationId }),
      'domainId',
    );
    for (const [field, change] of faults.slice(0, -3))
      expect(await owner.mutate('domain.update', { domainId, host: 'shop.test', ...change })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    expect(
      await owner.mutate('domain.update', { domainId, host: 'shop.test', domainType: 'compose' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['domainType'] });
    expect(
      await owner.mutate('domain.update', {
        domainId,
        host: 'shop.test',
        https: true,
        certificateType: 'acme',
      }),
    ).toMatchObject({ https: true });
    expect(await owner.mutate('domain.update', { domainId, host: 'shop.test', port: 81 })).toMatchObject({
      https: true,
      certificateType: 'acme',
      port: 81,
    });
    const options = { hstsMaxAge: 31_536_000, requestHeaders: { 'X-Tenant': 'shop' }, maxBodyBytes: 1024 };
    const changed = await owner.mutate('domain.update', { domainId, host: 'shop.test', ...options });
    expect(changed).toMatchObject(options);
    expect(await owner.mutate('domain.update', { domainId, host: 'shop.test', https: false })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['hstsMaxAge'],
    });
    expect(
      await owner.mutate('domain.update', {
        domainId,
        host: 'shop.test',
        hstsMaxAge: null,
        requestHeaders: {},
        maxBodyBytes: null,
      }),
    ).toMatchObject({ hstsMaxAge: null, requestHeaders: {}, maxBodyBytes: null });
  });

  it('name a certificate resolver of their own organization', async () => {
    const {
      owner,
      stranger,
      database,
      people,
      place: { applicationId },
      foreign,
    } = await begin();
    await createStores(database).certificateResolvers.insert({
      certificateResolverId: 'r',
      organizationId: people.owner.organizationId,
      name: 'house',
      directoryUrl: 'https://a.test',
      email: 'a@a.test',
      rootCertificates: null,
      eabKeyId: null,
      eabHmacKey: null,
      createdAt: '2026',
    });
    const custom = { host: 'a.test', https: true, certificateType: 'custom', customCertResolver: 'house' };
    const domainId = textOf(await owner.mutate('domain.create', { ...custom, applicationId }), 'domainId');
    expect(
      await stranger.mutate('domain.create', {
        ...custom,
        host: 'b.test',
        applicationId: foreign.applicationId,
      }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['customCertResolver'] });
    expect(
      await owner.mutate('domain.update', { domainId, host: 'a.test', customCertResolver: 'other' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['customCertResolver'] });
    expect(await owner.mutate('domain.update', { domainId, host: '*.a.test' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['certificateType'],
    });
  });

  it('belong to compose services and previews too', async () => {
    const world = await begin();
    const { owner, member, people, database } = world;
    const composeId = await withCompose(world, 'compose-1');
    const created = await owner.mutate('domain.create', {
      host: 'c.test',
      domainType: 'compose',
      composeId,
      serviceName: 'web',
    });
    expect(created).toEqual(
      record({ host: 'c.test', applicationId: null, composeId, serviceName: 'web', domainType: 'compose' }),
    );
    expect(await owner.query('domain.byComposeId', { composeId })).toEqual([created]);
    expect(
      await owner.mutate('domain.create', { host: 'd.test', domainType: 'compose', composeId }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['serviceName'] });
    expect(
      await owner.mutate('domain.create', {
        host: 'd.test',
        domainType: 'compose',
        composeId,
        serviceName: 'web',
        applicationId: world.place.applicationId,
      }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['applicationId'] });
    expect(
      await owner.mutate('domain.update', {
        domainId: textOf(created, 'domainId'),
        host: 'c.test',
        serviceName: null,
      }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['serviceName'] });
    const previewDeploymentId = await withPreview(world, 'preview-1');
    await withServer(world, 'far', '203.0.113.9');
    await createStores(database).applications.update(
      { applicationId: world.place.applicationId },
      { serverId: 'far' },
    );
    const preview = await owner.mutate('domain.create', {
      host: 'p.test',
      domainType: 'preview',
      previewDeploymentId,
    });
    expect(preview).toMatchObject({ previewDeploymentId, applicationId: null, domainType: 'preview' });
    expect(await createStores(database).domains.find({ host: 'p.test' })).toMatchObject({ serverKey: 'far' });
    expect(await member.query('domain.one', { domainId: textOf(preview, 'domainId') })).toMatchObject({
      code: 'FORBIDDEN',
    });
    await people.grant({ accessedServices: [world.place.applicationId, composeId] });
    expect(await member.query('domain.one', { domainId: textOf(preview, 'domainId') })).toMatchObject({
      previewDeploymentId,
      host: 'p.test',
    });
    expect(await member.query('domain.byComposeId', { composeId })).toEqual([created]);
  });
});
