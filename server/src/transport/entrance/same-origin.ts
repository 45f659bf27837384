/**
 * A cookie goes along with requests that other pages cause, those on another port of this host among them;
 * only our own may change things with it (decisions 2).
 */
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';

/**
 * Throws FORBIDDEN when a browser says that the request comes from elsewhere. With neither header it is a
 * program's: no browser sends neither with a POST, and nothing that changes anything is a GET.
 */
export function requireSameOrigin(request: FastifyRequest): void {
  if (isOurs(request)) return;
  throw new AppError(
    'FORBIDDEN',
    'A browser sent this change from a page of another address, and only pages of this address may change ' +
      'things with a session cookie. Programs should send an API key in x-api-key.',
  );
}

/**
 * Throws FORBIDDEN for a WebSocket that a page of another address opens: a browser sends the cookie along,
 * and always tells the origin.
 */
export function requireOwnOrigin(request: FastifyRequest): void {
  const { origin } = request.headers;
  if (isOurs(request) && (origin === undefined || isOwnOrigin(request, origin))) return;
  throw new AppError(
    'FORBIDDEN',
    'A page of another address tried to open a terminal here; only pages of this address may. Programs ' +
      'should send an API key in x-api-key and no Origin.',
  );
}

function isOurs(request: FastifyRequest): boolean {
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return origin === undefined || isOwnOrigin(request, origin);
}

function isOwnOrigin(request: FastifyRequest, origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === request.host;
}
