/** Routes as one JSON document for Caddy 2: two servers, their logs, certificates and the admin socket. */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Route } from '../../../ports/proxy.ts';
import { encodedPath } from '../../../domain/routing/route-path.ts';
import { ownCookies } from '../../../domain/access/own-cookies.ts';
import { signIn } from '../caddy-accounts.ts';
import { askServer, onceMoreRoute } from '../caddy-ask.ts';
import { withoutCookies } from './caddy-cookies.ts';
import { drainedRequest } from '../caddy-drain.ts';
import { newsLoggers, newsSocketName } from '../caddy-news.ts';
import { routed, trimmed } from './caddy-paths.ts';
import { redirectHandlers, type Origin } from './caddy-redirects.ts';
import { jsonOf, ReadyJson } from './ready-json.ts';
import { requestLogName } from './caddy-requests.ts';
import { compressed, errorRoutes, gate, plainText } from './caddy-rules.ts';
import { storeFolder } from '../caddy-store.ts';
import { cameByHttps, followedProxies, withoutForwardingHeaders } from './caddy-trust.ts';
import { tlsConfiguration, type ProxyFile } from './caddy-tls.ts';
import { forBerth, leadsTo, reverseProxies } from './caddy-upstreams.ts';
import { checkRoute } from '../route-check.ts';

/** Settings of the proxy itself, the same for every route. */
export interface CaddySettings {
  /** Path of the admin socket inside the proxy's container. */
  adminSocket: string;
  /** Ports at which browsers reach the proxy, for redirects. */
  publicHttpPort: number;
  publicHttpsPort: number;
  /** Names of cookies that are never passed to a service; Berth's own by default. */
  keptCookies?: readonly string[] | undefined;
  /** False for a Caddy before 2.7, which closes WebSockets when routes change. True when absent. */
  keepsStreams?: boolean | undefined;
}

/** One JSON document for Caddy 2 (https://caddyserver.com/docs/json/) and the digest it carries. */
export interface CaddyDocument {
  /** The same for the same routes and settings, in whatever order the routes are given. */
  digest: string;
  text: string;
  /** Files that must be in the folder of the admin socket before the document is loaded. */
  files: ProxyFile[];
}

/** The Host header that the admin socket requires: a unix socket has no host name, and Caddy checks one. */
export const adminOrigin = 'berth';

/**
 * The whole configuration for these routes. It listens on both ports even without a route that needs them:
 * when Caddy 2.6 cannot open every port of a new configuration, it leaves those open that it could, and they
 * would answer half of the requests by the refused routes (measured). So a change of routes must never open
 * a port. Throws BAD_REQUEST for a route that Caddy would understand differently.
 */
export function caddyDocument(routes: readonly Route[], settings: CaddySettings): CaddyDocument {
  for (const route of routes) checkRoute(route);
  const [secured, plain] = [routes.filter(({ https }) => https), routes.filter(({ https }) => !https)];
  // Of these a trusted proxy may have taken the request over https already.
  const forwarded = secured.filter(({ trustedProxies }) => trustedProxies.length > 0);
  const origins = {
    plain: { scheme: 'http', port: settings.publicHttpPort },
    secure: { scheme: 'https', port: settings.publicHttpsPort },
  } as const;
  const ofErrors = errorRoutes(routes);
  const errors = ofErrors.length === 0 ? {} : { errors: { routes: ofErrors } };
  const folder = posix.dirname(settings.adminSocket);
  const redirect = toHttps(settings);
  const { keepsStreams = true } = settings;
  const tls = tlsConfiguration(secured, folder);
  const shared = { ...errors, ...followedProxies(routes, keepsStreams), logs: {} };
  const options = { folder, keepsStreams };
  // Hosts without a route may be allowed in the moment in which somebody opens a connection for them.
  const admits = secured.some((route) => route.admits);
  const newHosts = {
    plain: admits ? [{ handle: [redirect] }] : [],
    secure: admits ? [onceMoreRoute([...new Set(plain.map(({ host }) => host))])] : [],
  };
  const servers = {
    plain: serverOf(
      { ...shared, listen: [':80'] },
      settings,
      routed(routes, (route) =>
        !route.https
          ? handlers(route, origins.plain, settings)
          : route.trustedProxies.length === 0
            ? [redirect]
            : [unlessByHttps(route, redirect), ...handlers(route, origins.secure, settings)],
      ),
      reverseProxies([...plain, ...forwarded], { speaksHttp2: false, ...options }),
      { routes, newHosts: newHosts.plain },
    ),
    secure: serverOf(
      { ...shared, listen: [':443'], tls_connection_policies: tls.policies },
      settings,
      routed(secured, (route) => handlers(route, origins.secure, settings)),
      reverseProxies(secured, { speaksHttp2: true, ...options }),
      { routes: secured, newHosts: newHosts.secure },
    ),
    ...(admits ? { ask: askServer(folder) } : {}),
  };
  // No grace_period: newer Caddy ends the context of a limited one as soon as a reload returns, and leaves
  // connections of the former configuration open that it would close later (caddyserver/caddy#8009).
  const head = { http_port: 80, https_port: 443 };
  const base = { ...baseDocument(settings), logging: { logs: logs(settings) } };
  const digest = createHash('sha256')
    .update(JSON.stringify([base, settings, tls.apps, head]))
    .update(servers.plain.text)
    .update(servers.secure.text)
    .digest('hex')
    .slice(0, 24);
  const http = { '@id': idOf(digest), ...head, servers };
  return { digest, text: jsonOf({ ...base, apps: { ...tls.apps, http } }), files: tls.files };
}

