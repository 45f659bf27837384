/** Which routes a request is tried with, and in which order. */
import type { Route } from '../../../ports/proxy.ts';
import { ready, type ReadyJson } from './ready-json.ts';

/** The path without its last slash; empty for the root. */
export function trimmed(path: string): string {
  return path.replace(/\/+$/, '');
}

/**
 * Exact hosts before wildcards, which never match the same name twice; of one host longer paths before
 * shorter. The first that matches ends the search (`group`), and what follows all of them goes on. A request
 * is tried with one after another, so hosts come in lots that are passed over as a whole, and what is done
 * alike is written once.
 */
export function routed(routes: readonly Route[], handle: (route: Route) => object[]): object[] {
  const [wild, exact] = [
    routes.filter(({ host }) => host.startsWith('*')),
    routes.filter(({ host }) => !host.startsWith('*')),
  ];
  return [...inLots(exact, handle), ...inLots(wild, handle)];
}

/** More than 100, since Caddy searches such a list by halves. */
const lotSize = 128;

function inLots(routes: readonly Route[], handle: (route: Route) => object[]): object[] {
  const hosts = [...Map.groupBy(routes, ({ host }) => host)].toSorted(([left], [right]) =>
    compare(left, right),
  );
  const lots = Array.from({ length: Math.ceil(hosts.length / lotSize) }, (_, index) =>
    hosts.slice(index * lotSize, (index + 1) * lotSize),
  );
  return lots.flatMap((lot) => {
    const inside = alike(
      lot.flatMap(([, own]) => own),
      handle,
    );
    if (lots.length === 1 || inside.length === 1) return inside;
    const match = ready([{ host: lot.map(([host]) => host) }]);
    return [{ match, handle: [{ handler: 'subroute', routes: inside }] }];
  });
}

/** One for each path and what is done there. */
function alike(routes: readonly Route[], handle: (route: Route) => object[]): object[] {
  const same = new Map<string, { hosts: string[]; path: string; handlers: ReadyJson }>();
  for (const route of routes) {
    const handlers = ready(handle(route));
    const key = `${route.path} ${handlers.text}`;
    const present = same.get(key);
    if (present) present.hosts.push(route.host);
    else same.set(key, { hosts: [route.host], path: route.path, handlers });
  }
  return [...same]
    .toSorted(
      ([left, a], [right, b]) =>
        trimmed(b.path).length - trimmed(a.path).length || compare(a.path, b.path) || compare(left, right),
    )
    .map(([, { hosts, path, handlers }]) => ({
      group: 'domain',
      match: ready([matcher(hosts, path)]),
      handle: handlers,
    }));
}

/** `/api` is that path and what lies below it, not `/apix`. */
function matcher(host: string[], path: string) {
  const prefix = trimmed(path);
  return prefix === '' ? { host } : { host, path: [prefix, `${prefix}/*`] };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
