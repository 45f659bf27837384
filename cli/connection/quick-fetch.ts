/**
 * Requests by Node's own `http`, in the place of `fetch`: the first use of `fetch` alone takes longer than a
 * bare start of Node.js.
 */
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Answer, Request } from '../../client/call.ts';

/** As `fetch`, for addresses of http and https; forms and redirects are left to `fetch`. */
export async function quickFetch(url: string, request: Request): Promise<Answer> {
  if (typeof request.body === 'object') return fetch(url, request);
  const message = await sent(url, request);
  const { statusCode: status = 0, headers } = message;
  if (status >= 300 && status < 400) {
    message.destroy();
    return fetch(url, request);
  }
  const pieces: AsyncIterator<Uint8Array, undefined> = message[Symbol.asyncIterator]();
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      getSetCookie: () => headers['set-cookie'] ?? [],
      get: (name) => headers[name.toLowerCase()]?.toString() ?? null,
    },
    body: { getReader: () => ({ read: () => pieces.next() }) },
    async text() {
      const read: Uint8Array[] = [];
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) read.push(next.value);
      return Buffer.concat(read).toString();
    },
  };
}

function sent(url: string, { method, headers, body, signal }: Request): Promise<IncomingMessage> {
  const text = typeof body === 'string' ? body : undefined;
  const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) };
  const send = url.startsWith('https:') ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    send(url, { method: method ?? 'GET', headers: { ...headers, ...length }, signal }, resolve)
      .on('error', reject)
      .end(text);
  });
}
