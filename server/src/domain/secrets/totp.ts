/**
 * Codes of authenticator apps: TOTP (RFC 6238) over HOTP (RFC 4226) with SHA-1, six digits and 30 seconds,
 * the one combination that every app knows.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const stepMs = 30_000;
/** Steps before and after the present one that are taken, for clocks that differ (RFC 6238, 5.2). */
const tolerance = 1;

/** The code of a step; `digits` is 6 but for the test vectors of the RFC. */
export function totpCode(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

export function totpStep(timeMs: number): number {
  return Math.floor(timeMs / stepMs);
}

/** The step that the code belongs to, of those around now; undefined when it is of none. */
export function stepOfCode(secret: Buffer, code: string, nowMs: number): number | undefined {
  const now = totpStep(nowMs);
  const given = Buffer.from(code);
  for (let step = now - tolerance; step <= now + tolerance; step += 1) {
    const expected = Buffer.from(totpCode(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected)) return step;
  }
  return undefined;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, 6, without padding, as apps want it. */
export function base32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => alphabet.charAt(Number.parseInt(group.padEnd(5, '0'), 2)))
    .join('');
}

/** What an app's camera reads, once it is drawn as a QR code (the Key URI format of Google Authenticator). */
export function otpauthUrl({ secret, account }: { secret: string; account: string }): string {
  const issuer = 'Berth';
  const query = new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: '6', period: '30' });
  return `otpauth://totp/${issuer}:${encodeURIComponent(account)}?${query.toString()}`;
}
