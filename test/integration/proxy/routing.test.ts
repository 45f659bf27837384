/**
 * The routing table at the real proxy, and the tricks with headers, hosts, framing and paths: none reaches
 * another service or passes a sign-in.
 */
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { hashPassword } from '../../../server/src/modules/basic-auth/password-hash.ts';
import type { Route } from '../../../server/src/ports/proxy.ts';
import { until } from '../../engine-suite/fixture.ts';
import { bedEngine } from '../engine/engine-fixture.ts';
import { ask, attached, httpPort, httpsPort, proxyInBed, route } from './proxy-fixture.ts';
import { routedDomains, rows } from './routing-table.ts';
import { corpus, end } from './smuggling.ts';

const { ip } = bedEngine();
const bed = proxyInBed();
const { proxy, one, two } = bed;
const nameOf = { one: one.name, two: two.name };

/** For the tricks: `open` leads to one, everything closed to two. */
let tricked: Route[];

beforeAll(async () => {
  await attached(bed);
  const table = routedDomains.map(({ to, ...domain }, index) =>
    route({ ...domain, id: `r${index}`, service: to === 'two' ? two.name : one.name }),
  );
  const accounts = [{ username: 'ann', passwordHash: await hashPassword('secret') }];
  tricked = [
    route({ id: 'open', host: 'open.test', service: one.name }),
    route({
      id: 'strip',
      host: 'open.test',
      path: '/files',
      stripPath: true,
      internalPath: '/public',
      service: one.name,
    }),
    route({ id: 'closed', host: 'closed.test', service: two.name, accounts }),
    route({ id: 'part', host: 'open.test', path: '/admin', service: two.name, accounts }),
    route({
      id: 'sopen',
      host: 'sopen.test',
      https: true,
      certificate: { source: 'internal' },
      service: one.name,
    }),
    route({
      id: 'sclosed',
      host: 'sclosed.test',
      https: true,
      certificate: { source: 'internal' },
      service: two.name,
      accounts,
    }),
  ];
  await proxy.apply([...table, ...tricked]);
});

test('the routing table has at least eighty rows', () => {
  expect(rows.length).toBeGreaterThanOrEqual(80);
});

const toServices = rows.flatMap(({ to, ...row }) => (to === 'nobody' ? [] : [{ ...row, to }]));

test.concurrent.each(toServices)('$host $path → $to $sees', async ({ host, path, to, sees, headers }) => {
  const answer = await ask(host, { path });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toMatchObject({
    service: nameOf[to],
    url: sees ?? path,
    headers: headers ?? {},
  });
});

test.concurrent.each(rows.filter(({ to }) => to === 'nobody'))(
  '$host $path → nobody',
  async ({ host, path }) => {
    const isKnown = routedDomains.some((domain) => domain.host === host);
    expect(await ask(host, { path })).toMatchObject({
      status: 404,
      body: isKnown
        ? 'No application of this host answers to this path.\n'
        : 'No application of this server answers to this host name.\n',
    });
  },
);

