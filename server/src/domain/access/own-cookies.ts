/** Berth's own cookies: the session, and the device that signed in before. Nobody else is to see them. */

export const sessionCookie = 'berth_session';
export const deviceCookie = 'berth_device';

export const ownCookies: readonly string[] = [sessionCookie, deviceCookie];

/** Put before the name by https (RFC 6265bis, 4.1.3); `__Secure-` is not ours, but nobody else's either. */
const prefixes = '(?:__Host-|__Secure-)?';

/**
 * A regular expression (RE2, https://github.com/google/re2/wiki/Syntax, and JavaScript's) that matches each
 * of these cookies in a Cookie header, with the `;` before it: what is left without them is the others as
 * they came, but for a `;` at the beginning.
 */
export function cookiePattern(names: readonly string[]): string {
  return `(^|;)\\s*${prefixes}(?:${names.join('|')})\\s*=[^;]*`;
}