function serverOf(
  server: object,
  { adminSocket, keptCookies = ownCookies }: CaddySettings,
  domains: readonly object[],
  proxies: readonly object[],
  { routes: shown, newHosts }: { routes: readonly Route[]; newHosts: readonly object[] },
): ReadyJson {
  const routes = [
    withoutClearTextHttp2,
    drainedRequest(posix.dirname(adminSocket)),
    ...domains,
    ...withoutForwardingHeaders(shown),
    ...withoutCookies(keptCookies, forBerth),
    ...proxies,
    ...unknownPathRoutes(shown),
    ...newHosts,
    unknownHostRoute,
  ];
  return new ReadyJson(jsonOf({ ...serverDefaults(server), routes }));
}

/** The configuration that a new proxy starts with, until it is given its routes. */
export function initialDocument(settings: Pick<CaddySettings, 'adminSocket'>): Record<string, unknown> {
  const starting = [
    {
      handle: [
        plainText(503, 'Berth is starting; please try again in a moment.\n', { 'Retry-After': ['5'] }),
      ],
    },
  ];
  const secure = { listen: [':443'], routes: starting, tls_connection_policies: [{}] };
  return {
    ...baseDocument(settings),
    apps: {
      http: {
        servers: {
          plain: serverDefaults({ listen: [':80'], routes: starting }),
          secure: serverDefaults(secure),
        },
      },
    },
  };
}

/** The `@id` that carries the digest in the document, so that a running proxy can be asked for it. */
export function idOf(digest: string): string {
  return `berth-${digest}`;
}

const accessLogger = 'http.log.access';

function baseDocument({ adminSocket }: Pick<CaddySettings, 'adminSocket'>) {
  return {
    admin: { listen: `unix/${adminSocket}`, origins: [adminOrigin], config: { persist: false } },
    logging: { logs: { default: { level: 'WARN' } } },
    storage: { module: 'file_system', root: `${posix.dirname(adminSocket)}/${storeFolder}` },
  };
}

/**
 * News of certificates go to a socket, since there are few. Requests go to a file, so that a Berth that hangs
 * never holds them up; headers and whatever identifies the client are left out.
 */
function logs({ adminSocket }: Pick<CaddySettings, 'adminSocket'>) {
  const folder = posix.dirname(adminSocket);
  const leftOut = [
    'request>headers',
    'request>tls',
    'request>remote_ip',
    'request>client_ip',
    'request>remote_port',
    'resp_headers',
    'user_id',
  ];
  return {
    default: { level: 'WARN', exclude: [accessLogger] },
    news: {
      level: 'INFO',
      include: newsLoggers,
      writer: { output: 'net', address: `unix/${folder}/${newsSocketName}` },
      encoder: { format: 'json' },
    },
    requests: {
      level: 'INFO',
      include: [accessLogger],
      writer: {
        output: 'file',
        filename: `${folder}/${requestLogName}`,
        roll_size_mb: 32,
        roll_keep: 1,
        roll_gzip: false,
      },
      encoder: {
        format: 'filter',
        wrap: { format: 'json' },
        fields: Object.fromEntries(leftOut.map((name) => [name, { filter: 'delete' }])),
      },
    },
  };
}