describe('headers that claim something', () => {
  const claims = {
    'X-Forwarded-For': '6.6.6.6, 7.7.7.7',
    'X-Forwarded-Host': 'closed.test',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Port': '1',
    'X-Forwarded-Server': 'evil',
    'X-Forwarded-Prefix': '/evil',
    'X-Real-Ip': '6.6.6.6',
    'True-Client-Ip': '6.6.6.6',
    'X-Client-Ip': '6.6.6.6',
    'X-Cluster-Client-Ip': '6.6.6.6',
    'Cf-Connecting-Ip': '6.6.6.6',
    Forwarded: 'for=6.6.6.6;host=closed.test',
    'X-Original-Url': '/admin',
    'X-Rewrite-Url': '/admin',
    'X-Original-Host': 'closed.test',
    'X-Host': 'closed.test',
    'X-Forwarded-User': 'ann',
    'X-Http-Method-Override': 'DELETE',
    'Client-Ip': '6.6.6.6',
    'X-Forwarded-Ssl': 'on',
    'X-Forwarded-Scheme': 'https',
    'X-Forwarded-Uri': '/admin',
    'Front-End-Https': 'on',
    'X-ProxyUser-Ip': '6.6.6.6',
    'X-Original-Forwarded-For': '6.6.6.6',
    'X-Azure-ClientIP': '6.6.6.6',
    'X-Envoy-External-Address': '6.6.6.6',
  };

  test('change neither the route nor what the service is told of the client', async () => {
    const { service, headers } = JSON.parse((await ask('open.test', { headers: claims })).body);
    const client = inject('bed').machineIp;
    expect(service).toBe(one.name);
    expect(headers).toMatchObject({
      'x-forwarded-for': client,
      'x-real-ip': client,
      'x-forwarded-host': 'open.test',
      'x-forwarded-proto': 'http',
    });
    for (const name of [
      'forwarded',
      'x-forwarded-port',
      'x-forwarded-server',
      'x-forwarded-prefix',
      'x-original-url',
      'x-rewrite-url',
      'true-client-ip',
      'x-client-ip',
      'x-cluster-client-ip',
      'cf-connecting-ip',
      'client-ip',
      'x-forwarded-ssl',
      'x-forwarded-scheme',
      'x-forwarded-uri',
      'front-end-https',
      'x-proxyuser-ip',
      'x-original-forwarded-for',
      'x-azure-clientip',
      'x-envoy-external-address',
    ])
      expect([name, headers[name]]).toEqual([name, undefined]);
  });

  test.concurrent.each(Object.entries(claims))('%s passes no sign-in', async (name, value) => {
    expect((await ask('closed.test', { headers: { [name]: value } })).status).toBe(401);
  });

  test('named as of the connection are not taken away', async () => {
    // RFC 9110, 7.6.1: whoever names a header in Connection would have it removed on the way.
    const { headers } = JSON.parse(
      (
        await ask('open.test', {
          headers: { Connection: 'close, X-Forwarded-For, X-Real-Ip, X-Forwarded-Host' },
        })
      ).body,
    );
    expect(headers).toMatchObject({
      'x-forwarded-for': inject('bed').machineIp,
      'x-real-ip': inject('bed').machineIp,
      'x-forwarded-host': 'open.test',
    });
  });

  test('that ask for HTTP/2 in clear text are not passed on', async () => {
    const text = await raw(
      'GET / HTTP/1.1\r\nHost: open.test\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n' +
        'Connection: close, Upgrade, HTTP2-Settings\r\n\r\n',
    );
    expect(text).not.toContain('h2c');
    expect(text.toLowerCase()).not.toContain('http2-settings');
  });

  test('with an underscore for the hyphen are not passed on', async () => {
    const text = await raw(
      'GET / HTTP/1.1\r\nHost: open.test\r\nX_Forwarded_For: 6.6.6.6\r\nX_Real_Ip: ' +
        '6.6.6.6\r\nConnection: close\r\n\r\n',
    );
    expect(text).not.toContain('6.6.6.6');
  });
});

test.concurrent.each(corpus)('%s reaches no closed service', async (_, bytes) => {
  // A request behind the first on the same connection is one of its own: it is asked for its sign-in, or the
  // connection ends.
  expect(await raw(bytes)).not.toContain(two.name);
});

