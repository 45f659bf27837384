import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished, expect, test } from 'vitest';
import { quickFetch } from './quick-fetch.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const never = new AbortController().signal;

test('gives what fetch gives: status, text, cookies', async () => {
  const url = await serve(async (request, response) => {
    const sent = await text(request);
    response.writeHead(409, { 'set-cookie': ['a=1', 'b=2'] });
    const { method = '', headers } = request;
    response.end([method, headers['content-length'], sent, headers['x-api-key']].join(' '));
  });
  const request = { method: 'POST', body: 'größe', headers: { 'x-api-key': 'k' }, signal: never } as const;
  for (const send of [quickFetch, fetch]) {
    const answer = await send(url, request);
    expect(answer).toMatchObject({ ok: false, status: 409 });
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await answer.text()).toBe('POST 7 größe k');
  }
});

test('goes where an address leads on, and takes a form', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/from') response.writeHead(308, { location: '/to' }).end();
    else
      response.end([request.method, request.url, request.headers['content-type']?.split(';')[0]].join(' '));
  });
  const request = { method: 'POST', body: '{}', headers: { 'content-type': 'a/b' }, signal: never } as const;
  expect(await (await quickFetch(`${url}/from`, request)).text()).toBe('POST /to a/b');
  const form = { method: 'POST', body: new FormData(), signal: never } as const;
  expect(await (await quickFetch(`${url}/form`, form)).text()).toBe('POST /form multipart/form-data');
});

test('fails when nobody answers, when the answer breaks off, and when called off', async () => {
  await expect(quickFetch('http://127.0.0.1:1', { signal: never })).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
  const url = await serve((request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('part');
    if (request.url === '/broken') setImmediate(() => response.destroy());
  });
  await expect((await quickFetch(`${url}/broken`, { signal: never })).text()).rejects.toThrow('aborted');
  const stop = new AbortController();
  const reader = (await quickFetch(`${url}/open`, { signal: stop.signal })).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? [])).toEqual(Buffer.from('part'));
  stop.abort();
  await expect(reader?.read()).rejects.toThrow('aborted');
});
