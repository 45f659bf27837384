import { request } from 'node:http';
import { describe, expect, inject, test } from 'vitest';
import { runCommand } from '../../../images/command.ts';
import { Secret } from '../../../server/src/domain/secrets/secret.ts';
import { watchRelease } from '../../../server/src/deploy/release/release-watch.ts';
import { systemClock } from '../../../server/src/ports/clock.ts';
import { dockerCli } from '../../bed/host/golden.ts';
import { makeCertificate } from '../../certificates/authority.ts';
import { until } from '../../engine-suite/fixture.ts';
import { bedEngine } from '../engine/engine-fixture.ts';
import { absentProxy, ask, httpPort, httpsPort, proxyInBed, route } from './proxy-fixture.ts';

const { engine, ip } = bedEngine();
const {
  proxy,
  name: proxyName,
  one,
  two,
  environment,
  container: proxyContainer,
} = proxyInBed({ fresh: true });

const routes = [
  route({ id: 'root', service: one.name }),
  route({ id: 'api', path: '/api', service: two.name }),
  route({ id: 'strip', path: '/api/strip', stripPath: true, service: one.name }),
  route({ id: 'inner', path: '/in/', internalPath: '/inner/', service: two.name }),
  route({ id: 'both', path: '/both', stripPath: true, internalPath: '/new', service: one.name }),
  route({ id: 'closed', path: '/closed', port: 3999, service: one.name }),
  route({ id: 'wild', host: '*.wild.test', service: two.name }),
  route({ id: 'exact', host: 'exact.wild.test', service: one.name }),
  route({ id: 'secure', host: 'secure.test', https: true, service: one.name }),
  route({ id: 'securewild', host: '*.secure.test', https: true, service: two.name }),
];

test('a proxy that is not there is unavailable', async () => {
  const nobody = absentProxy();
  expect(await nobody.current()).toBeUndefined();
  await expect(nobody.apply([])).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('admin.sock'),
  });
});

test('a fresh proxy says that it is starting, takes its routes once, tells them from others', async () => {
  expect(await proxy.current()).toBe('');
  expect(await ask('a.test')).toMatchObject({
    status: 503,
    body: 'Berth is starting; please try again in a moment.\n',
  });
  await engine.connectNetwork(await proxyContainer(), environment);
  expect(await proxy.apply(routes)).toEqual({ changed: true });
  expect(await proxy.apply(routes.toReversed())).toEqual({ changed: false });
  expect(await proxy.current()).toBe(proxy.expected(routes));
  expect(proxy.expected(routes.slice(1))).not.toBe(proxy.expected(routes));
});

describe('a request finds its service', () => {
  test.each([
    ['a.test', '/', one, '/'],
    [`A.TEST:${httpPort}`, '/x?y=1&z=%2F', one, '/x?y=1&z=%2F'],
    ['a.test', '/apix', one, '/apix'],
    ['a.test', '/api', two, '/api'],
    ['a.test', '/api/', two, '/api/'],
    ['a.test', '/api/a%2Fb//c', two, '/api/a%2Fb//c'],
    ['a.test', '/api/strip', one, '/'],
    ['a.test', '/api/strip/', one, '/'],
    ['a.test', '/api/strip/x%20y%2Fz?q=a?b', one, '/x%20y%2Fz?q=a?b'],
    ['a.test', '/api/strip?q=1', one, '/?q=1'],
    ['a.test', '/api/strips', two, '/api/strips'],
    ['a.test', '/in', two, '/inner/in'],
    ['a.test', '/in/a%2Fb?c=d%26e&f', two, '/inner/in/a%2Fb?c=d%26e&f'],
    ['a.test', '/both', one, '/new'],
    ['a.test', '/both/a%2Fb?c', one, '/new/a%2Fb?c'],
    ['any.wild.test', '/', two, '/'],
    ['exact.wild.test', '/', one, '/'],
  ])('%s%s', async (host, path, service, url) => {
    const answer = await ask(host, { path });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ service: service.name, url });
  });

  test.each(['nobody.test', 'wild.test', 'a.b.wild.test', ip, 'xn--a.test'])('or none: %s', async (host) => {
    expect(await ask(host)).toMatchObject({
      status: 404,
      body: 'No application of this server answers to this host name.\n',
    });
  });

  test('and a service that does not listen is a bad gateway, after 5 s of trying', async () => {
    const startedAt = performance.now();
    expect((await ask('a.test', { path: '/closed' })).status).toBe(502);
    expect(performance.now() - startedAt).toBeGreaterThan(4_500);
  });
});

describe('what the service is told', () => {
  const headersAt = async (path: string, headers: Record<string, string> = {}) =>
    JSON.parse((await ask('a.test', { path, headers })).body).headers;

  test('comes from the proxy, whatever the client claims', async () => {
    const claims = {
      'X-Forwarded-For': '6.6.6.6',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'evil.test',
      'X-Forwarded-Port': '1',
      'X-Forwarded-Prefix': '/evil',
      'X-Real-IP': '6.6.6.6',
      Forwarded: 'for=6.6.6.6',
    };
    const client = inject('bed').machineIp;
    const told = {
      host: 'a.test',
      via: '1.1 Caddy',
      'x-forwarded-for': client,
      'x-forwarded-host': 'a.test',
      'x-forwarded-proto': 'http',
      'x-real-ip': client,
    };
    expect(await headersAt('/', claims)).toEqual({ ...told, connection: undefined });
  });

  test('names the prefix that was taken off', async () => {
    expect(await headersAt('/api/strip/x')).toMatchObject({ 'x-forwarded-prefix': '/api/strip' });
  });
});

