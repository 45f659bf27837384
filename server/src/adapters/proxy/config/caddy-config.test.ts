import { describe, expect, test } from 'vitest';
import {
  handlers,
  order,
  proxies,
  route,
  servers,
  type Server,
  settings,
} from '../../../../../test/caddy-document.ts';
import type { Route } from '../../../ports/proxy.ts';
import { caddyDocument, initialDocument } from './caddy-config.ts';
import { withoutCookies } from './caddy-cookies.ts';

const untrusted = {
  handle: [
    {
      handler: 'headers',
      request: {
        delete: [
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
        ],
      },
    },
  ],
};

const untyped = {
  require: { status_code: [200, 201, 202, 203, 206, 207, 4, 5], headers: { 'Content-Type': null } },
  set: { 'Content-Type': [''] },
};

const forwarding = [{ handle: [{ handler: 'headers', request: { delete: ['Expect'] } }] }, untrusted];

const noClearTextHttp2 = {
  match: [{ header_regexp: { Upgrade: { pattern: '(?i)h2c' } } }],
  handle: [{ handler: 'headers', request: { delete: ['Upgrade', 'HTTP2-Settings'] } }],
};

const drained = {
  match: [
    { file: { root: '/run/berth-proxy', try_files: ['/draining'] }, not: [{ header: { Upgrade: ['*'] } }] },
  ],
  handle: [{ handler: 'headers', response: { deferred: true, set: { Connection: ['close'] } } }],
};

const cookies = withoutCookies(['berth_session', 'berth_device'], { vars: { berth_proxy: ['berth'] } });

test('one plain route becomes this document', () => {
  const { text, digest } = caddyDocument([route()], settings);
  expect(JSON.parse(text)).toEqual({
    admin: { listen: 'unix//run/berth-proxy/admin.sock', origins: ['berth'], config: { persist: false } },
    storage: { module: 'file_system', root: '/run/berth-proxy/store' },
    logging: {
      logs: {
        default: { level: 'WARN', exclude: ['http.log.access'] },
        news: {
          level: 'INFO',
          include: ['tls.obtain', 'tls.renew', 'http.acme_client'],
          writer: { output: 'net', address: 'unix//run/berth-proxy/news.sock' },
          encoder: { format: 'json' },
        },
        requests: {
          level: 'INFO',
          include: ['http.log.access'],
          writer: {
            output: 'file',
            filename: '/run/berth-proxy/requests.log',
            roll_size_mb: 32,
            roll_keep: 1,
            roll_gzip: false,
          },
          encoder: {
            format: 'filter',
            wrap: { format: 'json' },
            fields: Object.fromEntries(
              [
                'request>headers',
                'request>tls',
                'request>remote_ip',
                'request>client_ip',
                'request>remote_port',
                'resp_headers',
                'user_id',
              ].map((name) => [name, { filter: 'delete' }]),
            ),
          },
        },
      },
    },
    apps: {
      http: {
        '@id': `berth-${digest}`,
        http_port: 80,
        https_port: 443,
        servers: {
          plain: {
            logs: {},
            listen: [':80'],
            automatic_https: { disable: true },
            read_header_timeout: '15s',
            idle_timeout: '2m',
            routes: [
              noClearTextHttp2,
              drained,
              {
                group: 'domain',
                match: [{ host: ['a.test'] }],
                handle: [{ handler: 'vars', berth_proxy: 'open', berth_service: 'web', berth_port: '3000' }],
              },
              ...forwarding,
              ...cookies,
              {
                match: [{ vars: { berth_proxy: ['open'] } }],
                terminal: true,
                handle: [
                  {
                    handler: 'reverse_proxy',
                    dynamic_upstreams: {
                      source: 'a',
                      name: 'tasks.{http.vars.berth_service}',
                      port: '{http.vars.berth_port}',
                      refresh: '1s',
                      dial_timeout: '2s',
                    },
                    load_balancing: {
                      selection_policy: { policy: 'least_conn' },
                      try_duration: '5s',
                      try_interval: '150ms',
                    },
                    health_checks: { passive: { fail_duration: '2s', max_fails: 3 } },
                    transport: {
                      protocol: 'http',
                      compression: false,
                      dial_timeout: '2s',
                      keep_alive: { idle_timeout: '1s', max_idle_conns_per_host: 256 },
                    },
                    headers: {
                      request: { set: { 'X-Real-Ip': ['{http.request.remote.host}'] } },
                      response: untyped,
                    },
                    stream_close_delay: '6h',
                  },
                ],
              },
              {
                handle: [
                  {
                    handler: 'static_response',
                    status_code: 404,
                    headers: { 'Content-Type': ['text/plain; charset=utf-8'] },
                    body: 'No application of this server answers to this host name.\n',
                  },
                ],
              },
            ],
          },
          // Listened on from the first moment, whoever speaks https.
          secure: {
            logs: {},
            listen: [':443'],
            automatic_https: { disable: true },
            read_header_timeout: '15s',
            idle_timeout: '2m',
            tls_connection_policies: [{}],
            routes: [
              noClearTextHttp2,
              drained,
              ...forwarding,
              ...cookies,
              {
                handle: [
                  {
                    handler: 'static_response',
                    status_code: 404,
                    headers: { 'Content-Type': ['text/plain; charset=utf-8'] },
                    body: 'No application of this server answers to this host name.\n',
                  },
                ],
              },
            ],
          },
        },
      },
    },
  });
});

