import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, it, vi } from 'vitest';
import { defaultRequestLimits, limitBodies, limitConnections, type RequestLimits } from './request-limits.ts';

let app: FastifyInstance | undefined;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await app?.close();
});

async function serve(limits: Partial<RequestLimits>, isProxy = false): Promise<number> {
  const all = { ...defaultRequestLimits, ...limits };
  app = Fastify({ forceCloseConnections: true });
  limitConnections(app, all, () => isProxy);
  limitBodies(app, all, {
    isSignedIn: async ({ headers }) => headers['x-api-key'] === 'good',
    isStreamed: (type) => type.startsWith('multipart/'),
  });
  app.post('/', async ({ body }) => ({ bytes: JSON.stringify(body).length }));
  app.setErrorHandler((error, _request, reply) => {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    void reply.code(code === 'SERVICE_UNAVAILABLE' ? 503 : 400).send({ error: String(error) });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

const open = (port: number): Socket => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
};
/** Sends all of a body but its end. */
function sendPart(port: number, bytes: number): Socket {
  const socket = open(port);
  socket.write(
    'POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n' +
      `content-length: ${bytes + 2}\r\n\r\n"${'a'.repeat(bytes)}`,
  );
  return socket;
}
const post = (port: number, bytes: number, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify('a'.repeat(bytes)),
  });

const small = { smallBodyBytes: 100, anonymousBytes: 50_000, anonymousBytesPerAddress: 50_000 };

it('refuses bodies of unknown senders above the budget, and takes those of known ones', async () => {
  const port = await serve(small);
  for (let count = 0; count < 4; count += 1) sendPart(port, 12_000);
  await vi.waitFor(async () => expect((await post(port, 12_000)).status).toBe(503));
  expect((await post(port, 12_000, { 'x-api-key': 'bad' })).status).toBe(503);
  expect((await post(port, 12_000, { 'x-api-key': 'good' })).status).toBe(200);
  expect((await post(port, 50)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await vi.waitFor(async () => expect((await post(port, 12_000)).status).toBe(200));
});

it('leaves room for others when one address has used up its share', async () => {
  const port = await serve({ ...small, anonymousBytesPerAddress: 10_000 });
  expect((await post(port, 9000)).status).toBe(200);
  expect((await post(port, 12_000)).status).toBe(503);
});

it('ends a body that is not whole in time, with the reason', async () => {
  const port = await serve({ bodyTimeoutMs: 100, restTimeoutMs: 100 });
  const socket = sendPart(port, 1000);
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  await once(socket, 'close');
  expect(text).toContain('was not complete after 0.1 s');
});

it('ends connections of one address above its limit, but not those of a proxy', async () => {
  const port = await serve({ connectionsPerAddress: 2 });
  const [first, second] = [open(port), open(port)];
  await Promise.all([once(first, 'connect'), once(second, 'connect')]);
  await once(open(port), 'close');
  first.destroy();
  await vi.waitFor(async () => expect((await post(port, 10)).status).toBe(200));
  await app?.close();
  const other = await serve({ connectionsPerAddress: 1 }, true);
  await Promise.all([once(open(other), 'connect'), once(open(other), 'connect')]);
  expect((await post(other, 10)).status).toBe(200);
});

it('ends connections above the limit of all', async () => {
  const port = await serve({ connections: 1 });
  const first = open(port);
  await once(first, 'connect');
  await once(open(port), 'close');
  expect(first.destroyed).toBe(false);
});
