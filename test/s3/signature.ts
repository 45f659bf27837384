/**
 * Signatures of requests to S3, version 4, in their header (Amazon S3 API, "Authenticating Requests: Using
 * the Authorization Header"): s3rver itself checks only older ones.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Whether the request bears the signature of this account. */
export function isSignedBy(
  request: IncomingMessage,
  { secretAccessKey }: { secretAccessKey: string },
): boolean {
  const [, , day = '', region = '', signedHeaders = '', signature = ''] =
    form.exec(request.headers.authorization ?? '') ?? [];
  if (signature === '') return false;
  const url = new URL(request.url ?? '/', 'http://store');
  const headers = signedHeaders
    .split(';')
    .map(
      (name) =>
        `${name}:${String(request.headers[name] ?? '')
          .trim()
          .replaceAll(/ +/g, ' ')}\n`,
    )
    .join('');
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
  const canonical = [
    request.method,
    (request.url ?? '/').split('?')[0],
    query,
    headers,
    signedHeaders,
    request.headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = [
    'AWS4-HMAC-SHA256',
    request.headers['x-amz-date'],
    scope,
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(
    (present, part) => createHmac('sha256', present).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  return timingSafeEqual(createHmac('sha256', key).update(toSign).digest(), Buffer.from(signature, 'hex'));
}

/** RFC 3986, 2.1. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
