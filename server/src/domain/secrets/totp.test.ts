import { describe, expect, it } from 'vitest';
import { base32, otpauthUrl, stepOfCode, totpCode, totpStep } from './totp.ts';

/** RFC 6238, Appendix B: the secret of the SHA-1 rows, and times in seconds with their codes. */
const rfcSecret = Buffer.from('12345678901234567890');
const rfcCodes = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
] as const;

describe('codes of authenticator apps', () => {
  it.each(rfcCodes)('are those of RFC 6238 at %i s', (seconds, code) => {
    expect(totpCode(rfcSecret, totpStep(seconds * 1000), 8)).toBe(code);
  });

  it('are those of RFC 4226 for the first counters', () => {
    expect(Array.from({ length: 10 }, (_, count) => totpCode(rfcSecret, count))).toEqual([
      '755224',
      '287082',
      '359152',
      '969429',
      '338314',
      '254676',
      '287922',
      '162583',
      '399871',
      '520489',
    ]);
  });

  it('are taken a step early or late, and no further', () => {
    const now = 1_111_111_111_000;
    const step = totpStep(now);
    for (const near of [-1, 0, 1])
      expect(stepOfCode(rfcSecret, totpCode(rfcSecret, step + near), now)).toBe(step + near);
    for (const far of [-2, 2])
      expect(stepOfCode(rfcSecret, totpCode(rfcSecret, step + far), now)).toBeUndefined();
    for (const wrong of ['', '12345', '1234567', 'abcdef'])
      expect(stepOfCode(rfcSecret, wrong, now)).toBeUndefined();
  });

  it('have a secret in base32 (RFC 4648, 10) and an address for the camera', () => {
    for (const [plain, encoded] of [
      ['', ''],
      ['f', 'MY'],
      ['fo', 'MZXQ'],
      ['foo', 'MZXW6'],
      ['foob', 'MZXW6YQ'],
      ['fooba', 'MZXW6YTB'],
      ['foobar', 'MZXW6YTBOI'],
    ] as const)
      expect(base32(Buffer.from(plain))).toBe(encoded);
    expect(otpauthUrl({ secret: 'MZXW6YTB', account: 'ann+x@example.com' })).toBe(
      'otpauth://totp/Berth:ann%2Bx%40example.com?secret=MZXW6YTB&issuer=Berth&algorithm=SHA1&digits=6&period=30',
    );
  });
});
