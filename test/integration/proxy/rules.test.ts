/** Rules of a domain at the real proxy: addresses, maintenance, pages, headers, packing, trusted proxies. */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { listens, uniqueName, untilRunning } from '../../engine-suite/fixture.ts';
import { bedEngine, nodeService } from '../engine/engine-fixture.ts';
import { ask, attached, httpPort, proxyInBed, route } from './proxy-fixture.ts';

const { engine, ip } = bedEngine();
const bed = proxyInBed();
const { proxy } = bed;
const me = inject('bed').machineIp;

/** Answers with the status, type and body that its address names. */
const answering = `
  require('node:http').createServer((request, response) => {
    const { pathname, searchParams: asked } = new URL(request.url, 'http://x');
    const type = asked.get('type');
    const body = asked.has('size') ? 'a'.repeat(Number(asked.get('size'))) : JSON.stringify(
      { url: request.url, headers: request.headers });
    let bytes = 0;
    request.on('data', (chunk) => (bytes += chunk.length)).on('end', () => {
      response.writeHead(Number(asked.get('status') ?? 200), {
        'x-powered-by': 'node', 'x-bytes': bytes, ...(type === null ? {} : { 'content-type': type }) });
      response.end(body);
    });
  }).listen(3000);
  process.on('SIGTERM', () => process.exit(0));`;
const service = nodeService(uniqueName('answering'), answering, {
  networks: [bed.environment],
  healthCheck: listens,
});

const page = '<style>body{color:red}</style><p>{env.HOME} {http.request.host} \\{x}</p>';
const to = (id: string, change: object = {}) =>
  route({ id, host: `${id}.rules.test`, service: service.name, ...change });
const trusting = { trustedProxies: [`${me}/32`] };
const routes = [
  to('open'),
  to('allowed', { allowedAddresses: [me] }),
  to('elsewhere', { allowedAddresses: ['192.0.2.0/24', '2001:db8::/32'], errorPages: { '403': page } }),
  to('denied', { deniedAddresses: [`${me}/32`] }),
  to('maintained', { maintenancePage: page }),
  to('told', { maintenancePage: '' }),
  to('pages', { errorPages: { '404': page, '5xx': '<p>five</p>' }, maxBodyBytes: 10 }),
  to('gone', { service: uniqueName('absent'), errorPages: { '5xx': page } }),
  to('headers', { responseHeaders: { 'X-Frame-Options': 'DENY', 'X-Powered-By': '' } }),
  to('packed', { compression: true }),
  to('trusts', trusting),
  to('chain', { trustedProxies: [`${me}/32`, '198.51.100.0/24'], followsChain: true }),
  to('chained', {
    ...trusting,
    followsChain: true,
    allowedAddresses: ['203.0.113.7'],
    deniedAddresses: ['203.0.113.9'],
  }),
  to('alone', { ...trusting, allowedAddresses: ['203.0.113.7'] }),
  to('distrusts', { trustedProxies: ['192.0.2.1/32'] }),
  to('https', { https: true, certificate: { source: 'internal' }, ...trusting }),
  to('part', { path: '/only' }),
  to('letters', { path: '/café au lait', stripPath: true, internalPath: '/größe' }),
];
const host = (id: string): string => `${id}.rules.test`;
const forwarded = (value: string, more: Record<string, string> = {}) => ({
  headers: { 'X-Forwarded-For': value, 'X-Forwarded-Proto': 'https', ...more },
});
const seen = async (id: string, asked: Parameters<typeof ask>[1] = {}) =>
  JSON.parse((await ask(host(id), asked)).body).headers;

beforeAll(async () => {
  await engine.applyService(service);
  await untilRunning(engine, service.name);
  await attached(bed);
  await proxy.apply(routes);
});
afterAll(() => engine.removeService(service.name));

describe('who may ask', () => {
  test.each([
    ['open', 200],
    ['allowed', 200],
    ['elsewhere', 403],
    ['denied', 403],
  ])('%s: %i', async (id, status) => {
    expect((await ask(host(id))).status).toBe(status);
    // Nobody gets in by what he says of himself.
    expect((await ask(host(id), forwarded('192.0.2.1'))).status).toBe(status);
  });

  test('is the client of a trusted proxy, and not what the client made up', async () => {
    for (const [chain, status] of [
      ['203.0.113.7', 200],
      ['203.0.113.8', 403],
      ['203.0.113.7, 203.0.113.8', 403],
      ['203.0.113.8, 203.0.113.7', 200],
      ['203.0.113.9', 403],
    ] as const)
      expect([chain, (await ask(host('chained'), forwarded(chain))).status]).toEqual([chain, status]);
    expect((await ask(host('alone'), forwarded('203.0.113.7'))).status).toBe(403);
  });
});

