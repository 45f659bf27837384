import { expect, it } from 'vitest';
import { generatedHost, parseHost } from './names.ts';
import { checkWildcardHost } from './wildcard-host.ts';

it.each([
  ['*.com', 'public suffix'],
  ['*.co.uk', 'public suffix'],
  ['*.CO.UK', 'public suffix'],
  ['*.github.io', 'public suffix'],
  ['*.公司.cn', 'public suffix'],
  ['*.lan', 'public suffix'],
  ['*.sslip.io', 'generated hosts'],
  ['*.203-0-113-7.sslip.io', 'generated hosts'],
  ['*.shop.SSLIP.io', 'generated hosts'],
])('%s is refused, and why', async (host, reason) => {
  const asciiHost = parseHost(host);
  await expect(checkWildcardHost(asciiHost)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining(reason),
    issues: [{ path: 'host' }],
  });
});

it.each([
  'com',
  'sslip.io',
  generatedHost('shop', '0a1b2c', '203.0.113.7'),
  '*.example.com',
  '*.apps.example.co.uk',
  '*.someone.github.io',
  '*.notsslip.io',
  '*.wild.test',
  '*.localhost',
  '*.previews.localhost',
])('%s is not', async (host) => {
  await expect(checkWildcardHost(parseHost(host))).resolves.toBeUndefined();
});
