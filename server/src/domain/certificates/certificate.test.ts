import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeCertificate, makeChain } from '../../../../test/certificates/authority.ts';
import { cpuMs } from '../../../../test/cpu-time.ts';
import { certificateStatus, coversHost, readCertificate, servingCertificate } from './certificate.ts';

const now = Date.now();
const day = 24 * 3_600_000;
const { root, intermediate, leaf } = makeChain(['shop.test', '*.shop.test', '192.0.2.7'], {
  notBefore: new Date('2026-01-01T00:00:00Z'),
  notAfter: new Date(Math.floor(now / 1000) * 1000 + 90 * day),
});
const chain = leaf.pem + intermediate.pem + root.pem;
const plain = (pem: string): string => new X509Certificate(pem).toString().trim();

function fault(change: Partial<Parameters<typeof readCertificate>[0]>): { reason: string; message: string } {
  try {
    readCertificate({ certificateData: chain, privateKey: leaf.key, ...change }, now);
  } catch (error) {
    if (error instanceof Error && 'reason' in error)
      return { reason: String(error.reason), message: error.message };
    throw error;
  }
  return { reason: 'none', message: '' };
}

test('a good upload gives its facts', () => {
  expect(readCertificate({ certificateData: chain, privateKey: leaf.key }, now)).toEqual({
    certificateData: [leaf, intermediate, root].map(({ pem }) => plain(pem)).join('\n'),
    notBefore: '2026-01-01T00:00:00.000Z',
    expirationDate: new Date(Math.floor(now / 1000) * 1000 + 90 * day).toISOString(),
    commonName: 'shop.test',
    subjectAlternativeNames: ['shop.test', '*.shop.test', '192.0.2.7'],
    issuer: 'CN=Test Intermediate',
  });
});

describe('the chain', () => {
  const whole = [leaf, intermediate, root].map(({ pem }) => plain(pem)).join('\n');
  test.each<[string, string, string | undefined, string]>([
    ['may be absent', leaf.pem, undefined, plain(leaf.pem)],
    [
      'may end before the root',
      leaf.pem + intermediate.pem,
      undefined,
      `${plain(leaf.pem)}\n${plain(intermediate.pem)}`,
    ],
    ['may stand in its own field', leaf.pem, intermediate.pem + root.pem, whole],
    ['may be given twice', chain, leaf.pem + intermediate.pem, whole],
    [
      'may have text between its blocks and Windows line ends',
      `Bag Attributes\r\n  x: 1\r\n${leaf.pem.replaceAll('\n', '\r\n')}\r\n0 s:CN = x\r\n${intermediate.pem}`,
      root.pem,
      whole,
    ],
    ['may have an empty field of its own', chain, ' \n', whole],
  ])('%s', (_, certificateData, certificateChain, expected) => {
    expect(
      readCertificate({ certificateData, certificateChain, privateKey: leaf.key }, now).certificateData,
    ).toBe(expected);
  });

  test('in another order is refused, and the certificate that stands wrong is named', () => {
    expect(fault({ certificateData: leaf.pem + root.pem + intermediate.pem })).toMatchObject({
      reason: 'Invalid certificate',
      message: expect.stringContaining('Certificate 2 (Test Root)'),
    });
    expect(fault({ certificateData: root.pem + intermediate.pem + leaf.pem })).toMatchObject({
      reason: 'Invalid certificate',
      message: expect.stringContaining('Certificate 2 (Test Intermediate)'),
    });
  });

  test('of an authority with the same name and another key is refused', () => {
    const impostor = makeCertificate({ name: 'Test Intermediate', issuer: root });
    expect(fault({ certificateData: leaf.pem + impostor.pem })).toMatchObject({
      reason: 'Invalid certificate',
      message: expect.stringContaining('did not issue it'),
    });
  });
});