test('a WebSocket passes', async () => {
  const headers = { Host: 'a.test', Connection: 'Upgrade', Upgrade: 'websocket' };
  const echoed = await new Promise<string>((resolve, reject) => {
    const sent = request({
      host: ip,
      port: httpPort,
      headers,
      agent: false,
      signal: AbortSignal.timeout(5_000),
    });
    sent.on('error', reject);
    sent.on('upgrade', (response, socket) => {
      socket.once('data', (data: Buffer) => {
        resolve(`${response.statusCode} ${data.toString()}`);
        socket.destroy();
      });
      socket.write('hello');
    });
    sent.end();
  });
  expect(echoed).toBe('101 hello');
});

describe('https', () => {
  test.each([
    ['secure.test', one],
    ['any.secure.test', two],
  ])('%s answers with a certificate of the proxy’s own authority', async (host, service) => {
    const answer = await until('a certificate', () =>
      ask(host, { path: '/x?y', secure: true }).catch(() => undefined),
    );
    expect(answer).toMatchObject({ status: 200, issuer: expect.stringContaining('Caddy Local Authority') });
    expect(JSON.parse(answer.body)).toMatchObject({
      service: service.name,
      url: '/x?y',
      headers: { 'x-forwarded-proto': 'https' },
    });
  });

  test('is redirected to, method and address kept', async () => {
    const answer = await ask('secure.test', { path: '/p?q=1', method: 'POST' });
    expect(answer).toMatchObject({
      status: 308,
      headers: { location: `https://secure.test:${httpsPort}/p?q=1` },
    });
  });

  test('does not answer for plain hosts', async () => {
    await expect(ask('a.test', { secure: true })).rejects.toThrow(/alert|SSL|TLS/i);
  });
});

test('a refused configuration leaves the former one at work, and nothing of itself', async () => {
  await proxy.apply(routes);
  const before = await proxy.current();
  // A curve that the proxy's library does not know.
  const { pem, key } = makeCertificate({ name: 'odd.test', hosts: ['odd.test'], curve: 'secp256k1' });
  const odd = route({
    id: 'odd',
    host: 'odd.test',
    https: true,
    certificate: { source: 'uploaded', certificateId: 'odd', chain: pem, privateKey: new Secret(key) },
    service: one.name,
  });
  await expect(
    proxy.apply([...routes, odd, route({ id: 'ghost', host: 'ghost.test', service: one.name })]),
  ).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(/keeps the former ones.*curve/),
  });
  expect(await proxy.current()).toBe(before);
  const statuses = async (host: string): Promise<number[]> => [
    ...new Set(await Promise.all(Array.from({ length: 30 }, async () => (await ask(host)).status))),
  ];
  expect([await statuses('a.test'), await statuses('ghost.test')]).toEqual([[200], [404]]);
  await expect(
    proxy.apply([route({ id: 'bad', path: '/{env.HOME}', service: one.name })]),
  ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  // Nobody holds a port besides: whatever comes next is seen by everybody.
  await proxy.apply([...routes, route({ id: 'next', host: 'next.test', service: one.name })]);
  expect(await statuses('next.test')).toEqual([200]);
  await proxy.apply(routes);
});

test('both ports are listened on from the first moment, whatever the routes', async () => {
  await proxy.apply(routes.filter((each) => !each.https));
  const listening = runCommand(
    [
      dockerCli,
      '-H',
      `unix://${inject('servers').m1.engineSocket}`,
      'exec',
      await proxyContainer(),
      '/.berth/busybox',
      'grep',
      '-cE',
      ':01BB [0-9A-F]+:0000 0A',
      '/proc/net/tcp6',
    ],
    { limitMs: 10_000 },
  );
  expect((await listening).stdout.trim()).toBe('1');
  await proxy.apply(routes);
});

test('a rolling release loses no request and changes nothing at the proxy', async () => {
  const before = await proxy.current();
  const statuses: (number | string)[] = [];
  const pending: Promise<unknown>[] = [];
  const load = setInterval(
    () =>
      pending.push(
        ask('a.test').then(
          (answer) => statuses.push(answer.status),
          (error: unknown) => statuses.push(String(error)),
        ),
      ),
    20,
  );
  const next = { ...one, release: 'r2' };
  const { generation } = await engine.applyService(next);
  const watch = {
    engine,
    clock: systemClock,
    serviceName: one.name,
    generation,
    expectedReplicas: 1,
    monitorMs: one.monitorMs,
  };
  const outcome = await watchRelease({
    ...watch,
    signal: new AbortController().signal,
    limitMs: 60_000,
    onEvent: () => undefined,
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  clearInterval(load);
  await Promise.all(pending);
  expect(outcome).toEqual({ kind: 'completed', healthyAt: expect.any(Number) });
  expect(statuses.length).toBeGreaterThan(100);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(await proxy.current()).toBe(before);
});

test('after a restart it knows nothing until its networks and routes are given to it again', async () => {
  const former = await proxyContainer();
  await engine.restartService(proxyName);
  await until('another container', async () => (await proxyContainer()) !== former);
  expect(
    await until('an answer of the fresh proxy', async () =>
      (await proxy.current()) === '' ? 'fresh' : undefined,
    ),
  ).toBe('fresh');
  await engine.connectNetwork(await proxyContainer(), environment);
  expect(await proxy.apply(routes)).toEqual({ changed: true });
  expect((await ask('a.test')).status).toBe(200);
});
