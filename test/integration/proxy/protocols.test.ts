/**
 * What passes through the real proxy besides plain requests: HTTP/2, HTTP/3 as far as it is offered, gRPC,
 * server-sent events, WebSockets; and the options of a domain.
 */
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDrain } from '../../../server/src/adapters/proxy/caddy-drain.ts';
import { dockerCli } from '../../bed/host/golden.ts';
import { runCommand } from '../../../images/command.ts';
import { listens, uniqueName, until, untilRunning } from '../../engine-suite/fixture.ts';
import { bedEngine, nodeService } from '../engine/engine-fixture.ts';
import { echo, openSocket, overHttp2, posted, resetRapidly, versionNegotiation } from './protocol-clients.ts';
import { ask, attached, httpPort, httpsPort, proxyInBed, route } from './proxy-fixture.ts';
import { greeted } from './tls-client.ts';

const { engine, ip } = bedEngine();
const bed = proxyInBed();
const { proxy, one } = bed;

/**
 * On 3000 HTTP/1.1 with events, bodies and WebSockets, which it tells of its end and leaves open; on 3001
 * HTTP/2 at once, as a gRPC server speaks.
 */
const speaking = `
  const { createServer } = require('node:http');
  const server = createServer((request, response) => {
    if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let count = 0;
      const timer = setInterval(() => response.write('data: ' + (count += 1) + '\\n\\n'), 200);
      request.on('close', () => clearInterval(timer));
      return;
    }
    let bytes = 0;
    request.on('data', (chunk) => (bytes += chunk.length)).on('end', () => {
      const { headers, httpVersion: version } = request;
      response.end(JSON.stringify({ bytes, headers, version }));
    });
  }).listen(3000);
  const sockets = new Set();
  server.on('upgrade', (request, socket) => {
    socket.write(
      'HTTP/1.1 101 Switching Protocols\\r\\n' +
      'Connection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n'
    );
    socket.on('error', () => undefined);
    sockets.add(socket.on('data', (data) => socket.write(process.env.VERSION + ' ' + data)));
  });
  process.on('SIGTERM', () => {
    server.close();
    for (const socket of sockets) socket.write('ending');
  });
  require('node:http2').createServer().on('stream', (stream, headers) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'x-path': headers[':path'] }));
    stream.pipe(stream);
  }).listen(3001);`;
const speaker = nodeService(uniqueName('speaker'), speaking, {
  networks: [bed.environment],
  healthCheck: listens,
});

const routes = [
  route({ id: 'plain', host: 'plain.test', service: speaker.name }),
  route({
    id: 'secure',
    host: 'secure.test',
    https: true,
    certificate: { source: 'internal' },
    service: speaker.name,
    hstsMaxAge: 31_536_000,
  }),
  route({
    id: 'rpc',
    host: 'rpc.test',
    https: true,
    certificate: { source: 'internal' },
    service: speaker.name,
    port: 3001,
  }),
  route({
    id: 'options',
    host: 'options.test',
    service: speaker.name,
    maxBodyBytes: 1000,
    requestHeaders: { 'X-Tenant': 'shop {"a":1}'.replace(/[{}]/g, ''), Host: 'inner.test' },
  }),
  route({ id: 'socket', host: 'socket.test', service: one.name }),
];

/** Of a remote procedure. */
const call = {
  ':method': 'POST',
  ':path': '/shop.Cart/Add',
  'content-type': 'application/grpc',
  te: 'trailers',
};

beforeAll(async () => {
  await engine.applyService(speaker);
  await untilRunning(engine, speaker.name);
  await attached(bed);
  await proxy.apply(routes);
  await until('a certificate', () => ask('secure.test', { secure: true }).catch(() => undefined));
  await until('a certificate', () => greeted('rpc.test', '').catch(() => undefined));
});
afterAll(() => engine.removeService(speaker.name));