describe('maintenance and pages', () => {
  test('nothing reaches a service in maintenance', async () => {
    const answer = await ask(host('maintained'));
    expect([answer.status, answer.body]).toEqual([503, page]);
    expect(answer.headers).toMatchObject({ 'retry-after': '60', 'content-type': 'text/html; charset=utf-8' });
    expect((await ask(host('told'))).body).toContain('in maintenance');
  });

  test('stand in place of errors of the service and of the proxy, braces and all', async () => {
    for (const [id, path, status, body] of [
      ['pages', '/?status=404', 404, page],
      ['pages', '/?status=500', 500, '<p>five</p>'],
      ['pages', '/?status=503', 503, '<p>five</p>'],
      ['pages', '/?status=418&size=3', 418, 'aaa'],
      ['pages', '/?size=3', 200, 'aaa'],
      ['gone', '/', 503, page],
      ['elsewhere', '/', 403, page],
    ] as const) {
      const answer = await ask(host(id), { path });
      expect([id, path, answer.status < 500 ? answer.status : Math.floor(answer.status / 100)]).toEqual([
        id,
        path,
        status < 500 ? status : 5,
      ]);
      expect(answer.body).toBe(body);
    }
  });
});

test('headers of answers are set and taken away', async () => {
  const { headers } = await ask(host('headers'));
  expect(headers).toMatchObject({ 'x-frame-options': 'DENY' });
  expect(headers).not.toHaveProperty('x-powered-by');
  expect((await ask(host('open'))).headers).toMatchObject({ 'x-powered-by': 'node' });
});

test('texts are packed for those who take that, streams of events are not', async () => {
  const asked = (type: string) =>
    new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
      request(
        {
          host: ip,
          port: httpPort,
          path: `/?size=5000&type=${type}`,
          headers: { Host: host('packed'), 'Accept-Encoding': 'gzip' },
          agent: false,
          signal: AbortSignal.timeout(10_000),
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) }),
          );
        },
      )
        .on('error', reject)
        .end();
    });
  const packed = await asked('text/html');
  expect(packed.encoding).toBe('gzip');
  expect(gunzipSync(packed.body).length).toBe(5000);
  expect(await asked('text/event-stream')).toMatchObject({ encoding: undefined });
  expect(await asked('image/png')).toMatchObject({ encoding: undefined });
});

describe('headers of proxies in front', () => {
  const told = forwarded('203.0.113.7', { 'CF-Connecting-IP': '203.0.113.7', Forwarded: 'for=203.0.113.7' });

  test('are kept from those that the domain trusts', async () => {
    expect(await seen('trusts', told)).toMatchObject({
      'x-forwarded-for': `203.0.113.7, ${me}`,
      'x-forwarded-proto': 'https',
      'x-real-ip': '203.0.113.7',
      'cf-connecting-ip': '203.0.113.7',
      forwarded: 'for=203.0.113.7',
    });
    expect(await seen('chain', forwarded('192.0.2.9, 203.0.113.7, 198.51.100.4'))).toMatchObject({
      'x-real-ip': '203.0.113.7',
    });
    expect(await seen('trusts')).toMatchObject({ 'x-forwarded-for': me, 'x-real-ip': me });
  });

  test.each(['open', 'distrusts'])('are taken from all others (%s)', async (id) => {
    const headers = await seen(id, told);
    expect(headers).toMatchObject({ 'x-forwarded-for': me, 'x-forwarded-proto': 'http', 'x-real-ip': me });
    expect(headers).not.toHaveProperty('cf-connecting-ip');
    expect(headers).not.toHaveProperty('forwarded');
  });

  test('that took the request over https are not sent there again', async () => {
    expect((await ask(host('https'))).status).toBe(308);
    expect((await ask(host('https'), forwarded('203.0.113.7'))).status).toBe(200);
  });
});

describe('what the proxy leaves alone', () => {
  test('an answer without a type gets none', async () => {
    expect((await ask(host('open'))).headers['content-type'] ?? '').toBe('');
    expect((await ask(host('open'), { path: '/?type=text/x-own' })).headers['content-type']).toBe(
      'text/x-own',
    );
  });

  test('a client that waits for leave to send its body gets it once', async () => {
    const leaves: number[] = [];
    const bytes = await new Promise((resolve, reject) => {
      const sent = request(
        {
          host: ip,
          port: httpPort,
          method: 'POST',
          headers: { Host: host('open'), Expect: '100-continue', 'Content-Length': '5' },
          agent: false,
          signal: AbortSignal.timeout(10_000),
        },
        (response) => {
          response.resume().on('end', () => resolve(response.headers['x-bytes']));
        },
      );
      sent.on('information', ({ statusCode }) => leaves.push(statusCode));
      sent.on('continue', () => {
        leaves.push(100);
        if (leaves.length === 1) sent.end('hello');
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });
    expect([bytes, leaves.filter((status) => status === 100).length > 0]).toEqual(['5', true]);
    expect(leaves.length).toBeLessThanOrEqual(2);
  });

  test('paths beyond ASCII are found, taken away and put in front', async () => {
    for (const path of ['/caf%C3%A9%20au%20lait/x%2Fy', '/caf%c3%a9%20au%20lait/x%2Fy']) {
      const { url, headers } = JSON.parse((await ask(host('letters'), { path })).body);
      expect([url, headers['x-forwarded-prefix']]).toEqual([
        '/gr%C3%B6%C3%9Fe/x%2Fy',
        '/caf%C3%A9%20au%20lait',
      ]);
    }
  });

  test('a path and a host that nobody has are told apart', async () => {
    expect((await ask(host('part'), { path: '/only/x' })).status).toBe(200);
    expect(await ask(host('part'))).toMatchObject({
      status: 404,
      body: expect.stringContaining('this path'),
    });
    expect(await ask('nobody.rules.test')).toMatchObject({
      status: 404,
      body: expect.stringContaining('this host name'),
    });
  });
});
