/** Whether a request was made on the machine itself, for what only its people may do without more. */
import type { FastifyRequest } from 'fastify';
import { plainAddress } from './trusted-proxies.ts';

/** Any of these means that somebody else asked first. */
const forwardingHeader =
  /^(x-forwarded(-.+)?|forwarded|x-real-ip|via|(cf-connecting|true-client|x-client)-ip)$/;
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * The connection comes from loopback, through no proxy, trusted or not, and for a loopback name: a page in a
 * browser of the machine that leads its own name here (DNS rebinding) is not the machine's person.
 */
export function isFromThisMachine({
  socket,
  headers,
  raw,
}: Pick<FastifyRequest, 'socket' | 'headers'> & {
  raw: Pick<FastifyRequest['raw'], 'httpVersion'>;
}): boolean {
  const peer = plainAddress(socket.remoteAddress ?? '');
  return (
    (peer === '::1' || peer.startsWith('127.')) &&
    // A proxy that adds no header may still speak HTTP/1.0 (nginx, unless told otherwise).
    Number(raw.httpVersion) >= 1.1 &&
    !Object.keys(headers).some((name) => forwardingHeader.test(name)) &&
    loopbackHost.test(headers.host ?? '') &&
    isLoopbackPage(headers)
  );
}

/** What a browser says of the page passes through a proxy that rewrites the Host alone. */
function isLoopbackPage({ origin, 'sec-fetch-site': site }: FastifyRequest['headers']): boolean {
  return (
    (site === undefined || site === 'same-origin' || site === 'none') &&
    (origin === undefined || (URL.canParse(origin) && loopbackHost.test(new URL(origin).host)))
  );
}
