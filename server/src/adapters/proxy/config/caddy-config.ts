import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Route } from '../../../ports/proxy.ts';
import { ownCookies } from '../../../domain/access/own-cookies.ts';
import { signIn } from '../caddy-accounts.ts';
import { withoutCookies } from './caddy-cookies.ts';
import { drainedRequest } from '../caddy-drain.ts';
import { newsLoggers, newsSocketName } from '../caddy-news.ts';
import { routed, trimmed } from './caddy-paths.ts';
import { redirectHandlers, type Origin } from './caddy-redirects.ts';
import { jsonOf, ReadyJson } from './ready-json.ts';
import { requestLogName } from './caddy-requests.ts';
import { storeFolder } from '../caddy-store.ts';
import { tlsConfiguration, type ProxyFile } from './caddy-tls.ts';
import { forBerth, leadsTo, reverseProxies } from './caddy-upstreams.ts';
import { checkRoute } from '../route-check.ts';

/** How the proxy stands in the world; the same for every route. */
export interface CaddySettings {
  /** Path of the admin socket inside the proxy's container. */
  adminSocket: string;
  /** Ports of the proxy as browsers see it, for redirects. */
  publicHttpPort: number;
  publicHttpsPort: number;
  /** Names of cookies that no service gets; Berth's own when absent. */
  keptCookies?: readonly string[] | undefined;
}

/** One JSON document for Caddy 2 (https://caddyserver.com/docs/json/) and the digest it carries. */
export interface CaddyDocument {
  /** Equal for equal routes and settings, whatever their order. */
  digest: string;
  text: string;
  /** Files that must stand beside the admin socket before the document is loaded. */
  files: ProxyFile[];
}

/** The Host that the admin socket takes; a unix socket has none of its own, and Caddy refuses others. */
export const adminOrigin = 'berth';

/** How long requests under way may go on after a change of routes or at the end. */
const gracePeriod = '10m';

/**
 * The whole configuration for these routes. Both ports are listened on from the first moment: Caddy 2.6
 * leaves the listeners of a configuration whose ports it could not all have open, and these would answer half
 * of the requests with routes that were refused (measured). So no change of routes may begin to listen.
 * Throws BAD_REQUEST for a route that would mean something else to Caddy than it says.
 */
export function caddyDocument(routes: readonly Route[], settings: CaddySettings): CaddyDocument {
  for (const route of routes) checkRoute(route);
  const [secured, plain] = [routes.filter(({ https }) => https), routes.filter(({ https }) => !https)];
  const origins = {
    plain: { scheme: 'http', port: settings.publicHttpPort },
    secure: { scheme: 'https', port: settings.publicHttpsPort },
  } as const;
  const errors = routes.some(({ maxBodyBytes }) => maxBodyBytes !== null)
    ? { errors: { routes: [tooLargeRoute] } }
    : {};
  const folder = posix.dirname(settings.adminSocket);
  const redirect = toHttps(settings);
  const tls = tlsConfiguration(secured, folder);
  const shared = { ...errors, logs: {} };
  const servers = {
    plain: serverOf(
      { ...shared, listen: [':80'] },
      settings,
      routed(routes, (route) => (route.https ? [redirect] : handlers(route, origins.plain))),
      reverseProxies(plain, { speaksHttp2: false, folder }),
    ),
    secure: serverOf(
      { ...shared, listen: [':443'], tls_connection_policies: tls.policies },
      settings,
      routed(secured, (route) => handlers(route, origins.secure)),
      reverseProxies(secured, { speaksHttp2: true, folder }),
    ),
  };
  const head = { http_port: 80, https_port: 443, grace_period: gracePeriod };
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
): ReadyJson {
  const routes = [
    everyRequest,
    drainedRequest(posix.dirname(adminSocket)),
    ...domains,
    ...withoutCookies(keptCookies, forBerth),
    ...proxies,
    unknownHostRoute,
  ];
  return new ReadyJson(jsonOf({ ...serverDefaults(server), routes }));
}

/** What a fresh proxy runs until it is given its routes. */
export function initialDocument(settings: Pick<CaddySettings, 'adminSocket'>): Record<string, unknown> {
  const starting = [
    { handle: [text(503, 'Berth is starting; please try again in a moment.\n', { 'Retry-After': ['5'] })] },
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

/** The `@id` under which the document's digest stands in it. */
export function idOf(digest: string): string {
  return `berth-${digest}`;
}

function baseDocument({ adminSocket }: Pick<CaddySettings, 'adminSocket'>) {
  return {
    admin: { listen: `unix/${adminSocket}`, origins: [adminOrigin], config: { persist: false } },
    logging: { logs: { default: { level: 'WARN' } } },
    storage: { module: 'file_system', root: `${posix.dirname(adminSocket)}/${storeFolder}` },
  };
}

/**
 * What becomes of certificates goes to a socket: it is little. Requests go to files, so that a Berth that
 * hangs never holds them up; neither headers nor who asked are written.
 */
function logs({ adminSocket }: Pick<CaddySettings, 'adminSocket'>) {
  const folder = posix.dirname(adminSocket);
  const unwritten = [
    'request>headers',
    'request>tls',
    'request>remote_ip',
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
        fields: Object.fromEntries(unwritten.map((name) => [name, { filter: 'delete' }])),
      },
    },
  };
}

