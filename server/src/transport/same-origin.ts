/**
 * A cookie goes along with requests that other pages cause, those on another port of this host among them;
 * only our own may change things with it (decisions 2).
 */
import type { FastifyRequest } from 'fastify';
import { AppError } from '../domain/errors.ts';

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

function isOurs(request: FastifyRequest): boolean {
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const isOwnOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).host === request.host;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return origin === undefined || isOwnOrigin(origin);
}
