import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { gunzipSync } from 'node:zlib';
import { addCompression } from './compress.ts';

const long = JSON.stringify(Array.from({ length: 200 }, (_, at) => ({ name: `service ${at}` })));

async function answer(path: string, headers: Record<string, string>) {
  const app = Fastify();
  addCompression(app);
  // As the handlers of the interface: they end without giving the answer back.
  app.get('/long', async (_request, reply) => {
    void reply.header('content-type', 'application/json').send(long);
  });
  app.get('/short', (_request, reply) => reply.header('content-type', 'application/json').send('{}'));
  app.get('/text', (_request, reply) => reply.header('content-type', 'text/plain').send(long));
  const got = await app.inject({ url: path, headers });
  await app.close();
  return { encoding: got.headers['content-encoding'], length: got.headers['content-length'], got };
}
const browser = { cookie: 'session=1', 'accept-encoding': 'gzip, deflate, br' };

it('compresses a long answer for a browser', async () => {
  const { encoding, length, got } = await answer('/long', browser);
  expect(encoding).toBe('gzip');
  expect(got.headers['vary']).toBe('accept-encoding');
  expect(Number(length)).toBe(got.rawPayload.length);
  expect(gunzipSync(got.rawPayload).toString()).toBe(long);
  expect(got.rawPayload.length).toBeLessThan(long.length / 4);
});

it.each([
  ['/short', browser],
  ['/text', browser],
  ['/long', { 'accept-encoding': 'gzip' }],
  ['/long', { cookie: 'session=1' }],
] as const)('sends %s as it is to %o', async (path, headers) => {
  const { encoding, got } = await answer(path, { ...headers });
  expect(encoding).toBeUndefined();
  expect([long, '{}']).toContain(got.body);
});
