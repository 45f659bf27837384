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
  let routes: ReturnType<typeof routesOf> | undefined;
  app.addHook('onRequest', (request, _reply, done) => {
    const matched = request.is404 ? undefined : verbsOf.get(request.routeOptions.url ?? '');
    // A route of this verb was found, and it is none that takes whatever begins so.
    if (matched && !takesEveryVerb(matched)) return done();
    routes ??= routesOf(verbsOf);
    const path = request.url.replace(/\?.*$/s, '');
    const { fixed, patterns } = routes;
    const verbs = new Set([
      ...(fixed.get(path) ?? []),
      ...patterns.flatMap(({ beginning, address, verbs: own }) =>
        path.startsWith(beginning) && address.test(path) ? [...own] : [],
      ),
    ]);
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

const takesEveryVerb = (verbs: ReadonlySet<string>): boolean => everyVerb.every((verb) => verbs.has(verb));

/** Routes that do not answer every verb: those of one address by it, the others by how they begin. */
function routesOf(verbsOf: ReadonlyMap<string, ReadonlySet<string>>): {
  fixed: ReadonlyMap<string, ReadonlySet<string>>;
  patterns: { beginning: string; address: RegExp; verbs: ReadonlySet<string> }[];
} {
  const routes = [...verbsOf].filter(([, verbs]) => !takesEveryVerb(verbs));
  return {
    fixed: new Map(routes.filter(([url]) => !/[:*]/.test(url))),
    patterns: routes
      .filter(([url]) => /[:*]/.test(url))
      .map(([url, verbs]) => ({
        beginning: url.replace(/[:*].*$/, ''),
        address: addressesOf(url),
        verbs,
      })),
  };
}

/** Addresses that a route of Fastify matches: `:name` is one part of the path, `*` the rest of it. */
function addressesOf(url: string): RegExp {
  const pattern = url.replaceAll(/:[A-Za-z]+|[*]|[^A-Za-z0-9/_-]/g, (text) =>
    text === '*' ? '.*' : text.startsWith(':') ? '[^/]+' : `\\${text}`,
  );
  return new RegExp(`^${pattern}$`);
}