describe('what is no certificate', () => {
  test.each<[string, string]>([
    ['empty', ''],
    ['text', 'certificate'],
    ['a key', leaf.key],
    ['a key behind the certificate', leaf.pem + leaf.key],
    ['a cut off one', leaf.pem.slice(0, -40)],
    ['a changed one', leaf.pem.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA')],
    ['one inside another', leaf.pem.replace('\n', `\n${intermediate.pem}`)],
    ['another kind', leaf.pem.replaceAll('CERTIFICATE', 'X509 CRL')],
    ['a made-up kind', leaf.pem.replaceAll('CERTIFICATE', '<b>')],
    ['no content', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----'],
  ])('%s', (_, certificateData) => {
    expect(fault({ certificateData }).reason).toBe('Invalid certificate');
    // An empty chain is none.
    expect(fault({ certificateChain: certificateData || 'nothing' }).reason).toBe('Invalid certificate');
  });

  test('costs time in proportion to its length', () => {
    const texts = [
      '-----BEGIN CERTIFICATE-----\n'.repeat(20_000),
      '-----BEGIN '.repeat(50_000),
      leaf.pem.repeat(500),
    ];
    const tookMs = cpuMs(() => {
      for (const certificateData of texts)
        expect(fault({ certificateData }).reason).toBe('Invalid certificate');
    });
    expect(tookMs).toBeLessThan(1000);
  });
});

describe('a key that does not match', () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  test.each<[string, string]>([
    ['another one', makeCertificate({ name: 'x' }).key],
    ['of another type', other.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['none', 'nothing'],
    ['a certificate', leaf.pem],
    [
      'with a passphrase',
      other.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' }).toString(),
    ],
  ])('%s', (_, privateKey) => {
    const { reason, message } = fault({ privateKey });
    expect(reason).toBe('Key mismatch');
    expect(message).not.toContain(privateKey.slice(30, 60) || privateKey);
  });
});

describe('an expired certificate', () => {
  const past = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2021-01-31T12:00:00Z') };
  test("is refused with its day, also inside the chain; a root is the client's own business", () => {
    const old = makeChain(['old.test'], past);
    expect(fault({ certificateData: old.leaf.pem, privateKey: old.leaf.key })).toEqual({
      reason: 'Certificate expired',
      message: 'Certificate 1 (old.test) expired on 2021-01-31. Upload a renewed one.',
    });
    const oldIntermediate = makeCertificate({ name: 'Old', issuer: root, ...past });
    const fresh = makeCertificate({ name: 'fresh.test', issuer: oldIntermediate });
    expect(fault({ certificateData: fresh.pem + oldIntermediate.pem, privateKey: fresh.key })).toMatchObject({
      reason: 'Certificate expired',
      message: expect.stringContaining('Certificate 2 (Old)'),
    });
    const oldRoot = makeCertificate({ name: 'Old Root', ...past });
    const below = makeCertificate({ name: 'below.test', issuer: oldRoot });
    expect(fault({ certificateData: below.pem + oldRoot.pem, privateKey: below.key }).reason).toBe('none');
    expect(fault({ certificateData: oldRoot.pem, privateKey: oldRoot.key }).reason).toBe(
      'Certificate expired',
    );
  });
});

test('the status follows the clock', () => {
  const expirationDate = '2026-03-31T00:00:00.000Z';
  const at = (text: string): string => certificateStatus(expirationDate, Date.parse(text));
  expect([
    at('2026-02-28T23:59:59Z'),
    at('2026-03-01T00:00:00Z'),
    at('2026-03-30T23:59:59Z'),
    at('2026-03-31T00:00:00Z'),
  ]).toEqual(['valid', 'expiring soon', 'expiring soon', 'expired']);
});

test.each<[string, string, boolean]>([
  ['a.test', 'a.test', true],
  ['A.Test', 'a.test', true],
  ['a.test', 'b.a.test', false],
  ['*.a.test', 'b.a.test', true],
  ['*.a.test', 'a.test', false],
  ['*.a.test', 'c.b.a.test', false],
  ['*.a.test', '*.a.test', true],
  ['b.a.test', '*.a.test', false],
  ['*.test', '*.a.test', false],
  ['*', 'localhost', false],
  ['localhost', 'localhost', true],
  ['b*.a.test', 'b1.a.test', false],
  ['192.0.2.7', '192.0.2.7', true],
])('%s serves %s: %s', (name, host, serves) => {
  expect(coversHost([name], host)).toBe(serves);
});

test('of several certificates one serves: unexpired, of the very name, longest-lived, newest', () => {
  const certificate = (
    certificateId: string,
    name: string,
    expirationDate: string,
    createdAt = '2026-01-01',
  ): Parameters<typeof servingCertificate>[1][number] => ({
    certificateId,
    subjectAlternativeNames: [name],
    expirationDate,
    createdAt,
  });
  const all = [
    certificate('expired', 'b.a.test', '2025-01-01T00:00:00.000Z'),
    certificate('wild', '*.a.test', '2030-01-01T00:00:00.000Z'),
    certificate('older', 'b.a.test', '2027-01-01T00:00:00.000Z'),
    certificate('newer', 'b.a.test', '2027-01-01T00:00:00.000Z', '2026-02-01'),
    certificate('other', 'c.test', '2031-01-01T00:00:00.000Z'),
  ];
  const time = Date.parse('2026-06-01');
  const chosen = (among: typeof all): string | undefined =>
    servingCertificate('b.a.test', among, time)?.certificateId;
  expect([
    chosen(all),
    chosen(all.toReversed()),
    chosen(all.slice(0, 3)),
    chosen(all.slice(0, 2)),
    chosen(all.slice(0, 1)),
    chosen(all.slice(4)),
  ]).toEqual(['newer', 'newer', 'older', 'wild', 'expired', undefined]);
});
