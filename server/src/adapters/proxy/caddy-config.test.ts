import { describe, expect, test } from 'vitest';
import type { Route } from '../../ports/proxy.ts';
import { caddyDocument, initialDocument } from './caddy-config.ts';
import type { CaddySettings } from './caddy-config.ts';
import { proxyServiceSpec } from './proxy-service.ts';

const settings: CaddySettings = {
  adminSocket: '/run/berth-proxy/admin.sock',
  publicHttpPort: 80,
  publicHttpsPort: 443,
};

function route(change: Partial<Route> = {}): Route {
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
    ...change,
  };
}

/** What the tests look at of a server in the document. */
interface Server {
  routes: {
    group?: string;
    match?: { host: string[]; path?: string[]; vars?: Record<string, string[]> }[];
    handle: Record<string, unknown>[];
  }[];
}

function documentOf(routes: Route[], change: Partial<CaddySettings> = {}): unknown {
  return JSON.parse(caddyDocument(routes, { ...settings, ...change }).text);
}

function servers(routes: Route[], change: Partial<CaddySettings> = {}): Record<string, Server> {
  const { servers: all } = (
    documentOf(routes, change) as { apps: { http: { servers: Record<string, Server> } } }
  ).apps.http;
  // Without the first two routes, which are the same for every request.
  return Object.fromEntries(
    Object.entries(all).map(([name, server]) => [name, { ...server, routes: server.routes.slice(2) }]),
  );
}

function order(routes: Route[]): string[] {
  return (servers(routes)['plain']?.routes ?? []).map(({ match }) =>
    match === undefined
      ? 'else'
      : match[0]?.vars
        ? 'proxy'
        : `${match[0]?.host.join()}${match[0]?.path?.[0] ?? ''}`,
  );
}

function handlers(change: Partial<Route>): Record<string, unknown>[] {
  return servers([route(change)])['plain']?.routes[0]?.handle ?? [];
}

/** The reverse proxies of a server, with what each follows. */
function proxies(change: Partial<Route>, server = 'plain'): Record<string, unknown>[] {
  return (servers([route(change)])[server]?.routes ?? []).flatMap(({ match, handle }) =>
    match?.[0]?.vars ? [{ ...match[0], ...handle[0] }] : [],
  );
}

const everyRequest = {
  handle: [
    {
      handler: 'headers',
      request: {
        delete: [
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
        ],
      },
    },
  ],
};

const drained = {
  match: [
    { file: { root: '/run/berth-proxy', try_files: ['/draining'] }, not: [{ header: { Upgrade: ['*'] } }] },
  ],
  handle: [{ handler: 'headers', response: { deferred: true, set: { Connection: ['close'] } } }],
};

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
        grace_period: '10m',
        servers: {
          plain: {
            logs: {},
            listen: [':80'],
            automatic_https: { disable: true },
            read_header_timeout: '15s',
            idle_timeout: '2m',
            routes: [
              everyRequest,
              drained,
              {
                group: 'domain',
                match: [{ host: ['a.test'] }],
                handle: [{ handler: 'vars', berth_proxy: 'open', berth_service: 'web', berth_port: '3000' }],
              },
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
                    headers: { request: { set: { 'X-Real-Ip': ['{http.request.remote.host}'] } } },
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
              everyRequest,
              drained,
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

test('exact hosts come before wildcards, longer paths before shorter, the rest last; what is done alike is one route', () => {
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
});

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
        },
      }),
    ]);
  });
});

