/**
 * How requests get to services. A reverse proxy with its transport is what Caddy takes longest to make
 * (measured: 10,000 of them 8 s), so routes only say in variables whither a request goes, and few reverse
 * proxies, which follow the variables, stand behind all routes.
 */
import type { Route } from '../../../ports/proxy.ts';
import { encodedPath } from '../../../domain/routing/route-path.ts';
import { trimmed } from './caddy-paths.ts';
import { digestOf, refusal, servicePages } from './caddy-rules.ts';
import { clientOf, keptFrom, trustOf, trustVariables } from './caddy-trust.ts';

/** Caddy has it since 2.7, and refuses what it does not know. */
export const streamField = 'stream_close_delay';

/**
 * How long WebSockets go on with a configuration that another has followed. The proxy keeps in memory what
 * has open ones: at most as many configurations as changes within this time.
 */
const streamDelay = '6h';

/** File name of Berth's own socket in the folder that the proxy shares with it. */
export const berthSocketName = 'berth.sock';

/** What requests for Berth itself are told by. */
export const forBerth = { vars: { berth_proxy: ['berth'] } };

/** The last handler of a route. */
export function leadsTo(route: Route) {
  if (route.isBerth) return { handler: 'vars', [variables.kind]: 'berth' };
  if (route.service === null) return refusal(route, 503, notReleased);
  const prefix = toldPrefix(route);
  const values = Object.fromEntries(
    headersOf(route).map(([, value], index) => [headerVariable(index), value]),
  );
  return {
    handler: 'vars',
    [variables.kind]: kindOf(route),
    [variables.service]: route.service,
    [variables.port]: String(route.port),
    ...(prefix === '' ? {} : { [variables.prefix]: prefix }),
    ...trustVariables(route),
    ...values,
  };
}

/**
 * What follows the routes that end with `leadsTo`: one for each kind of them, and for gRPC where requests may
 * come in HTTP/2.
 */
export function reverseProxies(
  routes: readonly Route[],
  { speaksHttp2, folder, keepsStreams }: { speaksHttp2: boolean; folder: string; keepsStreams: boolean },
) {
  const streams = keepsStreams ? { [streamField]: streamDelay } : {};
  const kinds = new Map(
    routes
      .filter(({ service, isBerth }) => service !== null && !isBerth)
      .map((route) => [kindOf(route), route]),
  );
  const ownProxy = routes.some(({ isBerth }) => isBerth) ? [toBerth(folder, streams)] : [];
  const others = [...kinds]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([kind, route]) => {
      const client = clientOf(route, keepsStreams);
      const proxy = { ...reverseProxy(route, client.value), ...streams };
      const followed = { vars: { [variables.kind]: [kind] } };
      // gRPC speaks HTTP/2 from the first byte, without asking (https://grpc.io/docs/guides/wire; RFC 9113,
      // 3.3).
      const calls = {
        match: [{ ...followed, protocol: 'grpc' }],
        handle: [...client.handlers, { ...proxy, transport: { ...proxy.transport, versions: ['h2c', '2'] } }],
        terminal: true,
      };
      return [
        ...(speaksHttp2 ? [calls] : []),
        { match: [followed], handle: [...client.handlers, proxy], terminal: true },
      ];
    });
  return [...ownProxy, ...others];
}

const notReleased = 'Nothing has been deployed here yet.\n';

/** `folder` as the proxy sees it. */
function toBerth(folder: string, streams: object) {
  const upstreams = [{ dial: `unix/${folder}/${berthSocketName}` }];
  return { match: [forBerth], handle: [{ handler: 'reverse_proxy', upstreams, ...streams }], terminal: true };
}

const variables = {
  kind: 'berth_proxy',
  service: 'berth_service',
  port: 'berth_port',
  prefix: 'berth_prefix',
} as const;

function headerVariable(index: number): string {
  return `berth_header_${index}`;
}

function valueOf(variable: string): string {
  return `{http.vars.${variable}}`;
}

function headersOf({ requestHeaders }: Route): [string, string][] {
  return Object.entries(requestHeaders).toSorted(([left], [right]) => (left < right ? -1 : 1));
}

/** The part of the path that the service does not see. */
function toldPrefix({ path, stripPath }: Route): string {
  return stripPath ? encodedPath(trimmed(path)) : '';
}

/** Routes of one kind differ in what their variables hold. */
function kindOf(route: Route): string {
  return [
    route.accounts.length > 0 ? 'signed' : 'open',
    ...(toldPrefix(route) === '' ? [] : ['stripped']),
    ...(trustOf(route) === '' ? [] : [`trust=${trustOf(route)}${route.followsChain ? '+' : ''}`]),
    ...(Object.keys(route.errorPages).length === 0 ? [] : [`pages=${digestOf(route.errorPages)}`]),
    ...headersOf(route).map(([name]) => name),
  ].join(' ');
}

/**
 * Go's server looks into a body that has no Content-Type and names one; a browser does that better, and other
 * clients do not want a guess. An empty one is as good as none (https://mimesniff.spec.whatwg.org).
 */
const untyped = {
  require: {
    status_code: [200, 201, 202, 203, 206, 207, 4, 5],
    headers: { 'Content-Type': null },
  },
  set: { 'Content-Type': [''] },
};

/**
 * Services are dialled by `tasks.<service>`, looked up each second, so that a deployment changes nothing
 * here. The task with the fewest requests gets the next one: a turn would be everybody's together. A
 * connection that is refused goes to another task for up to 5 s, whatever the method; a request that a task
 * has received is repeated only when it is a GET (Caddy's own rule). The keep-alive is shorter than that of
 * usual servers (Node: 5 s), since a POST on a connection that the other end is closing cannot be repeated.
 */
function reverseProxy(route: Route, client: string) {
  const given = Object.fromEntries(
    headersOf(route).map(([name], index) => [name, [valueOf(headerVariable(index))]]),
  );
  // Here, where what the client calls a header of the connection (RFC 9110, 7.6.1) has been taken away
  // already.
  const set = {
    ...given,
    'X-Real-Ip': [client],
    ...(toldPrefix(route) === '' ? {} : { 'X-Forwarded-Prefix': [valueOf(variables.prefix)] }),
  };
  return {
    handler: 'reverse_proxy',
    dynamic_upstreams: {
      source: 'a',
      name: `tasks.${valueOf(variables.service)}`,
      port: valueOf(variables.port),
      refresh: '1s',
      dial_timeout: '2s',
    },
    load_balancing: { selection_policy: { policy: 'least_conn' }, try_duration: '5s', try_interval: '150ms' },
    health_checks: { passive: { fail_duration: '2s', max_fails: 3 } },
    transport: {
      protocol: 'http',
      compression: false,
      dial_timeout: '2s',
      keep_alive: { idle_timeout: '1s', max_idle_conns_per_host: 256 },
    },
    // The password of the proxy's sign-in is nothing that the service must know.
    headers: {
      request: { set, ...(route.accounts.length === 0 ? {} : { delete: ['Authorization'] }) },
      response: untyped,
    },
    ...keptFrom(route),
    ...servicePages(route),
  };
}
