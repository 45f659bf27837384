/**
 * Answers for a browser come compressed: a list of 1,000 services is a tenth of itself then. Programs with a
 * key stand on the same network mostly, and would only pay for it. What is large and open to everybody is
 * compressed once, in a thread of its own (openapi/served-document.ts).
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { gzipSync } from 'node:zlib';

/** What is shorter fits into one packet. */
const leastBytes = 1024;
/** Level 3 takes half the time of the usual one, for a twentieth more bytes. */
const effort = { level: 3 };

/**
 * At once, not in turns: handlers end before what they sent is on its way, and the server would take their
 * end for an empty answer.
 */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', ({ headers }, reply, payload, done) => {
    const isForBrowser = headers.cookie !== undefined && takesGzip(headers);
    const isJson = String(reply.getHeader('content-type') ?? '').startsWith('application/json');
    if (!isForBrowser || !isJson || typeof payload !== 'string' || payload.length < leastBytes)
      return done(null, payload);
    void reply.removeHeader('content-length');
    void reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    done(null, gzipSync(payload, effort));
  });
}

export const takesGzip = (headers: FastifyRequest['headers']): boolean =>
  /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
