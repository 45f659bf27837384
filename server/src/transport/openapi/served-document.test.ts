import Fastify from 'fastify';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { servedDocument } from './served-document.ts';

it('is made once, packed for whoever takes that, and not sent again to whoever has it', async () => {
  let made = 0;
  const text = JSON.stringify({ long: 'x'.repeat(10_000) });
  const app = Fastify();
  const answer = servedDocument('application/json; charset=utf-8', () => {
    made += 1;
    return text;
  });
  app.get('/document', (request, reply) => answer(request, reply));
  const get = (headers: Record<string, string> = {}) => app.inject({ url: '/document', headers });

  const plain = await get();
  expect([plain.statusCode, plain.payload]).toEqual([200, text]);
  expect(plain.headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': 'no-cache' });
  const packed = await get({ 'accept-encoding': 'br, gzip' });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(packed.rawPayload.length).toBeLessThan(200);
  expect(gunzipSync(packed.rawPayload).toString()).toBe(text);
  expect(packed.headers.etag).not.toBe(plain.headers.etag);

  const tag = String(plain.headers.etag);
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const { statusCode, payload, headers } = await get({ 'if-none-match': known });
    expect([known, statusCode, payload, headers.etag]).toEqual([known, 304, '', tag]);
  }
  expect((await get({ 'if-none-match': '"other"' })).statusCode).toBe(200);
  expect((await get({ 'if-none-match': tag, 'accept-encoding': 'gzip' })).statusCode).toBe(200);
  expect(made).toBe(1);
});
