import { noDomainRules } from './route-rules.ts';
import { expect, it } from 'vitest';
import type { DomainRecord } from '../../db/tables.ts';
import type { Issuance } from '../issuance/issuance.ts';
import { certificateState, type CertificateSight, type CertificateState } from './certificate-state.ts';

const now = Date.parse('2026-11-21T00:00:00.000Z');
const dayMs = 24 * 3_600_000;
const day = (count: number): string => new Date(now + count * dayMs).toISOString();
const domain: DomainRecord = {
  domainId: 'd1',
  organizationId: 'o1',
  host: 'Shop.test',
  asciiHost: 'shop.test',
  path: '/',
  port: 3000,
  ownPort: 3000,
  https: true,
  certificateType: 'acme',
  customCertResolver: null,
  applicationId: 'a1',
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
  uniqueConfigKey: 1,
  serverKey: 'local',
  createdAt: '2026',
};
type Issued = NonNullable<Awaited<ReturnType<Issuance['of']>>>;
const issued: Issued = {
  host: 'shop.test',
  authority: 'acme.test-dir',
  status: 'issued',
  issuer: 'CN=R1',
  expiresAt: now + 60 * dayMs,
  warnAt: now + 45 * dayMs,
  error: null,
  attempts: 0,
  nextAt: 0,
  changedAt: '2026',
};

interface Known {
  change?: Partial<DomainRecord>;
  record?: Partial<Issued>;
  upload?: { issuer: string; expirationDate: string };
  byDns?: Awaited<ReturnType<CertificateSight['byDns']>>;
}

function stateOf({ change = {}, record, upload, byDns = {} }: Known): Promise<CertificateState> {
  const found = record && { ...issued, ...record };
  return certificateState(
    { ...domain, ...change },
    {
      issuance: { of: async () => found },
      authorityOf: async () => ({ directoryUrl: null, account: null }),
      uploadedFor: async () => upload,
      byDns: async () => byDns,
      clock: { now: () => now },
    },
  );
}

const none = { issuer: null, expiresAt: null, error: null, step: null, nextTryAt: null };

const refused = { status: 'failed', issuer: null, expiresAt: null, warnAt: null, error: 'No.' } as const;

it.each<[string, Known, object]>([
  ['is none without https', { change: { https: false }, record: {} }, { ...none, status: 'none' }],
  ['is pending until something is told', {}, { ...none, status: 'pending', step: 'order' }],
  [
    'is issued',
    { record: {} },
    { status: 'issued', issuer: 'CN=R1', expiresAt: day(60), error: null, step: 'serve', nextTryAt: null },
  ],
  [
    'tells why a renewal failed',
    { record: { error: 'Port 80 cannot be reached.' } },
    { status: 'issued', issuer: 'CN=R1', expiresAt: day(60), error: 'Port 80 cannot be reached.' },
  ],
  [
    'warns when its end nears',
    { record: { expiresAt: now + 10 * dayMs, warnAt: now } },
    {
      status: 'issued',
      expiresAt: day(10),
      error:
        `The certificate of Shop.test ends at ${day(10)} and has not been renewed yet. The authority is ` +
        'asked again automatically; check that the proxy can reach it.',
    },
  ],
  [
    'warns with the reason',
    { record: { expiresAt: now + 10 * dayMs, warnAt: now - 1, error: 'Port 80 cannot be reached.' } },
    {
      error:
        `The certificate of Shop.test ends at ${day(10)} and has not been renewed yet. Port 80 cannot ` +
        'be reached.',
    },
  ],
  [
    'says that it has ended',
    { record: { expiresAt: now, warnAt: now - dayMs } },
    { status: 'failed', error: expect.stringContaining(`The certificate of Shop.test ended at ${day(0)}.`) },
  ],
  [
    'has failed with the reason',
    { record: { ...refused, nextAt: now + dayMs } },
    { ...none, status: 'failed', error: 'No.', step: 'order', nextTryAt: day(1) },
  ],
  [
    'is not asked for while no authority would find the host',
    { record: { ...refused, authority: '', nextAt: now + dayMs } },
    { ...none, status: 'failed', error: 'No.', step: 'find', nextTryAt: day(1) },
  ],
  [
    'is the one that Berth has by DNS, whatever an authority said of the host',
    {
      record: refused,
      byDns: { certificate: { issuer: 'CN=Wild', expirationDate: day(60) } },
    },
    { ...none, status: 'issued', issuer: 'CN=Wild', expiresAt: day(60), step: 'serve' },
  ],
  [
    'tells why the renewal by DNS failed',
    {
      byDns: {
        certificate: { issuer: 'CN=Wild', expirationDate: day(10) },
        order: { status: 'failed', error: 'The token is wrong.', nextAt: now + dayMs },
      },
    },
    { status: 'issued', expiresAt: day(10), error: 'The token is wrong.' },
  ],
  [
    'is pending while Berth asks by DNS',
    { byDns: { order: { status: 'waiting', error: null, nextAt: now } } },
    { ...none, status: 'pending', step: 'order' },
  ],
  [
    'of a wildcard has failed with its order',
    {
      change: { asciiHost: '*.shop.test' },
      byDns: { order: { status: 'failed', error: 'The token is wrong.', nextAt: now + dayMs } },
    },
    { ...none, status: 'failed', step: 'order', error: 'The token is wrong.', nextTryAt: day(1) },
  ],
  [
    'of a wildcard without an order says what to do',
    { change: { asciiHost: '*.shop.test', host: '*.shop.test' } },
    { status: 'failed', error: expect.stringContaining('dnsProvider.create') },
  ],
  [
    'is asked by the host itself once the wildcard failed',
    { byDns: { order: { status: 'failed', error: 'No.', nextAt: now + dayMs } }, record: {} },
    { status: 'issued', issuer: 'CN=R1' },
  ],
  [
    'is an upload’s',
    { change: { certificateType: 'none' }, upload: { issuer: 'CN=Own', expirationDate: day(1) } },
    { status: 'issued', issuer: 'CN=Own', expiresAt: day(1), error: null, step: 'serve', nextTryAt: null },
  ],
  [
    'tells of an upload that has ended',
    { change: { certificateType: 'none' }, upload: { issuer: 'CN=Own', expirationDate: day(0) } },
    {
      status: 'failed',
      expiresAt: day(0),
      error: expect.stringContaining('Upload a renewed one with certificate.create.'),
    },
  ],
  [
    'is the server’s own without an upload',
    { change: { certificateType: 'none' } },
    { ...none, status: 'none', error: expect.stringContaining('No uploaded certificate covers Shop.test.') },
  ],
])('the certificate of a domain %s', async (_, known, expected) => {
  expect(await stateOf(known)).toMatchObject(expected);
});
