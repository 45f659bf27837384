import { expect, it } from 'vitest';
import { Secret } from '../domain/secrets/secret.ts';
import {
  certificatesOf,
  type CertifiedDomain,
  type CertificateSources,
  type StoredCertificate,
} from './certificates.ts';

const now = Date.parse('2026-11-20T00:00:00.000Z');
let key = 0;

function domain(asciiHost: string, change: Partial<CertifiedDomain> = {}): CertifiedDomain {
  return {
    organizationId: 'ours',
    asciiHost,
    https: true,
    certificateType: 'none',
    customCertResolver: null,
    uniqueConfigKey: (key += 1),
    ...change,
  };
}
function certificate(
  certificateId: string,
  subjectAlternativeNames: string[],
  change: Partial<StoredCertificate> = {},
): StoredCertificate {
  return {
    certificateId,
    organizationId: 'ours',
    certificateData: `chain ${certificateId}`,
    privateKey: `key ${certificateId}`,
    subjectAlternativeNames,
    expirationDate: '2027-01-01T00:00:00.000Z',
    createdAt: '2026-01-01T00:00:00.000Z',
    ...change,
  };
}
const noSettings = { acmeDirectory: null, acmeEmail: null, acmeRoots: null };

const nothing: CertificateSources = {
  certificates: [],
  resolvers: [],
  settings: noSettings,
  withheld: new Set(),
  orders: [],
  base: null,
};

/** Host → the upload's id, the directory, or the source. */
function chosen(domains: CertifiedDomain[], sources: Partial<CertificateSources>): Record<string, string> {
  const map = certificatesOf(domains, { ...nothing, ...sources }, now);
  return Object.fromEntries(
    [...map].map(([host, one]) => [
      host,
      one.source === 'uploaded'
        ? one.certificateId
        : one.source === 'acme'
          ? `acme ${one.directoryUrl}${one.isWithheld ? ', waiting' : ''}`
          : one.source,
    ]),
  );
}

it(
  'an upload serves the https hosts of its organization that it covers, a wildcard one label; the rest ' +
    'have the proxy’s own authority',
  () => {
    const certificates = [certificate('exact', ['a.test', 'www.a.test']), certificate('wild', ['*.w.test'])];
    expect(
      chosen(
        [
          domain('a.test'),
          domain('www.a.test'),
          domain('b.a.test'),
          domain('x.w.test'),
          domain('x.y.w.test'),
          domain('*.w.test'),
          domain('w.test'),
          domain('a.test', { https: false }),
        ],
        { certificates },
      ),
    ).toEqual({
      'a.test': 'exact',
      'www.a.test': 'exact',
      'b.a.test': 'internal',
      'x.w.test': 'wild',
      'x.y.w.test': 'internal',
      '*.w.test': 'wild',
      'w.test': 'internal',
    });
  },
);

it('a plain host has none', () => {
  expect(
    chosen([domain('a.test', { https: false })], { certificates: [certificate('c', ['a.test'])] }),
  ).toEqual({});
});

it('an upload of another organization serves nothing of ours', () => {
  expect(
    chosen([domain('a.test')], {
      certificates: [certificate('theirs', ['a.test'], { organizationId: 'theirs' })],
    }),
  ).toEqual({ 'a.test': 'internal' });
});

it('an upload that names another organization’s host is not given to the proxy at all', () => {
  const certificates = [certificate('greedy', ['own.test', 'A.test'], { organizationId: 'theirs' })];
  expect(
    chosen(
      [domain('own.test', { organizationId: 'theirs' }), domain('a.test', { certificateType: 'acme' })],
      { certificates },
    ),
  ).toEqual({ 'own.test': 'internal', 'a.test': 'acme null' });
  expect(chosen([domain('own.test', { organizationId: 'theirs' })], { certificates })).toEqual({
    'own.test': 'greedy',
  });
});

it('an expired upload that names a host does not stand in the way of a good wildcard', () => {
  const certificates = [
    certificate('old', ['x.w.test', 'y.test'], { expirationDate: '2026-01-02T00:00:00.000Z' }),
    certificate('wild', ['*.w.test']),
  ];
  expect(chosen([domain('x.w.test'), domain('y.test')], { certificates })).toEqual({
    'x.w.test': 'wild',
    'y.test': 'internal',
  });
});

