import { noRules } from '../../../ports/proxy.ts';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../domain/secrets/secret.ts';
import type { AcmeCertificate, Route, RouteCertificate } from '../../../ports/proxy.ts';
import { caddyDocument } from './caddy-config.ts';
import { tlsConfiguration } from './caddy-tls.ts';

const internal: RouteCertificate = { source: 'internal' };
const uploaded = (certificateId: string): RouteCertificate => ({
  source: 'uploaded',
  certificateId,
  chain: `chain of ${certificateId}`,
  privateKey: new Secret(`key of ${certificateId}`),
});
const acme = (change: Partial<AcmeCertificate> = {}): RouteCertificate => ({
  source: 'acme',
  account: null,
  directoryUrl: null,
  email: null,
  rootCertificates: null,
  eab: null,
  isWithheld: false,
  ...change,
});

const route = (host: string, certificate: RouteCertificate, path = '/'): Route => ({
  id: host + path,
  serviceId: 's1',
  host,
  path,
  internalPath: '/',
  stripPath: false,
  https: true,
  certificate,
  service: 'web',
  port: 3000,
  accounts: [],
  redirects: [],
  hstsMaxAge: null,
  requestHeaders: {},
  maxBodyBytes: null,
  ...noRules,
});
const configured = (...routes: Route[]) => tlsConfiguration(routes, '/run/berth-proxy');

it('without https there is nothing', () => {
  expect(configured()).toEqual({ apps: {}, policies: [{}], files: [] });
});

it('hosts that no other policy names are asked about, while a route admits some', () => {
  const admits = { ...acme(), source: 'acme' as const, account: null, directoryUrl: 'https://a.test/dir' };
  const asking: Route = { ...route('app.test', acme()), admits: admits as AcmeCertificate };
  const { apps } = configured(asking, route('in.test', internal));
  expect(apps).toMatchObject({
    tls: {
      automation: {
        policies: [
          { subjects: ['app.test'] },
          { subjects: ['in.test'] },
          { on_demand: true, issuers: [{ module: 'acme', ca: 'https://a.test/dir' }] },
        ],
        on_demand: { permission: { module: 'http', endpoint: 'http://127.0.0.1:2020/allowed' } },
      },
    },
  });
  const settings = { adminSocket: '/run/p/admin.sock', publicHttpPort: 80, publicHttpsPort: 443 };
  const servers = (...routes: Route[]): object =>
    Object(JSON.parse(caddyDocument(routes, settings).text)).apps.http.servers;
  expect(servers(asking)).toHaveProperty('ask.listen', ['127.0.0.1:2020']);
  expect(servers(route('in.test', internal))).not.toHaveProperty('ask');
});

