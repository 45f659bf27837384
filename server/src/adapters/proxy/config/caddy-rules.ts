/** Rules of a domain at the proxy: who may ask, maintenance, pages in place of errors, headers, packing. */
import { createHash } from 'node:crypto';
import { pageFor } from '../../../domain/routing/error-pages.ts';
import type { Route } from '../../../ports/proxy.ts';

/** Marks a route by its pages, for errors that the proxy meets after it. */
const pagesVariable = 'berth_pages';

/** Comes first in a route: 403 for addresses that may not ask, then 503 while there is maintenance. */
export function gate(route: Route, { knowsClients }: { knowsClients: boolean }): object[] {
  const { allowedAddresses: allowed, deniedAddresses: denied, maintenancePage } = route;
  const inList = (list: readonly string[]) => clientIn(route, list, knowsClients);
  const refused = [
    ...(allowed.length === 0 ? [] : [{ not: inList(allowed) }]),
    ...(denied.length === 0 ? [] : [...inList(denied), ...unknowable(route, knowsClients)]),
  ];
  const closed = refusal(route, 403, 'This address may not be opened from where you are.\n');
  return [
    ...(refused.length === 0
      ? []
      : [{ handler: 'subroute', routes: [{ match: refused, handle: [closed] }] }]),
    ...(maintenancePage === null ? [] : [maintenance(route, maintenancePage)]),
    ...(Object.keys(route.errorPages).length === 0
      ? []
      : [{ handler: 'vars', [pagesVariable]: digestOf(route.errorPages) }]),
  ];
}

/** An answer of the proxy itself: with the domain's page where it has one, else a sentence. */
export function refusal({ errorPages }: Pick<Route, 'errorPages'>, status: number, sentence: string) {
  const page = pageFor(errorPages, status);
  return page === undefined ? answer(status, text, sentence) : answer(status, html, page);
}

export function plainText(status: number, body: string, headers: Record<string, string[]> = {}) {
  return answer(status, text, body, headers);
}

const text = 'text/plain; charset=utf-8';
const html = 'text/html; charset=utf-8';

function answer(status: number | string, type: string, body: string, headers: object = {}) {
  return {
    handler: 'static_response',
    status_code: status,
    headers: { 'Content-Type': [type], ...headers },
    // Caddy fills placeholders in a body, those of its environment too.
    body: body.replaceAll('{', '\\{'),
  };
}

function maintenance({ errorPages }: Route, page: string) {
  const own = page === '' ? pageFor(errorPages, 503) : page;
  const retry = { 'Retry-After': ['60'] };
  return own === undefined
    ? answer(503, text, 'This address is in maintenance; please try again later.\n', retry)
    : answer(503, html, own, retry);
}

/**
 * Matches requests of clients in the list. Behind a trusted proxy the client is the one that the chain of
 * X-Forwarded-For shows; Caddy knows it since 2.8, and follows only what the installation trusts.
 */
function clientIn(
  { trustedProxies, followsChain }: Route,
  list: readonly string[],
  knowsClients: boolean,
): object[] {
  const ranges = [...list];
  if (trustedProxies.length === 0) return [{ remote_ip: { ranges } }];
  const through = { remote_ip: { ranges: [...trustedProxies] } };
  return [
    { remote_ip: { ranges }, not: [through] },
    ...(knowsClients && followsChain ? [{ ...through, client_ip: { ranges } }] : []),
  ];
}

/** Requests whose client cannot be told are refused where some are denied. */
function unknowable({ trustedProxies, followsChain }: Route, knowsClients: boolean): object[] {
  return trustedProxies.length > 0 && !(knowsClients && followsChain)
    ? [{ remote_ip: { ranges: [...trustedProxies] } }]
    : [];
}

/** Texts alone: streams of events are passed on as they come. */
const packed = [
  'text/html*',
  'text/css*',
  'text/plain*',
  'text/xml*',
  'text/javascript*',
  'text/markdown*',
  'application/javascript*',
  'application/json*',
  'application/ld+json*',
  'application/manifest+json*',
  'application/xml*',
  'application/xhtml+xml*',
  'application/rss+xml*',
  'application/atom+xml*',
  'application/wasm*',
  'image/svg+xml*',
  'font/ttf*',
  'font/otf*',
];

export function compressed({ compression }: Route): object[] {
  return compression
    ? [
        {
          handler: 'encode',
          encodings: { gzip: {}, zstd: {} },
          prefer: ['zstd', 'gzip'],
          minimum_length: 512,
          match: { headers: { 'Content-Type': packed } },
        },
      ]
    : [];
}

/** The same for the same pages. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
}

/** In a reverse proxy: pages in place of errors that the service answers with. */
export function servicePages({ errorPages }: Route): object {
  const handlers = Object.entries(errorPages)
    .toSorted(bySpeciality)
    .map(([key, page]) => ({
      match: { status_code: [Number(key.replace('xx', ''))] },
      routes: [{ handle: [answer('{http.reverse_proxy.status_code}', html, page)] }],
    }));
  return handlers.length === 0 ? {} : { handle_response: handlers };
}

/** Routes of a server for errors that the proxy met itself, such as a service that does not answer. */
export function errorRoutes(routes: readonly Route[]): object[] {
  const all = new Map(
    routes
      .filter(({ errorPages }) => Object.keys(errorPages).length > 0)
      .map(({ errorPages }) => [digestOf(errorPages), errorPages]),
  );
  const sets = [...all].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const ofPages = (digest: string) => ({ vars: { [pagesVariable]: [digest] } });
  const tooLarge = sets.flatMap(([digest, pages]) => {
    const page = pageFor(pages, 413);
    return page === undefined
      ? []
      : [
          {
            match: [{ ...ofPages(digest), ...isTooLarge }],
            handle: [answer(413, html, page)],
            terminal: true,
          },
        ];
  });
  const others = sets.flatMap(([digest, pages]) =>
    Object.entries(pages)
      .toSorted(bySpeciality)
      .map(([key, page]) => ({
        match: [
          { ...ofPages(digest), vars_regexp: { '{http.error.status_code}': { pattern: patternOf(key) } } },
        ],
        handle: [answer('{http.error.status_code}', html, page)],
        terminal: true,
      })),
  );
  const limited = routes.some(({ maxBodyBytes }) => maxBodyBytes !== null);
  return [...tooLarge, ...(limited ? [tooLargeRoute] : []), ...others];
}

/** Without it Caddy 2.6 takes a body that is too large for a fault of the service, and answers 502. */
const isTooLarge = { vars_regexp: { '{http.error.message}': { pattern: 'request body too large' } } };

const tooLargeRoute = {
  match: [isTooLarge],
  handle: [plainText(413, 'The body of this request is larger than this address takes.\n')],
};

const patternOf = (key: string): string => `^${key.replace('xx', '[0-9][0-9]')}$`;

/** `404` before `4xx`. */
function bySpeciality([left]: [string, string], [right]: [string, string]): number {
  const rank = (key: string) => (key.endsWith('xx') ? `1${key}` : `0${key}`);
  return rank(left) < rank(right) ? -1 : 1;
}