test(
  'exact hosts come before wildcards, longer paths before shorter, the rest last; what is done alike is ' +
    'one route',
  () => {
    const routes = [
      route({ host: '*.test' }),
      route({ host: '*.b.test' }),
      route({ host: 'b.test', path: '/api' }),
      route({ host: 'b.test' }),
      route({ host: 'b.test', path: '/api/v1/' }),
      route({ host: 'a.b.test' }),
    ];
    expect(order(routes)).toEqual([
      'b.test/api/v1',
      'b.test/api',
      'a.b.test,b.test',
      '*.b.test,*.test',
      'proxy',
      'else',
    ]);
    expect(
      order([
        ...routes,
        route({ host: 'b.test', path: '/api/v2/', port: 1 }),
        route({ host: 'c.test', port: 1 }),
      ]).slice(0, 5),
    ).toEqual(['b.test/api/v1', 'b.test/api/v2', 'b.test/api', 'c.test', 'a.b.test,b.test']);
  },
);

test('of many hosts each is tried in its lot only, with all its paths', () => {
  const name = (index: number): string => `h${String(index).padStart(3, '0')}.test`;
  const many = Array.from({ length: 300 }, (_, index) => [
    route({ host: name(index), service: `s${index}` }),
    route({ host: name(index), path: '/api' }),
  ]).flat();
  const lots = (servers(many)['plain']?.routes ?? []).slice(0, 3);
  expect(lots.map(({ match }) => match?.[0]?.host.length)).toEqual([128, 128, 44]);
  const inside = lots.flatMap(({ match, handle }) =>
    (handle[0] as unknown as Server).routes.map((each) => ({ ...each, lot: match?.[0]?.host })),
  );
  for (const { match, lot } of inside) expect(lot).toEqual(expect.arrayContaining(match?.[0]?.host ?? []));
  // The path is alike in each lot, the rest each host's own.
  expect(inside).toHaveLength(3 + 300);
  expect(inside[0]).toMatchObject({ group: 'domain', match: [{ path: ['/api', '/api/*'] }] });
  expect(new Set(inside.flatMap(({ match }) => match?.[0]?.host ?? [])).size).toBe(300);
  // And with the same service they need no lots of lots.
  const alike =
    servers(Array.from({ length: 300 }, (_, index) => route({ host: name(index) })))['plain']?.routes ?? [];
  expect(
    alike.slice(0, 3).map(({ match, handle }) => [match?.[0]?.host.length, handle[0]?.['handler']]),
  ).toEqual([
    [128, 'vars'],
    [128, 'vars'],
    [44, 'vars'],
  ]);
});

