/**
 * A document of the interface over HTTP: made and compressed when it is first asked for, since it is large
 * and open to whoever reaches the port, and sent again only to whoever has another version.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { takesGzip } from '../compress.ts';

interface Made {
  plain: Buffer;
  packed?: Promise<Buffer>;
  tag: string;
}

export function servedDocument(
  contentType: string,
  textOf: () => string,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  let made: Made | undefined;
  return async ({ headers }, reply) => {
    made ??= makeDocument(textOf());
    const isPacked = takesGzip(headers);
    // Each form has a tag of its own (RFC 9110, 8.8.3.3).
    const tag = `"${made.tag}${isPacked ? '-gzip' : ''}"`;
    void reply.headers({
      'content-type': contentType,
      etag: tag,
      vary: 'accept-encoding',
      'cache-control': 'no-cache',
    });
    if (isAmong(tag, headers['if-none-match'])) return reply.code(304).send();
    if (!isPacked) return reply.send(made.plain);
    const packed = await (made.packed ??= promisify(gzip)(made.plain));
    return reply.header('content-encoding', 'gzip').send(packed);
  };
}

function makeDocument(text: string): Made {
  const plain = Buffer.from(text);
  return { plain, tag: createHash('sha256').update(plain).digest('base64url').slice(0, 27) };
}

function isAmong(tag: string, known: string | undefined): boolean {
  const tags = (known ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tag);
}
