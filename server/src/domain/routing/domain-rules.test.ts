import { describe, expect, test } from 'vitest';
import { parseAddressRanges } from '../network/address-range.ts';
import { pageFor, parseErrorPages } from './error-pages.ts';
import { parseResponseHeaders } from './request-headers.ts';
import { parseTrustedProxies, rangesOf } from './trusted-proxies.ts';

const refused = (field: string) =>
  expect.objectContaining({ code: 'BAD_REQUEST', issues: [expect.objectContaining({ path: field })] });

describe('addresses and networks', () => {
  test.each(['192.0.2.1', '10.0.0.0/8', '0.0.0.0/0', '2001:db8::/32', '::1', 'FE80::1/128'])('%s', (text) => {
    expect(parseAddressRanges([text, text], 'deniedAddresses')).toEqual([text]);
  });
  test.each([
    '',
    '10.0.0',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
    '::ffff:1.2.3.4',
    'a.test',
    '{env.HOME}',
  ])('not %j', (text) => {
    expect(() => parseAddressRanges([text], 'deniedAddresses')).toThrow(refused('deniedAddresses'));
  });
});

test('trusted proxies are known lists by their names, and networks', () => {
  expect(parseTrustedProxies(['cloudflare', '192.0.2.1', 'cloudflare'])).toEqual(['cloudflare', '192.0.2.1']);
  expect(rangesOf(['cloudflare', '192.0.2.1'])).toEqual(
    expect.arrayContaining(['172.64.0.0/13', '192.0.2.1']),
  );
  expect(rangesOf([])).toEqual([]);
  for (const name of ['akamai', 'toString', 'a.test'])
    expect(() => parseTrustedProxies([name])).toThrow(refused('trustedProxies'));
});

test('pages stand in place of errors, the status before its hundred', () => {
  const pages = parseErrorPages({ '404': 'a', '4xx': 'b', '5xx': 'c' });
  expect([404, 410, 502, 302].map((status) => pageFor(pages, status))).toEqual(['a', 'b', 'c', undefined]);
  for (const key of ['200', '401', '407', '600', 'xx', '40', '4XX'])
    expect(() => parseErrorPages({ [key]: 'a' })).toThrow(refused('errorPages'));
  expect(() => parseErrorPages({ '404': 'a'.repeat(32_769) })).toThrow(refused('errorPages.404'));
});

test('headers of answers are those that do not frame them', () => {
  const headers = { 'X-Frame-Options': 'DENY', Server: '' };
  expect(parseResponseHeaders(headers)).toEqual(headers);
  for (const name of [
    'Content-Length',
    'connection',
    'Transfer-Encoding',
    'Strict-Transport-Security',
    'a b',
  ])
    expect(() => parseResponseHeaders({ [name]: '1' })).toThrow(refused('responseHeaders'));
});
