/** An ACME authority (RFC 8555) that refuses every new order with the problem that it is told. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from '../certificates/authority.ts';

export interface RefusingAuthority extends AsyncDisposable {
  directoryUrl: string;
  /** PEM that its https is checked with. */
  rootCertificates: string;
  /** What it answers orders with from now on. */
  refusal: { type: string; detail: string; status: number; retryAfter?: string };
}

export async function refusingAuthority(): Promise<RefusingAuthority> {
  const root = makeCertificate({ name: 'Refusing Root', isAuthority: true });
  const own = makeCertificate({ name: 'refusing', hosts: ['127.0.0.1'], issuer: root });
  const server = createServer({ cert: own.pem, key: own.key }, (request, response) => {
    const { type, detail, status, retryAfter } = authority.refusal;
    const at = (path: string): string => new URL(path, authority.directoryUrl).href;
    const nonce = { 'replay-nonce': crypto.randomUUID().replaceAll('-', '') };
    request.resume().on('end', () => {
      if (request.url === '/dir')
        response.end(
          JSON.stringify({ newNonce: at('/nonce'), newAccount: at('/account'), newOrder: at('/order') }),
        );
      else if (request.url === '/nonce') response.writeHead(200, nonce).end();
      else if (request.url === '/account')
        response.writeHead(201, { ...nonce, location: at('/account/1') }).end('{}');
      else
        response
          .writeHead(status, {
            ...nonce,
            'content-type': 'application/problem+json',
            ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
          })
          .end(JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const authority: RefusingAuthority = {
    directoryUrl: `https://127.0.0.1:${port}/dir`,
    rootCertificates: root.pem,
    refusal: { type: 'serverInternal', detail: '', status: 500 },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return authority;
}
