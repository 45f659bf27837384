/**
 * The two cookies (decisions 2): the session, and the device that signed in before. Below https their names
 * begin with `__Host-`, so that no other host and no plain connection can set them (RFC 6265bis, 4.1.3.2);
 * without https they cannot have that protection, and a service on another port of the same host can set one.
 */
import type { FastifyRequest } from 'fastify';
import { deviceCookie, sessionCookie } from '../../domain/access/own-cookies.ts';

export interface CookieJar {
  /** The different session tokens that came, at most a handful: a planted cookie may stand beside ours. */
  sessionTokens(request: FastifyRequest): string[];
  /** What the device says of itself; it carries its own signature. */
  device(request: FastifyRequest): string | undefined;
  /** Values of Set-Cookie, in the answer to this request. */
  setSession(request: FastifyRequest, token: string, expiresAt: number): string;
  setDevice(request: FastifyRequest, value: string, expiresAt: number): string;
}

/** More cookies of one name are nobody's mistake; each costs a query. */
const tokensLimit = 4;

/** `isHttps` tells it of a request as its browser made it. */
export function cookieJar(isHttps: (request: FastifyRequest) => boolean): CookieJar {
  const named = (request: FastifyRequest, name: string): string =>
    `${isHttps(request) ? '__Host-' : ''}${name}`;
  const set = (request: FastifyRequest, name: string, value: string, expiresAt: number): string =>
    `${named(request, name)}=${value}; Path=/; HttpOnly; SameSite=Lax; ` +
    `Expires=${new Date(expiresAt).toUTCString()}${isHttps(request) ? '; Secure' : ''}`;
  return {
    sessionTokens: (request) =>
      [...new Set(valuesOf(request, named(request, sessionCookie)))].slice(0, tokensLimit),
    device: (request) => valuesOf(request, named(request, deviceCookie))[0],
    setSession: (request, token, expiresAt) => set(request, sessionCookie, token, expiresAt),
    setDevice: (request, value, expiresAt) => set(request, deviceCookie, value, expiresAt),
  };
}

function valuesOf(request: FastifyRequest, wanted: string): string[] {
  return (request.headers.cookie ?? '').split(';').flatMap((part) => {
    const [name, value] = part.trim().split('=', 2);
    return name === wanted && value ? [value] : [];
  });
}
