/**
 * A document of the interface over HTTP: made and compressed when it is first asked for, and sent again only
 * to whoever has another version.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export function servedDocument(
  contentType: string,
  text: () => string,
): (request: FastifyRequest, reply: FastifyReply) => void {
  let made: { plain: Buffer; packed: Buffer; tag: string } | undefined;
  const make = (): NonNullable<typeof made> => {
    const plain = Buffer.from(text());
    const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 27);
    return { plain, packed: gzipSync(plain), tag };
  };
  return ({ headers }, reply) => {
    made ??= make();
    const isPacked = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
    // Each form has a tag of its own (RFC 9110, 8.8.3.3).
    const tag = `"${made.tag}${isPacked ? '-gzip' : ''}"`;
    void reply.headers({
      'content-type': contentType,
      etag: tag,
      vary: 'accept-encoding',
      'cache-control': 'no-cache',
    });
    if (isAmong(tag, headers['if-none-match'])) {
      void reply.code(304).send();
      return;
    }
    if (isPacked) void reply.header('content-encoding', 'gzip');
    void reply.send(isPacked ? made.packed : made.plain);
  };
}

function isAmong(tag: string, known: string | undefined): boolean {
  const tags = (known ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tag);
}