describe('options of a domain', () => {
  test('Strict-Transport-Security is sent over https, and not over http', async () => {
    expect((await ask('secure.test', { secure: true })).headers).toMatchObject({
      'strict-transport-security': 'max-age=31536000',
    });
    expect((await ask('secure.test')).headers).not.toHaveProperty('strict-transport-security');
    expect((await overHttp2('rpc.test', call)).headers).not.toHaveProperty('strict-transport-security');
  });

  test('headers are added in place of the client’s own', async () => {
    const { headers } = JSON.parse((await ask('options.test', { headers: { 'X-Tenant': 'other' } })).body);
    expect(headers).toMatchObject({
      'x-tenant': 'shop "a":1',
      host: 'inner.test',
      'x-forwarded-host': 'options.test',
    });
  });

  test.each([
    [1000, 200],
    [1001, 413],
  ])('a body of %i bytes, told or not, is answered with %i', async (bytes, status) => {
    for (const isChunked of [false, true])
      expect([isChunked, (await posted('options.test', bytes, isChunked)).status]).toEqual([
        isChunked,
        status,
      ]);
  });

  test('without a limit a body of any size passes', async () => {
    expect(JSON.parse((await posted('plain.test', 20_000_000, true)).body)).toMatchObject({
      bytes: 20_000_000,
    });
  });
});

test('HTTP/2 is spoken over https, to services in HTTP/1.1', async () => {
  const { headers, body } = await overHttp2('secure.test', { ':path': '/x' });
  expect(headers).toMatchObject({ ':status': 200, 'alt-svc': `h3=":${httpsPort}"; ma=2592000` });
  expect(JSON.parse(body.toString())).toMatchObject({
    version: '1.1',
    headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'secure.test' },
  });
});

test('HTTP/3 is offered; a packet of an unknown version is answered with those the port knows', async () => {
  expect((await ask('secure.test', { secure: true })).headers['alt-svc']).toBe(
    `h3=":${httpsPort}"; ma=2592000`,
  );
  const versions = await until('a Version Negotiation packet', () =>
    versionNegotiation().catch(() => undefined),
  );
  // QUIC version 1 (RFC 9000, 15).
  expect(versions).toContain(1);
});

test('streams that are taken back at once cost others nothing, and the proxy little', async () => {
  const before = await bed.container();
  const flood = resetRapidly('secure.test', 2, AbortSignal.timeout(4000));
  const statuses: number[] = [];
  for (let count = 0; count < 20; count += 1) statuses.push((await ask('plain.test')).status);
  const told = await flood;
  const peak = (await kilobytesOfProxy('VmHWM')) >> 10;
  console.log(
    `${told.opened} streams opened, ${told.ended} connections ended; at most ${peak} MiB of memory`,
  );
  expect(statuses).toEqual(statuses.map(() => 200));
  // Of the gigabyte that its container may have.
  expect(peak).toBeLessThan(512);
  expect(await bed.container()).toBe(before);
}, 60_000);

test('gRPC passes: HTTP/2 to the service, the answer’s body as it comes, and the trailers', async () => {
  const { headers, trailers, body } = await overHttp2(
    'rpc.test',
    call,
    Buffer.from([0, 0, 0, 0, 3, 1, 2, 3]),
  );
  expect(headers).toMatchObject({ ':status': 200, 'content-type': 'application/grpc' });
  expect([...body]).toEqual([0, 0, 0, 0, 3, 1, 2, 3]);
  expect(trailers).toMatchObject({ 'grpc-status': '0', 'x-path': '/shop.Cart/Add' });
});