describe('https', () => {
  test('answers on 443 and is redirected to from 80', () => {
    const { plain, secure } = servers([route({ https: true })]);
    expect(plain?.routes[0]?.handle).toEqual([
      {
        handler: 'static_response',
        status_code: 308,
        headers: { Location: ['https://{http.request.host}{http.request.uri}'] },
      },
    ]);
    expect(secure?.routes.map(({ handle }) => handle.map(({ handler }) => handler))).toEqual([
      ['vars'],
      ['reverse_proxy'],
      ['reverse_proxy'],
      ['static_response'],
    ]);
    // gRPC first.
    expect(proxies({ https: true }, 'secure')).toMatchObject([
      { protocol: 'grpc', transport: { versions: ['h2c', '2'] } },
      { transport: { protocol: 'http' } },
    ]);
    expect(proxies({ https: true })).toEqual([]);
    expect(secure).toMatchObject({ listen: [':443'], tls_connection_policies: [{}] });
  });

  test('of a proxy on another port is redirected to there', () => {
    const { plain } = servers([route({ https: true })], { publicHttpsPort: 8443 });
    expect(plain?.routes[0]?.handle[0]).toMatchObject({
      headers: { Location: ['https://{http.request.host}:8443{http.request.uri}'] },
    });
    // HTTP/3 is offered where browsers find it.
    const { secure } = servers([route({ https: true })], { publicHttpsPort: 8443 });
    expect(secure?.routes[0]?.handle[0]).toEqual({
      handler: 'headers',
      response: { deferred: true, set: { 'Alt-Svc': ['h3=":8443"; ma=2592000'] } },
    });
  });

  test('has certificates of our own authority, for each host once', () => {
    expect(
      documentOf([route({ https: true }), route({ https: true, path: '/x' }), route({ host: 'plain.test' })]),
    ).toMatchObject({
      apps: {
        tls: {
          certificates: { automate: ['a.test'] },
          automation: { policies: [{ subjects: ['a.test'], issuers: [{ module: 'internal' }] }] },
        },
        pki: { certificate_authorities: { local: { install_trust: false } } },
      },
    });
  });

  test('leaves a plain host on 80 alone', () => {
    const { plain, secure } = servers([route({ host: 'plain.test' }), route({ https: true })]);
    expect(
      plain?.routes
        .map(({ match, handle }) => [match?.[0]?.host?.join(), handle[0]?.['handler']])
        .slice(0, 2)
        .toSorted(),
    ).toEqual([
      ['a.test', 'static_response'],
      ['plain.test', 'vars'],
    ]);
    expect(secure?.routes[0]?.match).toEqual([{ host: ['a.test'] }]);
  });
});

const hash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';
const ann = { username: 'ann', passwordHash: hash };
const wwwAway = { regex: '^https?://www\\.(.+)', replacement: 'https://${1}', permanent: true };

describe('users of a sign-in', () => {
  test('are asked for before everything else, and the service does not see their password', () => {
    const handle = handlers({
      path: '/api',
      stripPath: true,
      accounts: [ann],
      redirects: [{ regex: '/a', replacement: '/b', permanent: false }],
    });
    expect(handle.map(({ handler }) => handler)).toEqual([
      'authentication',
      'map',
      'map',
      'subroute',
      'rewrite',
      'vars',
    ]);
    expect(handle[0]).toEqual({
      handler: 'authentication',
      providers: {
        http_basic: {
          hash: { algorithm: 'bcrypt' },
          hash_cache: {},
          realm: 'Restricted',
          accounts: [
            {
              username: 'ann',
              password: 'JDJiJDEwJE45cW84dUxPaWNrZ3gyWk1SWm9NeWVJalpBZ2NmbDdwOTJsZEd4YWQ2OExKWmRMMTdsaFd5',
            },
          ],
        },
      },
    });
    expect(proxies({ accounts: [ann] })).toEqual([
      expect.objectContaining({
        vars: { berth_proxy: ['signed'] },
        headers: expect.objectContaining({ request: expect.objectContaining({ delete: ['Authorization'] }) }),
      }),
    ]);
  });

  test('are asked for on https only, where a domain has it', () => {
    const { plain, secure } = servers([route({ https: true, accounts: [ann] })]);
    expect(plain?.routes[0]?.handle.map(({ handler }) => handler)).toEqual(['static_response']);
    expect(secure?.routes[0]?.handle.map(({ handler }) => handler)).toEqual(['authentication', 'vars']);
  });

  test('are none without any: the Authorization header stays the service’s own', () => {
    expect(handlers({}).map(({ handler }) => handler)).toEqual(['vars']);
    expect(JSON.stringify([handlers({}), proxies({})])).not.toContain('Authorization');
  });
});

