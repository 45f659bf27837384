/**
 * What stands before a service at the real proxy: the sign-in, then redirects; and the ways round them that
 * people try.
 */
import { request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../../server/src/modules/basic-auth/password-hash.ts';
import type { Route } from '../../../server/src/ports/proxy.ts';
import { bedEngine } from '../engine/engine-fixture.ts';
import { ask, attached, httpPort, httpsPort, proxyInBed, route } from './proxy-fixture.ts';

const { ip } = bedEngine();
const bed = proxyInBed();
const { proxy, one, two } = bed;
const redirects = [
  { regex: '^https?://www\\.(.+)', replacement: 'https://${1}', permanent: true },
  { regex: '^/old/(.*)$', replacement: '/$1', permanent: false },
  { regex: '/(?P<year>[0-9]{4})/(?i)report', replacement: '/archive/${year}', permanent: true },
  { regex: '^/go/(.*)', replacement: 'https://elsewhere.test/$1?from=$0', permanent: false },
  { regex: '^/old', replacement: '/never', permanent: false },
];
let routes: Route[];

const credentials = (user: string, password: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const ann = credentials('ann', 'correct horse: battery ä');

beforeAll(async () => {
  await attached(bed);
  const accounts = [
    { username: 'ann', passwordHash: await hashPassword('correct horse: battery ä') },
    { username: 'Bob Lee', passwordHash: await hashPassword('x') },
  ];
  routes = [
    route({ id: 'open', host: 'open.test', service: two.name, redirects }),
    route({ id: 'wild', host: '*.wild.test', service: two.name, redirects }),
    route({ id: 'closed', host: 'closed.test', service: one.name, accounts, redirects }),
    route({ id: 'part', host: 'part.test', service: two.name }),
    route({ id: 'partclosed', host: 'part.test', path: '/admin', service: one.name, accounts }),
    route({ id: 'securely', host: 'securely.test', service: one.name, https: true, accounts }),
  ];
  await proxy.apply(routes);
});

describe('a sign-in', () => {
  test('lets nobody pass without it, and tells nothing', async () => {
    for (const headers of [
      {},
      credentials('ann', 'wrong'),
      credentials('ann', ''),
      credentials('eve', 'x'),
      credentials('', ''),
      { Authorization: 'Basic !!!' },
      { Authorization: 'Bearer token' },
      { Authorization: 'Basic' },
    ]) {
      const answer = await ask('closed.test', { headers });
      expect(answer).toMatchObject({
        status: 401,
        body: '',
        headers: { 'www-authenticate': 'Basic realm="Restricted"' },
      });
    }
  });

  test('lets its users pass, whose password the service does not see', async () => {
    for (const headers of [ann, credentials('Bob Lee', 'x')]) {
      const answer = await ask('closed.test', { headers, path: '/x?y' });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({ service: one.name, url: '/x?y' });
      expect(JSON.parse(answer.body).headers).not.toHaveProperty('authorization');
    }
  });

  test('stands before redirects: where they lead is behind it', async () => {
    for (const path of ['/old/x', '/go/x', '/2024/report']) {
      expect(await ask('closed.test', { path })).toMatchObject({
        status: 401,
        headers: expect.not.objectContaining({ location: expect.anything() }),
      });
    }
    expect(await ask('closed.test', { path: '/old/x', headers: ann })).toMatchObject({
      status: 307,
      headers: { location: `http://closed.test:${httpPort}/x` },
    });
  });

  test('is asked for on https only, where the domain has it', async () => {
    expect(await ask('securely.test')).toMatchObject({
      status: 308,
      headers: { location: `https://securely.test:${httpsPort}/` },
    });
  });

  test('is the service’s own matter where there is none', async () => {
    const { body } = await ask('open.test', { headers: ann });
    expect(JSON.parse(body).headers).toMatchObject({ authorization: ann['Authorization'] });
  });

  test('can be had by part of a host, whose path cannot be dressed up', async () => {
    for (const path of [
      '/admin',
      '/admin/',
      '/admin/x',
      '/ADMIN',
      '/Admin/x',
      '/%61dmin',
      '/%61%64%6D%69%6E/x',
      '//admin',
      '/./admin',
      '/x/../admin',
      '/admin/../admin/x',
      '/x/%2e%2e/admin',
      '/admin;x=1',
      '/admin%2Fx',
      '/admin/.',
      '/admin?x',
      '/%2Fadmin',
    ]) {
      const { status, body } = await ask('part.test', { path });
      // Either the closed part asks for its sign-in, or the open service got it: never the closed service.
      expect([path, status === 401 ? 'asked' : JSON.parse(body).service]).toEqual([
        path,
        status === 401 ? 'asked' : two.name,
      ]);
    }
    for (const path of [
      '/admin',
      '/admin/',
      '/admin/x',
      '/ADMIN',
      '/%61dmin',
      '/x/../admin',
      '/x/%2e%2e/admin',
      '//admin',
    ])
      expect([path, (await ask('part.test', { path })).status]).toEqual([path, 401]);
  });

  test('is not passed by forged headers, hosts and methods', async () => {
    const forged = [
      'X-Forwarded-User',
      'X-Forwarded-Host',
      'X-Original-URL',
      'X-Rewrite-URL',
      'X-Forwarded-For',
      'X-Real-IP',
      'Forwarded',
      'X-HTTP-Method-Override',
      'X-Accel-Redirect',
      'Proxy-Authorization',
    ];
    for (const name of forged)
      expect([
        name,
        (await ask('closed.test', { headers: { [name]: name === 'X-Original-URL' ? '/open' : '127.0.0.1' } }))
          .status,
      ]).toEqual([name, 401]);
    for (const host of ['CLOSED.test', 'closed.test:80', 'closed.test:1'])
      expect([host, (await ask(host)).status]).toEqual([host, 401]);
    for (const method of ['HEAD', 'POST', 'PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'ANY'])
      expect([method, (await ask('closed.test', { method })).status]).toEqual([method, 401]);
  });

  test('is not passed by absolute addresses, two hosts, smuggled requests or an upgrade', async () => {
    const attempts = [
      'GET http://closed.test/ HTTP/1.1\r\nHost: open.test\r\nConnection: close\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: open.test\r\nHost: closed.test\r\nConnection: close\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: closed.test\r\nHost: open.test\r\nConnection: close\r\n\r\n',
      'GET / HTTP/1.1\r\nHost : closed.test\r\nConnection: close\r\n\r\n',
      'GET / HTTP/1.0\r\nHost: closed.test\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: open.test\r\nContent-Length: 4\r\nTransfer-Encoding: ' +
        'chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: closed.test\r\nConnection: close\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: open.test\r\nTransfer-Encoding : chunked\r\nContent-Length: ' +
        '44\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: closed.test\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: open.test\r\nContent-Length: 45\r\n\r\nGET / HTTP/1.1\r\nHost: ' +
        'closed.test\r\nA: b\r\n\r\n',
    ];
    for (const attempt of attempts)
      expect([attempt, (await raw(attempt)).includes(one.name)]).toEqual([attempt, false]);
    const upgraded = await new Promise<number>((resolve, reject) => {
      const sent = request({
        host: ip,
        port: httpPort,
        headers: { Host: 'closed.test', Connection: 'Upgrade', Upgrade: 'websocket' },
        agent: false,
        signal: AbortSignal.timeout(5_000),
      });
      sent.on('upgrade', (_response, socket) => {
        socket.destroy();
        resolve(101);
      });
      sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
      sent.on('error', reject);
      sent.end();
    });
    expect(upgraded).toBe(401);
  });
});

describe('redirects', () => {
  const home = `http://open.test:${httpPort}`;

  test.each([
    ['open.test', '/', 200, undefined],
    ['open.test', '/x/old/y', 200, undefined],
    ['open.test', '/old/a%2Fb?c=d%26', 307, `${home}/a%2Fb?c=d%26`],
    ['open.test', '/old//evil.test', 307, `${home}//evil.test`],
    ['open.test', '/older', 307, `${home}/neverer`],
    ['open.test', '/x/2024/REPORT/y?z', 308, `${home}/x/archive/2024/y?z`],
    ['open.test', '/go/x', 307, 'https://elsewhere.test/x?from=/go/x'],
    ['www.wild.test', '/p?q', 308, `https://wild.test:${httpPort}/p?q`],
    ['b.wild.test', '/old/x', 307, `http://b.wild.test:${httpPort}/x`],
    [
      'open.test',
      '/go/{env.HOME}?{env.HOME}{http.request.host}',
      307,
      'https://elsewhere.test/%7Benv.HOME%7D?{env.HOME}{http.request.host}?from=/go/%7Benv.HOME%7D?{env.HOME}{http.request.host}',
    ],
  ])('%s%s → %i %s', async (host, path, status, location) => {
    const answer = await ask(host, { path });
    expect([answer.status, answer.headers.location]).toEqual([status, location]);
  });

  test('a regular expression of every kind that is let in is taken by the proxy', async () => {
    const kinds = [
      'a|b|',
      '(?i)x',
      '(?P<year>[0-9]{4})',
      '[]a-z[:digit:]\\]^-]',
      '\\Qa.b*(\\E+',
      '\\A\\/x\\z',
      '\\x41\\x{1F600}\\t\\pL\\p{Lu}\\P{^Nd}',
      '(?s-i:.)(?U)x+',
      '(?:(?:a{10}){10}){10}',
      '}',
      '()',
      'ä[ö-ü]',
      'a{2}',
      '(((((((((((x)))))))))))',
    ];
    const all = route({
      id: 'kinds',
      host: 'kinds.test',
      service: two.name,
      redirects: kinds.map((regex) => ({ regex, replacement: '/$0', permanent: false })),
    });
    expect(await proxy.apply([...routes, all])).toEqual({ changed: true });
    expect(await proxy.apply(routes)).toEqual({ changed: true });
  });
});

/** What comes back for these bytes. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: ip, port: httpPort }, () => socket.write(bytes));
    socket
      .setEncoding('utf8')
      .on('data', (chunk: string) => (text += chunk))
      .on('error', reject)
      .on('close', () => resolve(text));
    socket.setTimeout(2_000, () => socket.destroy());
  });
}
