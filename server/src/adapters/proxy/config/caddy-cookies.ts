/**
 * Berth's own cookies are kept from services: a browser sends them to every port of a host name, and so to
 * whatever the proxy leads there.
 */
import { cookiePattern } from '../../../domain/access/own-cookies.ts';

/**
 * The routes that take cookies of these names out of requests; `passed` matches requests that keep them. The
 * other cookies stay as they came, byte by byte; a header that had no others goes.
 */
export function withoutCookies(names: readonly string[], passed: object): object[] {
  if (names.length === 0) return [];
  const pattern = cookiePattern(names);
  const replace = { Cookie: [pattern, '^[;\\s]+'].map((each) => ({ search_regexp: each, replace: '' })) };
  // Several headers of this name are several values; the matcher looks for one that holds anything.
  const nothingLeft = { not: [{ header_regexp: { Cookie: { pattern: '.' } } }] };
  return [
    {
      match: [{ header_regexp: { Cookie: { pattern } }, not: [passed] }],
      handle: [
        { handler: 'headers', request: { replace } },
        {
          handler: 'subroute',
          routes: [
            { match: [nothingLeft], handle: [{ handler: 'headers', request: { delete: ['Cookie'] } }] },
          ],
        },
      ],
    },
  ];
}
