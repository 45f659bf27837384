import { beforeEach, expect, it } from 'vitest';
import { textOf, type Door } from '../../../../test/http/door.ts';
import { worlds, type World } from '../../../../test/http/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { tableStore } from '../../db/table-store.ts';
import { AppError } from '../../domain/errors.ts';
import { systemClock } from '../../ports/clock.ts';
import type { SeenRequest } from '../../ports/access-log.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Lookup } from '../../ports/name-resolver.ts';
import { router } from '../../procedure/registry.ts';
import { domainContract } from './contract.ts';
import { createDnsCheck } from './dns-check.ts';
import { createDomains } from './domain.ts';
import { domainHandlers } from './handlers.ts';
import { createDomainRequests, type DomainRequests } from './requests.ts';
import { createDomainStore, createRequestStore } from './store.ts';

const input = { host: 'Shop.Example.COM' };

/** What the names lead to, and what was asked. */
const names: Record<string, Lookup> = {
  'shop.test': { addresses: ['203.0.113.7', '2001:db8::7'], fault: undefined },
  'berth-check.wild.test': { addresses: ['203.0.113.7'], fault: undefined },
  'behind.test': { addresses: ['104.16.0.1'], fault: undefined },
  'slow.test': { addresses: [], fault: 'the resolver gave no answer in time' },
};

