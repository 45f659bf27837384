/** Whether a delivery was signed with a secret; compared in constant time. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Delivery } from '../delivery.ts';

/**
 * HMAC-SHA256 of the body as it came, in hexadecimal digits, in the first of these headers that is there;
 * some hosts write `sha256=` before it.
 */
export function signedByHmac(headers: readonly string[]): (delivery: Delivery, secret: string) => boolean {
  return (delivery, secret) => {
    const given = headers
      .map((name) => delivery.headers[name])
      .find((value) => value !== undefined)
      ?.replace(/^sha256=/, '');
    return (
      given !== undefined &&
      isEqual(given.toLowerCase(), createHmac('sha256', secret).update(delivery.body).digest('hex'))
    );
  };
}

/** The secret itself in a header, whose bytes are UTF-8; Node reads them as Latin-1 (RFC 9110 5.5). */
export function carriesSecret(header: string): (delivery: Delivery, secret: string) => boolean {
  return ({ headers }, secret) => {
    const given = headers[header] ?? '';
    return isEqual(Buffer.from(given, 'latin1').toString('utf8'), secret) || isEqual(given, secret);
  };
}

/** Hashes of both are of one length, whatever was given. */
function isEqual(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