test('server-sent events come one by one', async () => {
  const startedAt = performance.now();
  const arrivals = await new Promise<number[]>((resolve, reject) => {
    const times: number[] = [];
    const sent = request(
      {
        host: ip,
        port: httpPort,
        path: '/events',
        headers: { Host: 'plain.test' },
        agent: false,
        signal: AbortSignal.timeout(10_000),
      },
      (response) => {
        response.on('data', () => {
          if (times.push(performance.now() - startedAt) < 4) return;
          resolve(times);
          sent.destroy();
        });
      },
    );
    sent.on('error', reject).end();
  });
  expect((arrivals[3] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(300);
});

describe('WebSockets', () => {
  test(
    'of other services stay open over a deployment; its own end with the old task, after its grace ' +
      'period, and whoever comes again is served',
    async () => {
      const [other, own] = [await openSocket('socket.test'), await openSocket('plain.test')];
      const before = await proxy.current();
      const at = { told: 0, closed: 0 };
      own
        .on('data', (data: Buffer) => (at.told = data.toString() === 'ending' ? performance.now() : at.told))
        .once('close', () => (at.closed = performance.now()));
      const handshakes: { at: number; answer: string }[] = [];
      const calling = setInterval(
        () => void handshake().then((answer) => handshakes.push({ at: performance.now(), answer })),
        50,
      );
      await engine.applyService({ ...speaker, release: 'r2', env: ['VERSION=2'] });
      await until('the end of the own socket', async () => at.closed > 0, 60_000);
      await until(
        'calls afterwards',
        async () => handshakes.filter((each) => each.at > at.closed).length > 5,
      );
      clearInterval(calling);
      console.log(
        `WebSockets of a service that is deployed: told ${((at.closed - at.told) / 1000).toFixed(1)} s ` +
          `before their end, by a grace period of ${speaker.stopGracePeriodMs / 1000} s; ` +
          `${handshakes.length} handshakes meanwhile`,
      );
      expect(at.told).toBeGreaterThan(0);
      expect(at.closed - at.told).toBeGreaterThan(speaker.stopGracePeriodMs - 300);
      // A stream has no messages: the proxy may pass "hi" on in two parts, and each is answered.
      const answers = handshakes.map(({ answer }) => answer);
      expect(answers.filter((answer) => !/^([12]) h(?:i|\1 i)?$/.test(answer))).toEqual([]);
      expect(answers.slice(-5).filter((answer) => !answer.startsWith('2 h'))).toEqual([]);
      expect(await proxy.current()).toBe(before);
      expect(await echo(other, 'still')).toBe('still');
      other.destroy();
    },
  );

  test('stay open over a hundred changes of domains, and what the proxy keeps for them is told', async () => {
    // Process 1 is the engine's init.
    const before = await kilobytesOfProxy('VmRSS');
    const sockets: Socket[] = [];
    let closed = 0;
    for (let change = 0; change < 100; change += 1) {
      // One by each configuration, so that each is kept.
      sockets.push((await openSocket('socket.test')).once('close', () => (closed += 1)));
      await proxy.apply([
        ...routes,
        route({ id: 'another', host: `another-${change}.test`, service: one.name }),
      ]);
    }
    for (const [index, socket] of sockets.entries())
      expect(await echo(socket, `still ${index}`)).toBe(`still ${index}`);
    expect(closed).toBe(0);
    const more = ((await kilobytesOfProxy('VmRSS')) - before) >> 10;
    console.log(
      `100 WebSockets by as many configurations: the proxy has ${more} MiB more ` +
        `(Caddy ${(await inProxy('caddy', 'version')).trim()})`,
    );
    for (const each of sockets) each.destroy();
    await proxy.apply(routes);
  });
});

describe('while the proxy drains', () => {
  const drain = createDrain(bed.folder, () => performance.now());
  afterAll(() => drain.begin());

  test('answers end their connection, and nothing else does', { timeout: 30_000 }, async () => {
    const kept = new Agent({ keepAlive: true });
    const connection = async (agent: Agent): Promise<unknown> =>
      new Promise((resolve, reject) => {
        request(
          {
            host: ip,
            port: httpPort,
            headers: { Host: 'plain.test' },
            agent,
            signal: AbortSignal.timeout(5_000),
          },
          (response) => resolve(response.resume().headers.connection),
        )
          .on('error', reject)
          .end();
      });
    // Of HTTP/1.1 nothing need be said to keep one.
    expect(await connection(kept)).toBeUndefined();
    const socket = await drain.during(async () => {
      expect(await connection(kept)).toBe('close');
      const { headers, goneAway } = await overHttp2('secure.test', { ':path': '/x' });
      expect([headers[':status'], headers['connection'], goneAway]).toEqual([200, undefined, true]);
      const made = await openSocket('socket.test');
      expect(await echo(made, 'open')).toBe('open');
      return made;
    });
    expect([await connection(kept), await echo(socket, 'still')]).toEqual([undefined, 'still']);
    socket.destroy();
    kept.destroy();
  });
});

/** What the service answers through a socket of its own, or what went wrong. */
async function handshake(): Promise<string> {
  try {
    const socket = await openSocket('plain.test');
    const answer = await echo(socket, 'hi').catch(String);
    socket.destroy();
    return answer;
  } catch (error) {
    return String(error);
  }
}

/** Memory of the proxy's program, as `man 5 proc` has it; its container begins with an init. */
async function kilobytesOfProxy(what: 'VmHWM' | 'VmRSS'): Promise<number> {
  const pid = (await inProxy('cat', '/proc/1/task/1/children')).trim().split(' ')[0] || '1';
  const status = await inProxy('cat', `/proc/${pid}/status`);
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
}

async function inProxy(...command: string[]): Promise<string> {
  const { engineSocket } = inject('servers').m1;
  const { stdout } = await runCommand(
    [dockerCli, '-H', `unix://${engineSocket}`, 'exec', await bed.container(), ...command],
    { limitMs: 20_000 },
  );
  return stdout;
}
