/** Headers by which proxies tell of the client: removed, but from proxies that a domain trusts. */
import type { Route } from '../../../ports/proxy.ts';
import { digestOf } from './caddy-rules.ts';

const variables = { list: 'berth_trusts', isTrusted: 'berth_trusted' } as const;

/**
 * Headers that name the client, its scheme or another address than the requested one. They are removed by
 * pattern, since each framework has names of its own. Those with an underscore are here because CGI and its
 * descendants cannot tell it from a hyphen.
 */
const forwardingHeaders = [
  'Forwarded',
  'X-Forwarded*',
  'X-Original*',
  'X-Real*',
  'X-Rewrite-Url',
  'X-Envoy-*',
  'X-Azure-*',
  'X-Arr-*',
  'X-ProxyUser-Ip',
  'X-Scheme',
  'X-Url-Scheme',
  'Front-End-Https',
  'Cf-*',
  'Client-Ip',
  '*-Client-Ip',
  '*-ClientIp',
  '*-Connecting-Ip',
  'X_*',
  'True_*',
  'Cf_*',
];

/**
 * The proxy answers `Expect: 100-continue` itself as soon as it reads the body, so that the service's answer
 * to it would be the second (RFC 9110, 10.1.1).
 */
const withoutExpectation = { handle: [{ handler: 'headers', request: { delete: ['Expect'] } }] };

/** Whose routes name the same list of trusted proxies; empty when a route names none. */
export function trustOf({ trustedProxies }: Route): string {
  return trustedProxies.length === 0 ? '' : digestOf(trustedProxies);
}

/** Variables of a route that trusts proxies. */
export function trustVariables(route: Route): Record<string, string> {
  const list = trustOf(route);
  return list === '' ? {} : { [variables.list]: list };
}

/**
 * Follows the domains' routes, which say whom they trust. One route for all requests, not a handler in each
 * route: the time that Caddy takes for a configuration grows with its bytes (measured: half with this, for
 * 1,000 domains).
 */
export function withoutForwardingHeaders(routes: readonly Route[]): object[] {
  const lists = new Map(
    routes.flatMap((route) =>
      trustOf(route) === '' ? [] : [[trustOf(route), route.trustedProxies] as const],
    ),
  );
  const removed = { handler: 'headers', request: { delete: forwardingHeaders } };
  if (lists.size === 0) return [withoutExpectation, { handle: [removed] }];
  return [
    withoutExpectation,
    ...[...lists]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([list, ranges]) => ({
        match: [{ vars: { [variables.list]: [list] }, remote_ip: { ranges: [...ranges] } }],
        handle: [{ handler: 'vars', [variables.isTrusted]: 'yes' }],
      })),
    { match: [{ not: [{ vars: { [variables.isTrusted]: ['yes'] } }] }], handle: [removed] },
  ];
}

/** Of a server: the proxies through which Caddy looks for the client, from the right (`{client_ip}`). */
export function followedProxies(routes: readonly Route[], knowsClients: boolean): object {
  const ranges = new Set(
    routes.flatMap(({ followsChain, trustedProxies }) => (followsChain ? trustedProxies : [])),
  );
  return ranges.size === 0 || !knowsClients
    ? {}
    : { trusted_proxies: { source: 'static', ranges: [...ranges].toSorted() }, trusted_proxies_strict: 1 };
}

/** Of a reverse proxy: from these it adds to X-Forwarded-For and keeps X-Forwarded-Proto and -Host. */
export function keptFrom({ trustedProxies }: Route): object {
  return trustedProxies.length === 0 ? {} : { trusted_proxies: [...trustedProxies] };
}

/** Matches requests that came to a trusted proxy over https. */
export function cameByHttps({ trustedProxies }: Route): object {
  return { remote_ip: { ranges: [...trustedProxies] }, header: { 'X-Forwarded-Proto': ['https'] } };
}

/**
 * Value of X-Real-Ip, with the handlers that find it. What a domain alone trusts is one proxy: the last
 * address that it names is its client.
 */
export function clientOf(
  { trustedProxies, followsChain }: Route,
  knowsClients: boolean,
): { handlers: object[]; value: string } {
  if (trustedProxies.length === 0) return { handlers: [], value: '{http.request.remote.host}' };
  if (followsChain && knowsClients) return { handlers: [], value: '{http.vars.client_ip}' };
  const value = '{berth.client}';
  const last = {
    handler: 'map',
    source: '{http.request.remote.host} {http.request.header.X-Forwarded-For}',
    destinations: [value],
    mappings: [{ input_regexp: '^(?:.*[ ,])?([^ ,]+)[ ,]*$', outputs: ['${1}'] }],
    defaults: [''],
  };
  return { handlers: [last], value };
}
