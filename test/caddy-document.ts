/** Routes, and what they become in the document that Caddy gets. */
import { caddyDocument } from '../server/src/adapters/proxy/config/caddy-config.ts';
import type { CaddySettings } from '../server/src/adapters/proxy/config/caddy-config.ts';
import { noRules, type Route } from '../server/src/ports/proxy.ts';

export const settings: CaddySettings = {
  adminSocket: '/run/berth-proxy/admin.sock',
  publicHttpPort: 80,
  publicHttpsPort: 443,
};

export function route(change: Partial<Route> = {}): Route {
  return {
    id: 'd1',
    serviceId: 's1',
    host: 'a.test',
    path: '/',
    internalPath: '/',
    stripPath: false,
    https: false,
    certificate: null,
    service: 'web',
    port: 3000,
    accounts: [],
    redirects: [],
    hstsMaxAge: null,
    requestHeaders: {},
    maxBodyBytes: null,
    ...noRules,
    ...change,
  };
}

/** What the tests look at of a server in the document. */
export interface Server {
  routes: {
    group?: string;
    match?: { host: string[]; path?: string[]; vars?: Record<string, string[]> }[];
    handle: Record<string, unknown>[];
  }[];
}

export function documentOf(routes: Route[], change: Partial<CaddySettings> = {}): unknown {
  return JSON.parse(caddyDocument(routes, { ...settings, ...change }).text);
}

export function servers(routes: Route[], change: Partial<CaddySettings> = {}): Record<string, Server> {
  const { servers: all } = (
    documentOf(routes, change) as { apps: { http: { servers: Record<string, Server> } } }
  ).apps.http;
  // Without the first two routes, and those of forwarding headers and Berth's cookies, which are the same for
  // every request.
  return Object.fromEntries(
    Object.entries(all).map(([name, server]) => [
      name,
      { ...server, routes: server.routes.slice(2).filter(isNotShared) },
    ]),
  );
}

const isNotShared = ({ match, handle }: Server['routes'][number]): boolean =>
  (match?.[0] === undefined || !('header_regexp' in match[0])) &&
  !(handle[0]?.['handler'] === 'headers' && 'request' in handle[0]);

export function order(routes: Route[]): string[] {
  return (servers(routes)['plain']?.routes ?? []).map(({ match }) =>
    match === undefined
      ? 'else'
      : match[0]?.vars
        ? 'proxy'
        : `${match[0]?.host.join()}${match[0]?.path?.[0] ?? ''}`,
  );
}

export function handlers(change: Partial<Route>): Record<string, unknown>[] {
  return servers([route(change)])['plain']?.routes[0]?.handle ?? [];
}

/** The reverse proxies of a server, with what each follows. */
export function proxies(change: Partial<Route>, server = 'plain'): Record<string, unknown>[] {
  return (servers([route(change)])[server]?.routes ?? []).flatMap(({ match, handle }) =>
    match?.[0]?.vars ? [{ ...match[0], ...handle[0] }] : [],
  );
}
