/**
 * The two cookies (decisions 2): the session, and the device that signed in before. Below https their names
 * begin with `__Host-`, so that no other host and no plain connection can set them (RFC 6265bis, 4.1.3.2);
 * without https they cannot have that protection, and a service on another port of the same host can set one.
 */
import type { FastifyRequest } from 'fastify';

export const plainSessionCookie = 'berth_session';

export interface CookieJar {
  /** The different session tokens that came, at most a handful: a planted cookie may stand beside ours. */
  sessionTokens(request: FastifyRequest): string[];
  /** What the device says of itself; it carries its own signature. */
  device(request: FastifyRequest): string | undefined;
  /** Values of Set-Cookie. */
  setSession(token: string, expiresAt: number): string;
  setDevice(value: string, expiresAt: number): string;
}

/** More cookies of one name are nobody's mistake; each costs a query. */
const tokensLimit = 4;

export function cookieJar(isHttps: boolean): CookieJar {
  const prefix = isHttps ? '__Host-' : '';
  const names = { session: `${prefix}${plainSessionCookie}`, device: `${prefix}berth_device` };
  const set = (name: string, value: string, expiresAt: number): string =>
    `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; ` +
    `Expires=${new Date(expiresAt).toUTCString()}${isHttps ? '; Secure' : ''}`;
  return {
    sessionTokens: (request) => [...new Set(valuesOf(request, names.session))].slice(0, tokensLimit),
    device: (request) => valuesOf(request, names.device)[0],
    setSession: (token, expiresAt) => set(names.session, token, expiresAt),
    setDevice: (value, expiresAt) => set(names.device, value, expiresAt),
  };
}

function valuesOf(request: FastifyRequest, wanted: string): string[] {
  return (request.headers.cookie ?? '').split(';').flatMap((part) => {
    const [name, value] = part.trim().split('=', 2);
    return name === wanted && value ? [value] : [];
  });
}