describe('redirects', () => {
  test('by the whole address and by the path become these handlers', () => {
    expect(
      servers([route({ https: true, redirects: [wwwAway] })])['secure']?.routes[0]?.handle.slice(0, -1),
    ).toEqual([
      {
        handler: 'map',
        source: 'https://{http.request.host}{http.request.uri}',
        destinations: ['{berth.redirect.0}'],
        mappings: [{ input_regexp: '^(.*?)(^https?://www\\.(.+))(.*)$', outputs: ['${1}https://${3}${4}'] }],
        defaults: [''],
      },
      {
        handler: 'map',
        source: 'https://{http.request.host} {berth.redirect.0}',
        destinations: ['{berth.redirect.0.home}'],
        mappings: [{ input_regexp: '^([^ ]+) /', outputs: ['${1}'] }],
        defaults: [''],
      },
      {
        handler: 'subroute',
        routes: [
          {
            match: [{ not: [{ vars: { '{berth.redirect.0}': [''] } }] }],
            handle: [
              {
                handler: 'static_response',
                status_code: 308,
                headers: { Location: ['{berth.redirect.0.home}{berth.redirect.0}'] },
              },
            ],
            terminal: true,
          },
        ],
      },
      expect.objectContaining({
        handler: 'map',
        source: '{http.request.uri}',
        destinations: ['{berth.redirect.0.path}'],
        mappings: [{ input_regexp: '^()(^https?://www\\.(.+))(.*)$', outputs: ['${1}https://${3}${4}'] }],
      }),
      expect.objectContaining({
        handler: 'map',
        source: 'https://{http.request.host} {berth.redirect.0.path}',
        destinations: ['{berth.redirect.0.path.home}'],
      }),
      expect.objectContaining({ handler: 'subroute' }),
    ]);
  });

  test('keep their order, and name the port that browsers see', () => {
    const redirects = [
      { regex: 'b', replacement: '/1', permanent: false },
      { regex: 'a', replacement: '/2', permanent: true },
    ];
    const { plain } = servers([route({ redirects })], { publicHttpPort: 8080 });
    expect(
      plain?.routes[0]?.handle.filter(({ handler }) => handler === 'map').map(({ source }) => source),
    ).toEqual([
      'http://{http.request.host}:8080{http.request.uri}',
      'http://{http.request.host}:8080 {berth.redirect.0}',
      'http://{http.request.host}:8080{http.request.uri}',
      'http://{http.request.host}:8080 {berth.redirect.1}',
    ]);
    expect(JSON.stringify(plain?.routes[0]?.handle)).toMatch(/"status_code":307.*"status_code":308/);
  });

  test.each([
    ['(a)(?P<n>b)', '$2-$1-$0-${n}-$$1', '${1}${4}-${3}-${2}-${n}-$$1${5}'],
    ['a', '/x', '${1}/x${3}'],
  ])('%s → %s shifts the person’s groups behind our own', (regex, replacement, output) => {
    expect(handlers({ redirects: [{ regex, replacement, permanent: true }] })[0]).toMatchObject({
      mappings: [{ outputs: [output] }],
    });
  });
});

