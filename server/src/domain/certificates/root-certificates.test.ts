import { expect, it } from 'vitest';
import { makeCertificate } from '../../../../test/certificates/authority.ts';
import { parseRootCertificates } from './root-certificates.ts';

it('root certificates are certificates in PEM, one or more', () => {
  const [one, two] = [makeCertificate({ name: 'One' }), makeCertificate({ name: 'Two' })];
  for (const text of [one.pem, `${one.pem}\n${two.pem}`]) expect(parseRootCertificates(text)).toBe(text);
  for (const text of [
    '',
    'text',
    one.key,
    `${one.pem}${two.key}`,
    one.pem.slice(0, 200),
    '-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----',
  ]) {
    expect(() => parseRootCertificates(text), text.slice(0, 40)).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        issues: [expect.objectContaining({ path: 'rootCertificates' })],
      }),
    );
  }
});
