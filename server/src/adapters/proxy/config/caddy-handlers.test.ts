import { describe, expect, test } from 'vitest';
import { handlers, proxies, route, servers } from '../../../../../test/caddy-document.ts';

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