describe('options of a domain', () => {
  test('insist on https, bound bodies and add headers, in this order', () => {
    const options = {
      https: true,
      hstsMaxAge: 31_536_000,
      maxBodyBytes: 1024,
      requestHeaders: { 'X-Tenant': 'shop' },
      accounts: [ann],
      path: '/api',
      stripPath: true,
    };
    const handle = servers([route(options)])['secure']?.routes[0]?.handle ?? [];
    expect(handle.map(({ handler }) => handler)).toEqual([
      'headers',
      'authentication',
      'request_body',
      'rewrite',
      'vars',
    ]);
    expect(handle[0]).toEqual({
      handler: 'headers',
      response: { deferred: true, set: { 'Strict-Transport-Security': ['max-age=31536000'] } },
    });
    expect(handle[2]).toEqual({ handler: 'request_body', max_size: 1024 });
    expect(handle[4]).toEqual({
      handler: 'vars',
      berth_proxy: 'signed stripped X-Tenant',
      berth_service: 'web',
      berth_port: '3000',
      berth_prefix: '/api',
      berth_header_0: 'shop',
    });
    const set = {
      'X-Tenant': ['{http.vars.berth_header_0}'],
      'X-Real-Ip': ['{http.request.remote.host}'],
      'X-Forwarded-Prefix': ['{http.vars.berth_prefix}'],
    };
    for (const proxy of proxies(options, 'secure'))
      expect(proxy).toMatchObject({
        vars: { berth_proxy: ['signed stripped X-Tenant'] },
        headers: { request: { set, delete: ['Authorization'] } },
      });
  });

  test('of which one bounds bodies let the server tell a body that is too large', () => {
    expect(servers([route({ maxBodyBytes: 1 })])['plain']).toMatchObject({
      errors: { routes: [{ handle: [{ handler: 'static_response', status_code: 413 }] }] },
    });
    expect(servers([route()])['plain']).not.toHaveProperty('errors');
  });

  test('never insist on http', () => {
    expect(handlers({ hstsMaxAge: 60 }).map(({ handler }) => handler)).toEqual(['vars']);
  });

  test('that differ in their values share a reverse proxy', () => {
    const tenants = ['a', 'b', 'c'].map((name) =>
      route({ host: `${name}.test`, service: name, requestHeaders: { 'X-Tenant': name, 'X-A': 'x' } }),
    );
    const { plain } = servers([
      ...tenants,
      route({ host: 'd.test', requestHeaders: { 'X-A': 'x' } }),
      route({ host: 'e.test', service: 'e' }),
    ]);
    expect(plain?.routes.flatMap(({ match }) => match?.[0]?.vars?.['berth_proxy'] ?? [])).toEqual([
      'open',
      'open X-A',
      'open X-A X-Tenant',
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

test('the proxy is this service', () => {
  const healthCheck = {
    test: ['CMD', '/.berth/busybox', 'true'],
    intervalMs: 1000,
    timeoutMs: 1000,
    retries: 3,
    startPeriodMs: 1000,
  };
  const spec = proxyServiceSpec({
    image: 'caddy:2',
    nodeId: 'n1',
    network: 'berth',
    adminFolder: '/var/lib/berth/proxy',
    httpPort: 80,
    httpsPort: 443,
    labels: { 'berth.platform': 'true' },
    probe: { busybox: '/usr/bin/busybox', healthCheck },
    migratesRequests: true,
  });
  expect(spec).toMatchObject({
    name: 'berth-proxy',
    command: ['caddy', 'run', '--config', '/etc/berth-proxy/initial.json'],
    networks: ['berth'],
    mounts: [
      { type: 'bind', source: '/var/lib/berth/proxy', target: '/run/berth-proxy' },
      { type: 'bind', source: '/usr/bin/busybox', target: '/.berth/busybox', readOnly: true },
    ],
    files: [
      {
        path: '/etc/berth-proxy/initial.json',
        content: JSON.stringify(initialDocument({ adminSocket: '/run/berth-proxy/admin.sock' })),
      },
    ],
    ports: [
      { published: 80, target: 80, protocol: 'tcp', mode: 'host' },
      { published: 443, target: 443, protocol: 'tcp', mode: 'host' },
      { published: 443, target: 443, protocol: 'udp', mode: 'host' },
    ],
    healthCheck,
    updateOrder: 'stop-first',
    constraints: ['node.id==n1'],
    sysctls: { 'net.ipv4.tcp_migrate_req': '1' },
  });
});

test('an older kernel gets no setting it does not know', () => {
  const options = {
    image: 'i',
    nodeId: 'n',
    network: 'b',
    adminFolder: '/f',
    httpPort: 80,
    httpsPort: 443,
    labels: {},
    migratesRequests: false,
  };
  expect(proxyServiceSpec(options)).not.toHaveProperty('sysctls');
  expect(proxyServiceSpec(options)).not.toHaveProperty('healthCheck');
});