it('the proxy’s own authority serves what has no other source', () => {
  expect(
    configured(route('b.test', internal), route('a.test', internal), route('a.test', internal, '/x')),
  ).toEqual({
    apps: {
      tls: {
        certificates: { automate: ['a.test', 'b.test'] },
        automation: { policies: [{ subjects: ['a.test', 'b.test'], issuers: [{ module: 'internal' }] }] },
      },
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
    policies: [{}],
    files: [],
  });
});

it('uploads are loaded once each, serve their own hosts by name, and are not asked for anywhere', () => {
  const { apps, policies } = configured(
    route('a.test', uploaded('c1')),
    route('b.test', uploaded('c1')),
    route('*.w.test', uploaded('c2')),
    route('c.test', internal),
  );
  expect(apps).toMatchObject({
    tls: {
      certificates: {
        load_pem: [
          { certificate: 'chain of c2', key: 'key of c2', tags: ['c2'] },
          { certificate: 'chain of c1', key: 'key of c1', tags: ['c1'] },
        ],
        automate: ['c.test'],
      },
      automation: { policies: [{ subjects: ['c.test'], issuers: [{ module: 'internal' }] }] },
    },
  });
  expect(policies).toEqual([
    { match: { sni: ['a.test', 'b.test'] }, certificate_selection: { any_tag: ['c1'] } },
    { match: { sni: ['*.w.test'] }, certificate_selection: { any_tag: ['c2'] } },
    {},
  ]);
});

it('a host of another source below an uploaded wildcard keeps its own certificate', () => {
  expect(
    configured(route('*.w.test', uploaded('c')), route('x.w.test', acme()), route('y.test', internal))
      .policies,
  ).toEqual([
    { match: { sni: ['x.w.test'] } },
    { match: { sni: ['*.w.test'] }, certificate_selection: { any_tag: ['c'] } },
    {},
  ]);
});

describe('an ACME authority', () => {
  const policies = (...routes: Route[]): unknown =>
    (configured(...routes).apps as { tls: { automation: { policies: unknown } } }).tls.automation.policies;

  it('is the proxy’s own without a directory, and never the internal one', () => {
    expect(policies(route('a.test', acme()))).toEqual([
      { subjects: ['a.test'], issuers: [{ module: 'acme' }] },
    ]);
  });

  it('has directory, contact, account binding without padding, and roots as a file', () => {
    const certificate = acme({
      directoryUrl: 'https://acme.test/dir',
      email: 'ops@a.test',
      rootCertificates: 'PEM',
      eab: { keyId: 'id', hmacKey: new Secret('bWFjLWtleQ==') },
    });
    const { files } = configured(route('a.test', certificate), route('b.test', certificate));
    expect(files).toEqual([
      { name: expect.stringMatching(/^acme-roots-[0-9a-f]{16}\.pem$/), content: 'PEM' },
    ]);
    expect(policies(route('a.test', certificate), route('b.test', certificate))).toEqual([
      {
        subjects: ['a.test', 'b.test'],
        issuers: [
          {
            module: 'acme',
            ca: 'https://acme.test/dir',
            email: 'ops@a.test',
            external_account: { key_id: 'id', mac_key: 'bWFjLWtleQ' },
            trusted_roots_pem_files: [`/run/berth-proxy/${files[0]?.name}`],
          },
        ],
      },
    ]);
  });

  it('has one policy for all its hosts, the proxy’s own authority comes last', () => {
    expect(
      policies(
        route('a.test', internal),
        route('b.test', acme({ email: 'x@b.test' })),
        route('c.test', acme()),
        route('d.test', acme({ email: 'x@b.test' })),
      ),
    ).toEqual([
      { subjects: ['b.test', 'd.test'], issuers: [{ module: 'acme', email: 'x@b.test' }] },
      { subjects: ['c.test'], issuers: [{ module: 'acme' }] },
      { subjects: ['a.test'], issuers: [{ module: 'internal' }] },
    ]);
  });

  it('has a store for each account, so that one directory and e-mail are as many accounts', () => {
    const known = { directoryUrl: 'https://acme.test/dir', email: 'ops@a.test' };
    const issuers = [{ module: 'acme', ca: known.directoryUrl, email: known.email }];
    const stored = (account: string) => ({
      storage: { module: 'file_system', root: `/run/berth-proxy/store/accounts/${account}` },
    });
    expect(
      policies(
        route('a.test', acme(known)),
        route('b.test', acme({ ...known, account: 'ours' })),
        route('c.test', acme({ ...known, account: 'theirs' })),
        route('d.test', acme({ ...known, account: 'ours' })),
      ),
    ).toEqual([
      { subjects: ['b.test', 'd.test'], issuers, ...stored('ours') },
      { subjects: ['c.test'], issuers, ...stored('theirs') },
      { subjects: ['a.test'], issuers },
    ]);
    for (const account of ['..', 'a/b', '{env.HOME}'])
      expect(() =>
        caddyDocument([route('a.test', acme({ account }))], {
          adminSocket: '/run/a.sock',
          publicHttpPort: 80,
          publicHttpsPort: 443,
        }),
      ).toThrow('certificate authority');
  });

  it('is refused with placeholders in its settings', () => {
    for (const certificate of [
      acme({ directoryUrl: 'https://a.test/{env.HOME}' }),
      acme({ email: '{env.HOME}@a.test' }),
      acme({ eab: { keyId: '{env.HOME}', hmacKey: new Secret('x') } }),
    ]) {
      expect(() =>
        caddyDocument([route('a.test', certificate)], {
          adminSocket: '/run/a.sock',
          publicHttpPort: 80,
          publicHttpsPort: 443,
        }),
      ).toThrow('certificate authority');
    }
  });
});

it('the digest follows the key of an upload, and nothing prints it', () => {
  const settings = { adminSocket: '/run/a.sock', publicHttpPort: 80, publicHttpsPort: 443 };
  const other: RouteCertificate = {
    source: 'uploaded',
    certificateId: 'c',
    chain: 'chain of c',
    privateKey: new Secret('another key'),
  };
  expect(caddyDocument([route('a.test', uploaded('c'))], settings).digest).not.toBe(
    caddyDocument([route('a.test', other)], settings).digest,
  );
  expect(JSON.stringify(route('a.test', other))).not.toContain('another key');
});

it('an authority that is not to be asked now is not named', () => {
  const { apps } = configured(route('a.test', acme()), route('b.test', acme({ isWithheld: true })));
  expect(apps).toMatchObject({
    tls: { certificates: { automate: ['a.test'] }, automation: { policies: [{ subjects: ['a.test'] }] } },
  });
});