const accessLogger = 'http.log.access';

/**
 * Certificates and redirects are ours to say, so Caddy's own conclusions from host names are switched off.
 */
function serverDefaults<T extends object>(server: T) {
  return { ...server, automatic_https: { disable: true }, read_header_timeout: '15s', idle_timeout: '2m' };
}

/**
 * The sign-in comes first, so that neither the service nor where its redirects lead is shown to whoever may
 * not pass.
 */
function handlers(route: Route, origin: Origin): object[] {
  return [
    ...answerHeaders(route, origin),
    ...signIn(route.accounts),
    ...redirectHandlers(route, origin),
    ...bodyLimit(route),
    ...rewrites(route),
    leadsTo(route),
  ];
}

/**
 * Browsers that were here keep to https (RFC 6797), whatever the service says. Caddy offers HTTP/3 at the
 * port that it listens on itself, which browsers see only where that is published under its own number (RFC
 * 7838).
 */
function answerHeaders({ hstsMaxAge, https }: Route, { port }: Origin) {
  if (!https) return [];
  const set = {
    ...(hstsMaxAge === null ? {} : { 'Strict-Transport-Security': [`max-age=${hstsMaxAge}`] }),
    ...(port === 443 ? {} : { 'Alt-Svc': [`h3=":${port}"; ma=2592000`] }),
  };
  return Object.keys(set).length === 0 ? [] : [{ handler: 'headers', response: { deferred: true, set } }];
}

function bodyLimit({ maxBodyBytes }: Route) {
  return maxBodyBytes === null ? [] : [{ handler: 'request_body', max_size: maxBodyBytes }];
}

/**
 * Nobody is asked for a password on an open connection: https comes first. 308 keeps method and body (RFC
 * 9110, 15.4.9).
 */
function toHttps({ publicHttpsPort }: CaddySettings): object {
  const port = publicHttpsPort === 443 ? '' : `:${publicHttpsPort}`;
  return {
    handler: 'static_response',
    status_code: 308,
    headers: { Location: [`https://{http.request.host}${port}{http.request.uri}`] },
  };
}

function rewrites({ path, stripPath, internalPath }: Route) {
  const strip =
    stripPath && trimmed(path) !== '' ? [{ handler: 'rewrite', strip_path_prefix: trimmed(path) }] : [];
  const prefix = trimmed(internalPath);
  // Unlike a rewrite of the whole address, this keeps an encoded slash as it came. `$` would begin a group's
  // name.
  return prefix === ''
    ? strip
    : [
        ...strip,
        { handler: 'rewrite', path_regexp: [{ find: '^', replace: prefix.replaceAll('$', '$$$$') }] },
      ];
}

/**
 * Headers by which services are told of the client, or of an address other than the one that was asked for:
 * nobody outside says that. The last ones are those of the others with an underscore, which CGI and what
 * descends from it cannot tell from a hyphen.
 */
const claims = [
  'Forwarded',
  'X-Forwarded-Port',
  'X-Forwarded-Server',
  'X-Original-Url',
  'X-Rewrite-Url',
  'X-Client-Ip',
  'X-Cluster-Client-Ip',
  'True-Client-Ip',
  'Cf-Connecting-Ip',
  'Fastly-Client-Ip',
  'X_*',
  'X-Forwarded_*',
  'X-Real_*',
  'True_*',
  'Cf_*',
  'X-Forwarded-Prefix',
];

/**
 * Before all others, and once for all of them: Caddy takes as long for a configuration as it has bytes
 * (measured: half with this, for 1,000 domains).
 */
const everyRequest = { handle: [{ handler: 'headers', request: { delete: claims } }] };

/** Caddy 2.6 takes a body that is cut off for a fault of the service, and would answer 502. */
const tooLargeRoute = {
  match: [{ vars_regexp: { '{http.error.message}': { pattern: 'request body too large' } } }],
  handle: [text(413, 'The body of this request is larger than this address takes.\n')],
};

const unknownHostRoute = {
  handle: [text(404, 'No application of this server answers to this host name.\n')],
};

function text(status: number, body: string, headers: Record<string, string[]> = {}) {
  return {
    handler: 'static_response',
    status_code: status,
    headers: { 'Content-Type': ['text/plain; charset=utf-8'], ...headers },
    body,
  };
}
