import { describe, expect, test } from 'vitest';
import { encodedPath, parseRoutePath } from './route-path.ts';

describe('a path', () => {
  test.each([
    ['/', '/', '/'],
    ['/api/v1/', '/api/v1/', '/api/v1/'],
    ['/ünï', '/ünï', '/%C3%BCn%C3%AF'],
    ['/%C3%BCn%c3%af', '/ünï', '/%C3%BCn%C3%AF'],
    ['/cafe\u0301', '/café', '/caf%C3%A9'],
    ['/a%20b', '/a b', '/a%20b'],
    ['/日本/%F0%9F%92%A5', '/日本/💥', '/%E6%97%A5%E6%9C%AC/%F0%9F%92%A5'],
    ["/~a.b_c-d!$&'()+,;=:@", "/~a.b_c-d!$&'()+,;=:@", "/~a.b_c-d!$&'()+,;=:@"],
  ])('%s', (given, stored, sent) => {
    expect(parseRoutePath(given, 'path')).toBe(stored);
    expect(encodedPath(stored)).toBe(sent);
    // What is stored is taken again.
    expect(parseRoutePath(stored, 'path')).toBe(stored);
  });

  test.each([
    'x',
    '/%',
    '/100%',
    '/%zz',
    '/%C3',
    '/a%2Fb',
    '/a%5cb',
    '/%25',
    '/%00',
    '/a%0Ab',
    '/{x}',
    '/%7Bx%7D',
    '/a*',
    '/a?b',
    '/a#b',
    '/[a]',
    '/../x',
    '/%2e%2e/x',
    '/./x',
    '/a//b',
    '/a ',
    '/a%20',
    '/\u200b',
  ])('not %j', (text) => {
    expect(() => parseRoutePath(text, 'path')).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST', issues: [expect.objectContaining({ path: 'path' })] }),
    );
  });
});