describe('a path in disguise', () => {
  const disguises = [
    '/admin',
    '/admin/',
    '/admin/x',
    '/ADMIN',
    '/aDmIn/x',
    '/%61dmin',
    '/%61%64%6d%69%6e',
    '/./admin',
    '/.//admin',
    '//admin',
    '///admin/x',
    '/x/../admin',
    '/x/%2e%2e/admin',
    '/x/%2E./admin',
    '/x/.%2e/admin',
    '/files/../admin',
    '/files/%2e%2e/admin',
    '/files/..%2fadmin',
    '/files/..%5cadmin',
    '/files/..;/admin',
    '/files/%252e%252e/admin',
    '/admin%00',
    '/admin%20',
    '/admin%09',
    '/admin;x',
    '/admin.',
    '/admin/..',
    '/admin/../admin',
    '/admin/%2e',
    '/admin#x',
    '/admin?x',
    '/admin%3fx',
    '/admin%2f',
    '/files/../../admin',
    '/files/../../../../etc/passwd',
    '/..%2f..%2fadmin',
    '/%2e%2e/%2e%2e/admin',
    '/..\\admin',
    '/x\\..\\admin',
    '/\u00e4/../admin',
    '/admi%6e',
    '/%C0%AFadmin',
    '/%EF%BC%8Fadmin',
    '/admin\u0131',
  ];

  test.concurrent.each(disguises)(
    '%s is asked for its sign-in, or is none of the closed service',
    async (path) => {
      const text = await raw(`GET ${path} HTTP/1.1\r\nHost: open.test${end}`);
      expect(text).not.toContain(two.name);
      expect(text).toMatch(/^HTTP\/1\.1 (200|400|401|404) /);
    },
  );

  test.concurrent.each([
    '/files/../x',
    '/files/%2e%2e/x',
    '/files/..%2fx',
    '/files/a/../../x',
    '/files//../x',
    '/files/..;/x',
    '/files/.%2e/x',
    '/FILES/../x',
  ])('%s does not leave the internal path', async (path) => {
    const text = await raw(`GET ${path} HTTP/1.1\r\nHost: open.test${end}`);
    // The open service at its root, or below its internal path; there it sees nothing that it would resolve
    // to above it.
    const seen = /"url":"(\/public[^"]*)"/.exec(text)?.[1] ?? '/public';
    expect(new URL(decodeURIComponent(seen), 'http://x').pathname).toMatch(/^\/public/);
    expect(text).not.toContain(two.name);
  });
});

describe('https', () => {
  beforeAll(() => until('a certificate', () => ask('sopen.test', { secure: true }).catch(() => undefined)));

  test('of one host asks for nothing of another', async () => {
    // The name in the greeting is open, the Host is closed: its sign-in stands.
    const text = await rawSecurely('sopen.test', `GET / HTTP/1.1\r\nHost: sclosed.test${end}`);
    expect(text).not.toContain(two.name);
    expect(text).toMatch(/^HTTP\/1\.1 (401|421) /);
  });

  test('is not left by a plain request to its host', async () => {
    expect(await raw(`GET / HTTP/1.1\r\nHost: sclosed.test${end}`)).toMatch(/^HTTP\/1\.1 308 /);
    expect(await rawSecurely('sopen.test', `GET / HTTP/1.1\r\nHost: open.test${end}`)).toMatch(
      /^HTTP\/1\.1 404 /,
    );
  });

  test.concurrent.each([
    '//evil.test',
    '/\\evil.test',
    '/%0d%0aSet-Cookie:x',
    '/@evil.test',
    'http://evil.test/',
  ])('%s redirects to no other host', async (path) => {
    const location = /^location: (.*)$/im.exec(
      await raw(`GET ${path} HTTP/1.1\r\nHost: sopen.test${end}`),
    )?.[1];
    expect(new URL(location ?? `https://sopen.test:${httpsPort}`).host).toBe(`sopen.test:${httpsPort}`);
  });
});

/** What comes back for these bytes. */
function raw(bytes: string): Promise<string> {
  return said(connect({ host: ip, port: httpPort }), bytes);
}

function rawSecurely(name: string, bytes: string): Promise<string> {
  return said(
    connectSecurely({
      host: ip,
      port: httpsPort,
      servername: name,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    }),
    bytes,
  );
}

function said(socket: ReturnType<typeof connect>, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket
      .on('connect', () => socket.write(Buffer.from(bytes, 'utf8')))
      .setEncoding('utf8')
      .on('data', (chunk: string) => (text += chunk));
    // A reset is an end, too.
    socket.on('error', () => undefined).on('close', () => resolve(text));
    socket.setTimeout(1_500, () => socket.destroy());
  });
}
