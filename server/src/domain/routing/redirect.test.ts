import { describe, expect, it } from 'vitest';
import { checkRedirect, parseReplacement, type ReplacementPart } from './redirect.ts';

describe('a replacement', () => {
  it.each<[string, ReplacementPart[]]>([
    ['https://a.test/new?x=1#y', ['https://a.test/new?x=1#y']],
    ['/new/$1', ['/new/', { group: 1 }]],
    ['${1}0$2${name}$0', [{ group: 1 }, '0', { group: 2 }, { group: 'name' }, { group: 0 }]],
    ['$$1', ['$', '1']],
  ])('%s', (text, parts) => {
    expect(parseReplacement(text)).toEqual(parts);
  });

  it.each([
    '',
    '{env.HOME}',
    '/a{http.request.host}',
    '$name',
    '/$',
    '/$ 1',
    '/a b',
    '/ä',
    '/a\nb',
    '${}',
    '${a-b}',
    '${1',
    '$1}',
    'a'.repeat(501),
  ])('not %j', (text) => {
    expect(() => parseReplacement(text)).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        issues: [expect.objectContaining({ path: 'replacement' })],
      }),
    );
  });

  it('names groups that the regular expression has', () => {
    expect(() => checkRedirect({ regex: '(?P<a>x)(y)', replacement: '$0$1$2${a}' })).not.toThrow();
    for (const replacement of ['$3', '${b}', '$11'])
      expect(() => checkRedirect({ regex: '(?P<a>x)(y)', replacement })).toThrow('2 groups (named: a)');
    expect(() => checkRedirect({ regex: 'x', replacement: '$1' })).toThrow('no group');
  });
});