/** Berth decides on certificates and redirects, so Caddy must not derive its own from the host names. */
function serverDefaults<T extends object>(server: T) {
  return { ...server, automatic_https: { disable: true }, read_header_timeout: '15s', idle_timeout: '2m' };
}

/**
 * The sign-in comes before redirects and the service, so that nobody without a password learns where the
 * redirects lead.
 */
function handlers(route: Route, origin: Origin, { keepsStreams = true }: CaddySettings): object[] {
  return [
    ...answerHeaders(route, origin),
    ...gate(route, { knowsClients: keepsStreams }),
    ...signIn(route.accounts),
    ...redirectHandlers(route, origin),
    ...compressed(route),
    ...bodyLimit(route),
    ...rewrites(route),
    leadsTo(route),
  ];
}

/**
 * Our HSTS header (RFC 6797) replaces that of the service. Caddy offers HTTP/3 at the port that it listens
 * on; where browsers reach the proxy at another port, the offer has to name that one (RFC 7838).
 */
function answerHeaders({ hstsMaxAge, https, responseHeaders }: Route, { port }: Origin) {
  const given = Object.entries(responseHeaders).toSorted(([left], [right]) => (left < right ? -1 : 1));
  const set = {
    ...Object.fromEntries(given.filter(([, value]) => value !== '').map(([name, value]) => [name, [value]])),
    ...(!https || hstsMaxAge === null ? {} : { 'Strict-Transport-Security': [`max-age=${hstsMaxAge}`] }),
    ...(!https || port === 443 ? {} : { 'Alt-Svc': [`h3=":${port}"; ma=2592000`] }),
  };
  const removed = given.filter(([, value]) => value === '').map(([name]) => name);
  const response = {
    ...(Object.keys(set).length === 0 ? {} : { set }),
    ...(removed.length === 0 ? {} : { delete: removed }),
  };
  return Object.keys(response).length === 0
    ? []
    : [{ handler: 'headers', response: { deferred: true, ...response } }];
}

function bodyLimit({ maxBodyBytes }: Route) {
  return maxBodyBytes === null ? [] : [{ handler: 'request_body', max_size: maxBodyBytes }];
}

/**
 * Comes before the sign-in, so that no password crosses an unencrypted connection. 308 keeps method and body
 * (RFC 9110, 15.4.9).
 */
function toHttps({ publicHttpsPort }: CaddySettings): object {
  const port = publicHttpsPort === 443 ? '' : `:${publicHttpsPort}`;
  return {
    handler: 'static_response',
    status_code: 308,
    headers: { Location: [`https://{http.request.host}${port}{http.request.uri}`] },
  };
}

/** Before the other handlers of a route with https, at the port of http. */
const unlessByHttps = (route: Route, redirect: object): object => ({
  handler: 'subroute',
  routes: [{ match: [{ not: [cameByHttps(route)] }], handle: [redirect] }],
});

function rewrites({ path, stripPath, internalPath }: Route) {
  const strip =
    stripPath && trimmed(path) !== ''
      ? [{ handler: 'rewrite', strip_path_prefix: encodedPath(trimmed(path)) }]
      : [];
  const prefix = encodedPath(trimmed(internalPath));
  // Unlike a rewrite of the whole URI, this keeps an encoded slash. In the replacement, `$` would start a
  // reference to a group.
  return prefix === ''
    ? strip
    : [
        ...strip,
        { handler: 'rewrite', path_regexp: [{ find: '^', replace: prefix.replaceAll('$', '$$$$') }] },
      ];
}

/**
 * A service that changes to HTTP/2 in clear text would be asked for whatever follows past the proxy (RFC
 * 7540, 3.2; removed by RFC 9113).
 */
const withoutClearTextHttp2 = {
  match: [{ header_regexp: { Upgrade: { pattern: '(?i)h2c' } } }],
  handle: [{ handler: 'headers', request: { delete: ['Upgrade', 'HTTP2-Settings'] } }],
};

/** Hosts of which some paths lead nowhere: those without a domain for all paths. */
function unknownPathRoutes(routes: readonly Route[]): object[] {
  const whole = new Set(routes.filter(({ path }) => trimmed(path) === '').map(({ host }) => host));
  const host = [...new Set(routes.map((route) => route.host))].filter((name) => !whole.has(name)).toSorted();
  return host.length === 0 ? [] : [{ match: [{ host }], handle: [unknownPath] }];
}

const unknownPath = plainText(404, 'No application of this host answers to this path.\n');

const unknownHostRoute = {
  handle: [plainText(404, 'No application of this server answers to this host name.\n')],
};