eachDatabase('domains', (test) => {
  const createWorld = worlds(test);
  let routes: string[][] = [];
  let refusal: AppError | undefined;
  let asked: [string, string | null][] = [];
  let prepared: string[] = [];
  let requests: DomainRequests;
  const settings = { serverIp: '203.0.113.7' as string | null, dnsResolver: '9.9.9.9' };
  beforeEach(() => {
    [routes, refusal, asked, prepared] = [[], undefined, [], []];
    settings.serverIp = '203.0.113.7';
  });
  const begin = (): Promise<World> =>
    createWorld((database) => {
      const store = createDomainStore(database);
      requests = createDomainRequests(createRequestStore(database));
      const { servers } = createStores(database);
      const dns = createDnsCheck({
        settings: async () => settings,
        names: {
          async lookUp(host, resolver) {
            asked.push([host, resolver]);
            return names[host] ?? { addresses: [], fault: undefined };
          },
        },
      });
      const changeRoutes: ChangeRoutes = (write, change) =>
        write(async () => {
          const changed = await change();
          if (refusal) throw refusal;
          routes.push((await store.routed()).map(({ asciiHost, path }) => asciiHost + path));
          return changed;
        });
      return [
        router(
          'domain',
          domainContract,
          domainHandlers(createDomains(store, systemClock), {
            clock: systemClock,
            requestsSince: requests.since,
            lastRequests: async (serviceId, domainId, count) => [
              {
                at: 0,
                domainId,
                serviceId,
                method: 'GET',
                host: 'a.test',
                path: '/',
                status: 200,
                durationMs: count,
                bytes: 1,
              },
            ],
            prepare: async (host) => void prepared.push(host),
            certificateOf: async () => ({ status: 'pending', issuer: null, expiresAt: null, error: null }),
            changeRoutes,
            dns,
            serverIp: async () => settings.serverIp,
            serverAddress: async (serverId) => (await servers.find({ serverId }))?.ipAddress ?? '',
          }),
        ),
      ];
    });
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
    uniqueConfigKey: 1,
    createdAt: expect.any(String),
    ...change,
  });

  async function withServer(
    { database, people }: World,
    serverId: string,
    ipAddress: string,
    organizationId = people.owner.organizationId,
  ): Promise<void> {
    await createStores(database).servers.insert({
      serverId,
      organizationId,
      name: serverId,
      description: null,
      ipAddress,
      port: 22,
      username: 'root',
      sshKeyId: null,
      serverType: 'deploy',
      status: 'active',
      hostKeyFingerprint: null,
      buildsConcurrency: 1,
      metricsConfig: null,
      metricsToken: null,
      createdAt: '2026-01-01',
    });
  }
  async function withCompose(
    { database, place, people, foreign }: World,
    composeId: string,
    isForeign = false,
  ): Promise<string> {
    const { environmentId } = isForeign ? foreign : place;
    const { organizationId } = isForeign ? people.stranger : people.owner;
    await tableStore(database, 'compose').insert({
      composeId,
      organizationId,
      environmentId,
      name: 'c',
      appName: composeId,
      description: '',
      serverId: null,
      composeType: 'compose',
      sourceType: 'raw',
      composeFile: '',
      composePath: '',
      env: '',
      createEnvFile: false,
      composeStatus: 'idle',
      refreshToken: composeId,
      autoDeploy: false,
      randomize: false,
      suffix: '',
      repository: null,
      owner: null,
      branch: null,
      gitHost: null,
      githubId: null,
      customGitUrl: null,
      customGitBranch: null,
      customGitSSHKeyId: null,
      customGitUsername: null,
      customGitPassword: null,
      enableSubmodules: false,
      watchPaths: [],
      triggerType: 'push',
      webhookSecret: null,
      releasedAppName: null,
      isStopped: false,
      createdAt: '2026',
      liveDeploymentId: null,
      releasedSuffix: '',
      networkIndex: null,
      mayReachServer: false,
    });
    return composeId;
  }
  async function withPreview(
    { database, place, people, foreign }: World,
    previewDeploymentId: string,
    isForeign = false,
  ): Promise<string> {
    const [{ applicationId }, { organizationId }] = isForeign
      ? [foreign, people.stranger]
      : [place, people.owner];
    await tableStore(database, 'preview_deployment').insert({
      previewDeploymentId,
      organizationId,
      applicationId,
      branch: 'feature',
      pullRequestNumber: 7,
      domain: 'p.test',
      domainId: null,
      status: 'running',
      createdAt: '2026',
      appName: 'preview-web-12-abcd',
      commit: null,
      repository: '',
      provider: 'github',
      isTrusted: true,
      liveDeploymentId: null,
      releasedAppName: null,
      isStopped: false,
      commentId: null,
      commentDigest: null,
    });
    return previewDeploymentId;
  }

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
      certificate: { status: 'pending', issuer: null, expiresAt: null, error: null },
    });
    expect(prepared).toEqual([]);
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
    expect(prepared).toEqual(['shop.example.com']);
    expect(await owner.query('domain.byApplicationId', { applicationId })).toEqual([second, created]);
    expect(await owner.query('domain.byApplicationId', { applicationId, limit: 1 })).toMatchObject({
      items: [second],
      nextCursor: textOf(second, 'domainId'),
    });
    expect(
      await owner.mutate('domain.update', { domainId, host: 'new.test', port: 8080, internalPath: null }),
    ).toEqual(record({ applicationId, host: 'new.test', port: 8080 }));
    expect(routes.at(-1)).toHaveLength(2);
    expect(routes.at(-1)).toContain('new.test/');
    expect(await owner.mutate('domain.delete', { domainId })).toMatchObject({ domainId });
    expect(routes.at(-1)).toEqual(['shop.example.com/api']);
  });

  it('are taken back when the proxy refuses them', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    refusal = new AppError('SERVICE_UNAVAILABLE', 'The proxy does not answer.');
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
    expect(routes.at(-1)?.toSorted()).toEqual([
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
      ['host', { host: 'a b' }],
      ['host', { host: 'https://a.test' }],
      ['host', { host: `${'a'.repeat(64)}.test` }],
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
    expect(routes).toEqual([]);
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
    expect(await owner.mutate('domain.update', { domainId, host: 'shop.test', ...options })).toMatchObject(
      options,
    );
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

  it('are found out in the DNS: one address must be the expected one', async () => {
    const { owner } = await begin();
    const verdict = (domain: string, serverIp?: string): Promise<unknown> =>
      owner.mutate('domain.validateDomain', { domain, serverIp });
    expect(await verdict('Shop.test')).toEqual({
      isValid: true,
      resolvedIps: ['203.0.113.7', '2001:db8::7'],
      expectedIp: '203.0.113.7',
    });
    expect(asked).toEqual([['shop.test', '9.9.9.9']]);
    expect(await verdict('shop.test', '2001:db8:0::7')).toMatchObject({ isValid: true });
    expect(await verdict('shop.test', '203.0.113.9')).toEqual({
      isValid: false,
      resolvedIps: ['203.0.113.7', '2001:db8::7'],
      expectedIp: '203.0.113.9',
      error: expect.stringContaining('leads to 203.0.113.7, 2001:db8::7 instead of 203.0.113.9'),
    });
    expect(await verdict('*.wild.test')).toMatchObject({ isValid: true });
    expect(await verdict('behind.test')).toEqual({
      isValid: true,
      resolvedIps: ['104.16.0.1'],
      expectedIp: '203.0.113.7',
      cdnProvider: 'Cloudflare',
    });
    expect(await verdict('nowhere.test')).toEqual({
      isValid: false,
      resolvedIps: [],
      expectedIp: '203.0.113.7',
      error: expect.stringContaining('no address yet'),
    });
    expect(await verdict('slow.test')).toMatchObject({
      isValid: false,
      error: expect.stringContaining('no answer in time'),
    });
    asked = [];
    expect(await verdict('203.0.113.7')).toMatchObject({ isValid: true });
    for (const [domain, field] of [
      ['a b', 'domain'],
      ['http://a.test', 'domain'],
      ['', 'domain'],
    ] as const)
      expect(await verdict(domain)).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
    expect(await verdict('shop.test', 'example.com')).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['serverIp'],
    });
    expect(asked).toEqual([]);
    settings.serverIp = null;
    expect(await verdict('shop.test')).toMatchObject({ code: 'BAD_REQUEST', fields: ['serverIp'] });
  });

  it('can be generated for this server and for another', async () => {
    const world = await begin();
    const { owner } = world;
    const generate = (change: object = {}): Promise<unknown> =>
      owner.mutate('domain.generateDomain', { appName: 'My_Shop', ...change });
    expect(await generate()).toMatch(/^my-shop-[0-9a-f]{6}-203-0-113-7\.sslip\.io$/);
    await withServer(world, 'by-ip', '198.51.100.4');
    await withServer(world, 'by-name', 'shop.test');
    await withServer(world, 'lost', 'nowhere.test');
    await withServer(world, 'foreign', '198.51.100.5', world.people.stranger.organizationId);
    expect(await generate({ serverId: 'by-ip' })).toMatch(/-198-51-100-4\.sslip\.io$/);
    expect(await generate({ serverId: 'by-name' })).toMatch(/-203-0-113-7\.sslip\.io$/);
    expect(await generate({ serverId: 'lost' })).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await generate({ serverId: 'foreign' })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await generate({ serverId: 'unknown' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await generate({ appName: 'a.b' })).toMatchObject({ code: 'BAD_REQUEST', fields: ['appName'] });
  });

  it('have their requests counted by the minute, whenever they are written', async () => {
    const {
      owner,
      place: { applicationId },
    } = await begin();
    const domainId = textOf(await owner.mutate('domain.create', { ...input, applicationId }), 'domainId');
    const minute = Date.now() - (Date.now() % 60_000);
    const seen = (at: number, status: number, durationMs: number, of = domainId): SeenRequest => ({
      at,
      domainId: of,
      serviceId: applicationId,
      method: 'GET',
      host: 'a.test',
      path: '/',
      status,
      durationMs,
      bytes: 100,
    });
    requests.add([
      seen(minute, 200, 10),
      seen(minute + 1, 200, 10),
      seen(minute + 2, 502, 1000),
      seen(minute, 200, 1, 'other'),
      seen(minute - 60_000, 404, 5),
      seen(minute - 7_200_000, 200, 1),
    ]);
    const expected = {
      domainId,
      since: expect.any(String),
      minutes: [
        {
          minute: new Date(minute - 60_000).toISOString(),
          requests: 1,
          statuses: { 404: 1 },
          p50: expect.closeTo(5, 0),
          p95: expect.closeTo(5, 0),
          p99: expect.closeTo(5, 0),
          bytes: 100,
        },
        {
          minute: new Date(minute).toISOString(),
          requests: 3,
          statuses: { 200: 2, 502: 1 },
          p50: expect.closeTo(10, 0),
          p95: expect.closeTo(1000, -2),
          p99: expect.closeTo(1000, -2),
          bytes: 300,
        },
      ],
    };
    expect(await owner.query('domain.requests', { domainId })).toEqual(expected);
    await requests.flush();
    expect(await owner.query('domain.requests', { domainId })).toEqual(expected);
    requests.add([seen(minute + 3, 200, 10)]);
    await requests.flush();
    expect(
      await owner.query('domain.requests', { domainId, since: new Date(minute + 30_000).toISOString() }),
    ).toMatchObject({ minutes: [{ requests: 4, statuses: { 200: 3, 502: 1 }, bytes: 400 }] });
    expect(await owner.query('domain.requests', { domainId, since: 'yesterday' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['since'],
    });
    expect(await owner.query('domain.accessLog', { domainId, tail: 5 })).toEqual([
      {
        at: '1970-01-01T00:00:00.000Z',
        method: 'GET',
        host: 'a.test',
        path: '/',
        status: 200,
        durationMs: 5,
        bytes: 1,
      },
    ]);
  });

  it('are closed to others; what they name is checked just so', async () => {
    const world = await begin();
    const {
      owner,
      member,
      stranger,
      nobody,
      people,
      place: { applicationId },
    } = world;
    const domainId = textOf(await owner.mutate('domain.create', { ...input, applicationId }), 'domainId');
    const calls = (
      door: Door,
      ids: { domainId: string; applicationId: string; composeId?: string },
    ): Promise<unknown>[] => [
      door.query('domain.one', ids),
      door.query('domain.requests', ids),
      door.query('domain.accessLog', ids),
      door.mutate('domain.update', { ...ids, host: 'x.test' }),
      door.mutate('domain.delete', ids),
      door.query('domain.byApplicationId', ids),
      door.mutate('domain.create', { host: 'y.test', applicationId: ids.applicationId }),
    ];
    for (const answer of await Promise.all([
      ...calls(nobody, { domainId, applicationId }),
      nobody.mutate('domain.generateDomain', { appName: 'a' }),
      nobody.mutate('domain.validateDomain', { domain: 'a.test' }),
    ]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const door of [member, stranger])
      for (const answer of await Promise.all(calls(door, { domainId, applicationId })))
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
