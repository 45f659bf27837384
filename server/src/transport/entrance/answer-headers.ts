/**
 * What every answer says to a browser unless it says otherwise: it is what it is called, no page of another
 * address frames it or takes it apart, and no cache keeps it, since most of it is somebody's own.
 */
import type { FastifyInstance } from 'fastify';

export const answerHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** Answers that are written past the library begin with `answerHeaders` themselves. */
export function addAnswerHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(answerHeaders);
    done();
  });
}