it('acme asks the directory of the settings, custom that of the resolver of its organization', () => {
  const resolvers = [
    {
      certificateResolverId: 'r1',
      organizationId: 'theirs',
      name: 'house',
      directoryUrl: 'https://theirs.test/dir',
      email: 'x@theirs.test',
      rootCertificates: null,
      eabKeyId: null,
      eabHmacKey: null,
    },
    {
      certificateResolverId: 'r2',
      organizationId: 'ours',
      name: 'house',
      directoryUrl: 'https://ours.test/dir',
      email: 'x@ours.test',
      rootCertificates: 'PEM',
      eabKeyId: 'id',
      eabHmacKey: 'bWFj',
    },
  ];
  const settings = { acmeDirectory: 'https://acme.test/dir', acmeEmail: 'ops@a.test', acmeRoots: 'roots' };
  const map = certificatesOf(
    [
      domain('a.test', { certificateType: 'acme' }),
      domain('b.test', { certificateType: 'custom', customCertResolver: 'house' }),
      domain('c.test', { certificateType: 'custom', customCertResolver: 'gone' }),
    ],
    { ...nothing, resolvers, settings, withheld: new Set(['b.test']) },
    now,
  );
  expect(map.get('a.test')).toEqual({
    source: 'acme',
    account: null,
    directoryUrl: 'https://acme.test/dir',
    email: 'ops@a.test',
    rootCertificates: 'roots',
    eab: null,
    isWithheld: false,
  });
  expect(map.get('b.test')).toEqual({
    source: 'acme',
    account: 'r2',
    directoryUrl: 'https://ours.test/dir',
    email: 'x@ours.test',
    rootCertificates: 'PEM',
    eab: { keyId: 'id', hmacKey: expect.any(Secret) },
    isWithheld: true,
  });
  expect(map.get('c.test')).toEqual({ source: 'internal' });
});

it('of several domains with one host the oldest decides, whatever their order', () => {
  const domains = [
    domain('a.test', { certificateType: 'acme' }),
    domain('a.test', { organizationId: 'theirs' }),
    domain('a.test'),
  ];
  for (const order of [domains, domains.toReversed()])
    expect(chosen(order, { certificates: [certificate('c', ['a.test'])] })).toEqual({
      'a.test': 'acme null',
    });
});

const acmeDomain = (host: string, organizationId = 'ours'): CertifiedDomain =>
  domain(host, { certificateType: 'acme', organizationId });
const base = { domain: 'apps.test', organizationId: 'berths' };
const ofBase = { organizationId: 'berths' };

it('one certificate of the base domain serves every name directly below it, whoever has it', () => {
  const domains = [
    acmeDomain('a.apps.test'),
    acmeDomain('b.apps.test', 'theirs'),
    domain('c.apps.test', { organizationId: 'theirs' }),
    acmeDomain('d.e.apps.test'),
    acmeDomain('shop.test'),
  ];
  const certificates = [certificate('wild', ['*.apps.test'], ofBase)];
  const shared = { 'a.apps.test': 'wild', 'b.apps.test': 'wild', 'c.apps.test': 'wild' };
  const alone = { 'd.e.apps.test': 'acme null', 'shop.test': 'acme null' };
  expect(chosen(domains, { certificates, base })).toEqual({ ...shared, ...alone });
  // On another server, or of somebody else, it is nobody's; nor is one that has ended, or a single name's.
  const asked = {
    'a.apps.test': 'acme null',
    'b.apps.test': 'acme null',
    'c.apps.test': 'internal',
    ...alone,
  };
  expect(chosen(domains, { certificates })).toEqual(asked);
  for (const other of [
    certificate('wild', ['*.apps.test'], { organizationId: 'third' }),
    certificate('wild', ['*.apps.test'], { ...ofBase, expirationDate: new Date(now).toISOString() }),
    certificate('one', ['a.apps.test'], ofBase),
  ])
    expect(chosen(domains, { certificates: [other], base })).toEqual(asked);
});

it('hosts wait for the first attempt at the wildcard, and ask themselves once it has failed', () => {
  const order = { organizationId: 'berths', names: ['*.apps.test'], certificateId: null, attempts: 0 };
  const domains = [acmeDomain('a.apps.test')];
  expect(chosen(domains, { orders: [order], base })).toEqual({ 'a.apps.test': 'acme null, waiting' });
  expect(chosen(domains, { orders: [{ ...order, attempts: 1 }], base })).toEqual({
    'a.apps.test': 'acme null',
  });
  expect(chosen(domains, { orders: [{ ...order, organizationId: 'third' }], base })).toEqual({
    'a.apps.test': 'acme null',
  });
});

it('a wildcard host with acme has the certificate that its organization ordered, and asks for none', () => {
  const domains = [acmeDomain('*.w.test'), acmeDomain('a.w.test')];
  const order = { organizationId: 'ours', names: ['*.w.test'], certificateId: 'c', attempts: 0 };
  const certificates = [certificate('c', ['*.w.test']), certificate('upload', ['*.w.test'])];
  expect(chosen(domains, { certificates, orders: [order] })).toEqual({ '*.w.test': 'c', 'a.w.test': 'c' });
  expect(chosen(domains, { certificates })).toEqual({ '*.w.test': 'internal', 'a.w.test': 'acme null' });
  expect(chosen(domains, { certificates, orders: [{ ...order, organizationId: 'theirs' }] })).toEqual({
    '*.w.test': 'internal',
    'a.w.test': 'acme null',
  });
});
