/** Any HTTP receiver, signed as the Standard Webhooks specification says (standardwebhooks.com). */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { defineChannel, httpUrl, originOf, post } from './channel.ts';

export const webhook = defineChannel({
  label: 'a webhook',
  fields: {
    url: httpUrl().describe('Gets a POST with JSON for each event'),
    secret: z
      .string()
      .min(16)
      .max(200)
      .describe(
        'Signs each request: base64 of HMAC-SHA256 over "<webhook-id>.<webhook-timestamp>.<body>" in the ' +
          'header webhook-signature, after "v1,". With whsec_ before it the rest is base64. Never shown',
      ),
  },
  secrets: ['secret'],
  example: { url: 'https://example.com/berth', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  origin: ({ url }) => originOf(url),
  render({ id, event, at, title, message, subject, count }, { url, secret }, now) {
    const request = post(url, { id, event, at, title, message, subject, count });
    const timestamp = String(Math.floor(now / 1000));
    const signature = createHmac('sha256', keyOf(secret))
      .update(`${id}.${timestamp}.${request.body}`)
      .digest('base64');
    const signed = {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
    return { ...request, headers: { ...request.headers, ...signed } };
  },
});

function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
}
