/**
 * Answers for a browser come compressed: a list of 1,000 services is a tenth of itself then. Programs with a
 * key stand on the same network mostly, and would only pay for it.
 */
import type { FastifyInstance } from 'fastify';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const gzipped = promisify(gzip);
/** What is shorter fits into one packet. */
const leastBytes = 1024;
/** Level 3 takes half the time of the usual one, for a twentieth more bytes. */
const effort = { level: 3 };

export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', async ({ headers }, reply, payload) => {
    const isForBrowser =
      headers.cookie !== undefined && /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
    const type = String(reply.getHeader('content-type') ?? '');
    if (!isForBrowser || typeof payload !== 'string' || !type.startsWith('application/json')) return payload;
    if (payload.length < leastBytes || reply.hasHeader('content-encoding')) return payload;
    const body = await gzipped(payload, effort);
    void reply.removeHeader('content-length');
    void reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    return body;
  });
}