test('a path is itself and what lies below it', () => {
  expect(servers([route({ path: '/api/' })])['plain']?.routes[0]?.match).toEqual([
    { host: ['a.test'], path: ['/api', '/api/*'] },
  ]);
});

describe('paths on their way to the service', () => {
  const rewrites = (change: Partial<Route>) => handlers(change).slice(0, -1);

  test.each<[string, Partial<Route>, Record<string, unknown>[]]>([
    ['stay as they are', { path: '/api' }, []],
    [
      'lose the prefix',
      { path: '/api', stripPath: true },
      [{ handler: 'rewrite', strip_path_prefix: '/api' }],
    ],
    [
      'get the internal prefix',
      { internalPath: '/in/' },
      [{ handler: 'rewrite', path_regexp: [{ find: '^', replace: '/in' }] }],
    ],
    [
      'change one for the other',
      { path: '/api', stripPath: true, internalPath: '/$1' },
      [
        { handler: 'rewrite', strip_path_prefix: '/api' },
        { handler: 'rewrite', path_regexp: [{ find: '^', replace: '/$$1' }] },
      ],
    ],
  ])('%s', (_, change, expected) => {
    expect(rewrites(change)).toEqual(expected);
  });

  test('a stripped prefix is told to the service', () => {
    const change = { path: '/api', stripPath: true };
    expect(handlers(change).at(-1)).toMatchObject({
      handler: 'vars',
      berth_proxy: 'open stripped',
      berth_prefix: '/api',
    });
    expect(proxies(change)).toEqual([
      expect.objectContaining({
        vars: { berth_proxy: ['open stripped'] },
        headers: {
          request: {
            set: {
              'X-Real-Ip': ['{http.request.remote.host}'],
              'X-Forwarded-Prefix': ['{http.vars.berth_prefix}'],
            },
          },
          response: untyped,
        },
      }),
    ]);
  });
});

test('the digest follows the routes and not their order', () => {
  const routes = [
    route(),
    route({ id: 'd2', path: '/api' }),
    route({ id: 'd3', host: 'b.test', https: true }),
  ];
  const { digest } = caddyDocument(routes, settings);
  expect(caddyDocument(routes.toReversed(), settings).digest).toBe(digest);
  expect(caddyDocument([...routes.slice(1), route({ port: 3001 })], settings).digest).not.toBe(digest);
});

test.each<[Partial<Route>, string]>([
  [{ host: '{env.HOME}' }, 'host'],
  [{ host: 'a.test:80' }, 'host'],
  [{ host: 'a.*' }, 'host'],
  [{ path: '/{http.request.header.X}' }, 'path'],
  [{ path: '/a*' }, 'path'],
  [{ path: 'a' }, 'path'],
  [{ internalPath: '/a?b' }, 'internal path'],
  [{ internalPath: '/\n' }, 'internal path'],
  [{ service: 'a.b' }, 'service'],
  [{ port: 0 }, 'port'],
  [{ redirects: [{ regex: '(?=a)', replacement: '/', permanent: true }] }, 'redirect'],
  [{ redirects: [{ regex: 'a)(b', replacement: '/', permanent: true }] }, 'redirect'],
  [{ redirects: [{ regex: 'a', replacement: '{env.HOME}', permanent: true }] }, 'redirect'],
  [{ requestHeaders: { 'X-A': '{env.HOME}' } }, 'request headers'],
  [{ requestHeaders: { 'X-Real-Ip': '1' } }, 'request headers'],
  [
    {
      accounts: [
        {
          username: '{env.HOME}',
          passwordHash: '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
        },
      ],
    },
    'user',
  ],
])('a route that Caddy would read otherwise is refused: %j', (change, what) => {
  expect(() => caddyDocument([route(change)], settings)).toThrow(`its ${what}`);
});

test('a fresh proxy says that it is starting', () => {
  expect(initialDocument(settings)).toMatchObject({
    apps: { http: { servers: { plain: { listen: [':80'], routes: [{ handle: [{ status_code: 503 }] }] } } } },
  });
});
