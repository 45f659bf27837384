/**
 * Addresses that are no procedures: another verb than theirs is 405 with `Allow` (RFC 9110, 15.5.6), as for
 * procedures.
 */
import type { FastifyInstance } from 'fastify';
import { AppError } from '../domain/errors.ts';

/** Routes with these answer for themselves: the verb depends on the procedure that the address names. */
export const everyVerb = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Has to be called before the routes are added. */
export function refuseWrongVerbs(app: FastifyInstance): void {
  const verbsOf = new Map<string, Set<string>>();
  // Fastify adds HEAD to a route with GET as a route of its own.
  app.addHook('onRoute', ({ url, method }) => {
    verbsOf.set(url, new Set([...(verbsOf.get(url) ?? []), ...[method].flat()]));
  });
  let routes: { address: RegExp; verbs: ReadonlySet<string> }[] | undefined;
  app.addHook('onRequest', (request, _reply, done) => {
    routes ??= [...verbsOf]
      .filter(([, verbs]) => !everyVerb.every((verb) => verbs.has(verb)))
      .map(([url, verbs]) => ({ address: addressesOf(url), verbs }));
    const path = request.url.replace(/\?.*$/s, '');
    const verbs = new Set(routes.flatMap((one) => (one.address.test(path) ? [...one.verbs] : [])));
    if (verbs.size === 0 || verbs.has(request.method)) return done();
    const named = [...verbs].filter((verb) => verb !== 'HEAD');
    done(
      new AppError(
        'METHOD_NOT_SUPPORTED',
        `${path.slice(0, 200)} is called with ${named.join(' or ')}, not ${request.method}.`,
        { headers: { allow: [...verbs].join(', ') } },
      ),
    );
  });
}

/** Addresses that a route of Fastify matches: `:name` is one part of the path, `*` the rest of it. */
function addressesOf(url: string): RegExp {
  const pattern = url.replaceAll(/:[A-Za-z]+|[*]|[^A-Za-z0-9/_-]/g, (text) =>
    text === '*' ? '.*' : text.startsWith(':') ? '[^/]+' : `\\${text}`,
  );
  return new RegExp(`^${pattern}$`);
}
