import { describe, expect, test } from 'vitest';
import { refuseLoops, type RedirectOrigin, type RedirectRule } from './redirect-loop.ts';

const origins: RedirectOrigin[] = [
  { host: 'a.test', path: '/', https: true },
  { host: 'www.a.test', path: '/', https: true },
  { host: 'plain.test', path: '/café', https: false },
];
const rule = (regex: string, replacement: string): RedirectRule => ({ regex, replacement });

describe('a circle', () => {
  test.each<[string, ...RedirectRule[]]>([
    ['to the same address', rule('^https?://a\\.test/(.*)', 'https://a.test/$1')],
    ['from every address', rule('.*', 'https://a.test/')],
    ['by http, which is redirected to https', rule('^https://a\\.test/(.*)', 'http://a.test/$1')],
    ['within the path', rule('^/page', '/page')],
    ['that grows', rule('^/(.*)', '/x/$1')],
    ['with a named group', rule('^https?://(?P<host>[^/]+)/', 'https://${host}/')],
    ['in any case', rule('(?i)^HTTPS://A\\.TEST/', 'https://a.test/')],
    [
      'of two',
      rule('^https://a\\.test/', 'https://www.a.test/'),
      rule('^https://www\\.a\\.test/', 'https://a.test/'),
    ],
    ['below a path', rule('^http://plain\\.test/(.*)$', 'http://plain.test/$1')],
  ])('%s is refused', (_, ...rules) => {
    expect(() => refuseLoops(rules, origins)).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        issues: [{ path: 'replacement', message: expect.stringContaining(' → ') }],
      }),
    );
  });

  test.each<[string, ...RedirectRule[]]>([
    ['to the other host', rule('^https?://www\\.a\\.test/(.*)', 'https://a.test/$1')],
    ['without www', rule('^https?://www\\.(.+)', 'https://${1}')],
    ['to another server', rule('^https?://[^/]+/(.*)', 'https://other.test/$1')],
    ['once', rule('^/old', '/new')],
    ['that takes ages here', rule('^(a+)+$', '/x')],
    ['of the engine alone', rule('^/[[:alpha:]]+\\pN', '/page')],
  ])('%s is none', (_, ...rules) => {
    expect(() => refuseLoops(rules, origins)).not.toThrow();
  });
});
